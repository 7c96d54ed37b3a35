// Splits the text form into tokens. The input may be any bytes: what is not a token becomes one of kind Bad, and the
// scan goes on behind it.
#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace mfc;

namespace {

bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-'; }

class Scanner {
public:
  explicit Scanner(llvm::StringRef source) : source(source) {}

  std::vector<Token> run() {
    while (skipBlanks())
      scan();
    add(TokenKind::End, source.size(), source.substr(source.size()));
    return std::move(tokens);
  }

private:
  llvm::StringRef source;
  size_t pos = 0;
  unsigned line = 1;
  size_t lineBegin = 0;
  bool lineStart = true;
  std::vector<Token> tokens;

  void add(TokenKind kind, size_t start, llvm::StringRef text) {
    tokens.push_back({kind, text, start, pos - start, line, static_cast<unsigned>(start - lineBegin + 1), lineStart});
    lineStart = false;
  }

  /// False at the end of the source.
  bool skipBlanks() {
    while (pos < source.size()) {
      char c = source[pos];
      if (c == '\n') {
        lineStart = true;
        lineBegin = ++pos;
        ++line;
      } else if (source.substr(pos).starts_with("//")) {
        pos = std::min(source.find('\n', pos), source.size());
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++pos;
      } else {
        return true;
      }
    }
    return false;
  }

  void scan() {
    char c = source[pos];
    size_t start = pos;
    if (c == '"')
      return scanString();
    if (c == '%')
      return scanPrefixed(TokenKind::Value, "'%' needs a name of letters, digits, '_', '.', '$' or '-' behind it");
    if (c == '@')
      return scanPrefixed(TokenKind::Symbol, "'@' needs a name behind it");
    if (llvm::isDigit(c) || c == '-' || c == '+')
      return scanNumber();
    if (llvm::isAlpha(c) || c == '_') {
      while (pos < source.size() && (llvm::isAlnum(source[pos]) || source[pos] == '_'))
        ++pos;
      return add(TokenKind::Identifier, start, source.slice(start, pos));
    }
    ++pos;
    if (llvm::StringRef("=,:()[]{}").contains(c))
      return add(TokenKind::Punctuation, start, source.slice(start, pos));
    if (c == '?')
      return add(TokenKind::Question, start, source.slice(start, pos));
    add(TokenKind::Bad, start, "unexpected character");
  }

  void scanPrefixed(TokenKind kind, llvm::StringRef complaint) {
    size_t start = pos++;
    if (kind == TokenKind::Symbol && pos < source.size() && source[pos] == '"')
      return add(kind, start, source.slice(pos, pos)); // @"...": an empty symbol, then the string
    while (pos < source.size() && isNameChar(source[pos]))
      ++pos;
    if (pos == start + 1)
      return add(TokenKind::Bad, start, complaint);
    add(kind, start, source.slice(start + 1, pos));
  }

  void scanString() {
    size_t start = pos++;
    while (pos < source.size() && source[pos] != '"' && source[pos] != '\n')
      pos += source[pos] == '\\' && pos + 1 < source.size() && source[pos + 1] != '\n' ? 2 : 1;
    if (pos >= source.size() || source[pos] != '"')
      return add(TokenKind::Bad, start, "string without an end on its line");
    ++pos;
    add(TokenKind::String, start, source.slice(start + 1, pos - 1));
  }

  /// Everything that could belong to a number; the parser reads it with the type that it wants. A sign is part of it
  /// at the start and behind the 'e' of a decimal.
  void scanNumber() {
    size_t start = pos++;
    bool hex = source.substr(start).starts_with("0x");
    while (pos < source.size()) {
      char c = source[pos];
      bool exponentSign = (c == '-' || c == '+') && !hex && (source[pos - 1] == 'e' || source[pos - 1] == 'E');
      if (!llvm::isAlnum(c) && c != '.' && !exponentSign)
        break;
      ++pos;
    }
    add(TokenKind::Number, start, source.slice(start, pos));
  }
};

} // namespace

std::vector<Token> mfc::tokenize(llvm::StringRef source) { return Scanner(source).run(); }

llvm::StringRef mfc::lineAt(llvm::StringRef source, size_t offset) {
  size_t begin = source.take_front(offset).rfind('\n');
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  return source.substr(begin).take_until([](char c) { return c == '\n'; }).rtrim('\r');
}

bool mfc::unescape(llvm::StringRef text, std::string &bytes) {
  bytes.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    llvm::StringRef rest = text.substr(i + 1);
    if (rest.starts_with("\\") || rest.starts_with("\"")) {
      bytes += rest[0];
      i += 1;
    } else if (rest.size() >= 2 && llvm::isHexDigit(rest[0]) && llvm::isHexDigit(rest[1])) {
      bytes += static_cast<char>(llvm::hexFromNibbles(rest[0], rest[1]));
      i += 2;
    } else {
      return false;
    }
  }
  return true;
}
