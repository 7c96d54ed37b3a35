// What every part of the parser needs: the token at hand, errors with a caret, and the small pieces of the grammar
// (numbers, strings, lists, types, attribute fields). Private to the parser.
#ifndef MFC_LIB_IR_PARSERBASE_H
#define MFC_LIB_IR_PARSERBASE_H

#include "Lexer.h"
#include "mfc/IR/Graph.h"

namespace mfc {

/// Functions return false after reporting an error; the caller passes it on up to the statement.
class ParserBase {
public:
  ParserBase(llvm::StringRef source, llvm::StringRef fileName, DiagnosticEngine &diag)
      : source(source), fileName(fileName), diag(diag), tokens(tokenize(source)) {}

protected:
  llvm::StringRef source;
  llvm::StringRef fileName;
  DiagnosticEngine &diag;
  std::vector<Token> tokens;
  size_t next = 0;
  size_t statementBegin = 0; ///< index of the first token of the statement at hand

  const Token &peek() const { return tokens[next]; }
  const Token &take() { return tokens[next + 1 < tokens.size() ? next++ : next]; }
  bool takeIf(char punctuation);
  bool takeIf(llvm::StringRef word);

  Location locationOf(const Token &token) const;
  DiagnosticBuilder error(const Token &token);
  /// "expected <what>, found '...'"
  bool expected(const Token &found, const llvm::Twine &what);
  bool expect(char punctuation);

  bool parseString(std::string &bytes);
  /// A string if there is one; what it is for names it in errors.
  bool parseOptionalString(std::string &bytes);
  bool parseInteger(int64_t &value, int64_t min, int64_t max, const llvm::Twine &what);
  bool parseReal(float &value);
  bool parseReal(double &value);

  bool parseType(TensorType &type);
  bool parseField(int64_t &value);
  bool parseField(bool &value);
  bool parseField(float &value) { return parseReal(value); }
  bool parseField(double &value) { return parseReal(value); }
  bool parseField(Rounding &value);
  bool parseField(std::vector<int64_t> &values);
  template <size_t N> bool parseField(std::array<int64_t, N> &values) {
    const Token &start = peek();
    std::vector<int64_t> list;
    if (!parseField(list))
      return false;
    if (list.size() != N)
      return error(start) << "found a list of " << list.size() << ", expected " << N << " numbers";
    std::copy(list.begin(), list.end(), values.begin());
    return true;
  }

private:
  template <typename T> bool parseRealAs(T &value);
  DiagnosticBuilder errorAt(const Token &token, size_t shift);
  bool parseShape(Shape &shape);
  bool parseQuantization(Quantization &quant);
};

} // namespace mfc
#endif
