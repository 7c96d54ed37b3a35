// Tokens of the text form. Private to the parser.
#ifndef MFC_LIB_IR_LEXER_H
#define MFC_LIB_IR_LEXER_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace mfc {

enum class TokenKind {
  End,
  Identifier, ///< conv2d, i8, half_even
  Value,      ///< %name; text without the %
  Symbol,     ///< @name; text without the @
  String,     ///< "..."; text without the quotes, still escaped
  Number,     ///< 1, -0.5, 1e-05, -inf, 0x7fc00000
  Punctuation, ///< one of = , : ( ) [ ] { }
  Question,   ///< ?, a dimension that is not known
  Bad,        ///< text says what is wrong
};

struct Token {
  TokenKind kind = TokenKind::End;
  llvm::StringRef text;
  size_t offset = 0;       ///< of the first character in the source
  size_t length = 0;       ///< in the source, quotes and prefix included
  unsigned line = 1;       ///< from 1
  unsigned column = 1;     ///< from 1, in bytes
  bool startsLine = false; ///< the first token of its line: where a statement can start
  bool is(char c) const { return kind == TokenKind::Punctuation && text[0] == c; }
  bool isWord(llvm::StringRef word) const { return kind == TokenKind::Identifier && text == word; }
};

/// Always ends with an End token. Comments run from // to the end of the line.
std::vector<Token> tokenize(llvm::StringRef source);

/// The line around an offset, without its end.
llvm::StringRef lineAt(llvm::StringRef source, size_t offset);

/// Undoes the escapes of quoted(); false if there is an escape that it would not write.
bool unescape(llvm::StringRef text, std::string &bytes);

} // namespace mfc
#endif
