// Numbers, strings, lists and types of the text form.
#include "ParserBase.h"

#include "llvm/ADT/Twine.h"
#include <bit>
#include <charconv>
#include <limits>

using namespace mfc;

/// Source lines longer than this (weights in hexadecimal) are not repeated under an error.
constexpr size_t kLongestCaretLine = 240;

bool ParserBase::takeIf(char punctuation) {
  if (!peek().is(punctuation))
    return false;
  take();
  return true;
}

bool ParserBase::takeIf(llvm::StringRef word) {
  if (!peek().isWord(word))
    return false;
  take();
  return true;
}

Location ParserBase::locationOf(const Token &token) const {
  Location loc;
  loc.file = fileName.str();
  loc.line = token.line;
  loc.column = token.column;
  return loc;
}

DiagnosticBuilder ParserBase::errorAt(const Token &token, size_t shift) {
  Location loc = locationOf(token);
  loc.column += static_cast<unsigned>(shift);
  DiagnosticBuilder builder = diag.error(ErrorClass::BadModel, std::move(loc));
  llvm::StringRef line = lineAt(source, token.offset);
  if (line.size() <= kLongestCaretLine)
    builder.source(line);
  return builder;
}

DiagnosticBuilder ParserBase::error(const Token &token) { return errorAt(token, 0); }

bool ParserBase::expected(const Token &found, const llvm::Twine &what) {
  if (found.kind == TokenKind::Bad)
    return error(found) << found.text;
  size_t index = static_cast<size_t>(&found - tokens.data());
  // What is missing at the end of a line is missing there, not at the start of the next statement.
  if (index > statementBegin && (found.startsLine || found.kind == TokenKind::End)) {
    const Token &last = tokens[index - 1];
    return errorAt(last, last.length) << "expected " << what.str() << ", found the end of the "
                                      << (found.kind == TokenKind::End ? "text" : "line");
  }
  if (found.kind == TokenKind::End)
    return error(found) << "expected " << what.str() << ", found the end of the text";
  if (found.kind == TokenKind::String)
    return error(found) << "expected " << what.str() << ", found a string";
  return error(found) << "expected " << what.str() << ", found '" << source.substr(found.offset, found.length) << "'";
}

bool ParserBase::expect(char punctuation) {
  if (takeIf(punctuation))
    return true;
  return expected(peek(), llvm::Twine('\'') + llvm::Twine(punctuation) + "'");
}

//===-- Strings and numbers --------------------------------------------------------------------------------------===//

bool ParserBase::parseString(std::string &bytes) {
  if (peek().kind != TokenKind::String)
    return expected(peek(), "a string");
  const Token &token = take();
  return unescape(token.text, bytes) ||
         error(token) << "bad escape in string; a backslash takes '\\', '\"' or two hexadecimal digits";
}

bool ParserBase::parseOptionalString(std::string &bytes) {
  bytes.clear();
  return peek().kind != TokenKind::String || parseString(bytes);
}

bool ParserBase::parseInteger(int64_t &value, int64_t min, int64_t max, const llvm::Twine &what) {
  const Token &token = peek();
  if (token.kind != TokenKind::Number)
    return expected(token, what);
  llvm::StringRef text = token.text;
  text.consume_front("+");
  auto [end, status] = std::from_chars(text.begin(), text.end(), value);
  if (status == std::errc() && end == text.end() && value >= min && value <= max) {
    take();
    return true;
  }
  return error(token) << "'" << token.text << "' is not " << what.str() << "; expected an integer from " << min
                      << " to " << max;
}

template <typename T> bool ParserBase::parseRealAs(T &value) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const Token &token = peek();
  if (token.kind != TokenKind::Number && token.kind != TokenKind::Identifier)
    return expected(token, "a number");
  take();
  if (token.text == "nan" && takeIf('(')) { // nan(0x7fc00001): the exact bits
    const Token &digits = take();
    llvm::StringRef text = digits.text;
    Bits bits = 0;
    bool sound = digits.kind == TokenKind::Number && text.consume_front("0x") && !text.getAsInteger(16, bits);
    value = std::bit_cast<T>(bits);
    if (!sound || value == value)
      return error(digits) << "expected the bits of a NaN, as in nan(0x7fc00001)";
    return expect(')');
  }
  llvm::StringRef text = token.text;
  text.consume_front("+");
  auto [end, status] = std::from_chars(text.begin(), text.end(), value);
  if (status == std::errc::result_out_of_range)
    return error(token) << "'" << token.text << "' is out of the range of a " << sizeof(T) * 8 << "-bit float";
  if (status != std::errc() || end != text.end())
    return error(token) << "'" << token.text << "' is not a number";
  if (value != value)
    value = std::numeric_limits<T>::quiet_NaN(); // "-nan" too: other NaNs are written with their bits
  return true;
}

bool ParserBase::parseReal(float &value) { return parseRealAs(value); }
bool ParserBase::parseReal(double &value) { return parseRealAs(value); }

//===-- Attribute fields -----------------------------------------------------------------------------------------===//

bool ParserBase::parseField(int64_t &value) { return parseInteger(value, INT64_MIN, INT64_MAX, "an integer"); }

bool ParserBase::parseField(bool &value) {
  if (!peek().isWord("true") && !peek().isWord("false"))
    return expected(peek(), "true or false");
  value = take().text == "true";
  return true;
}

bool ParserBase::parseField(Rounding &value) {
  const Token &token = peek();
  if (token.isWord("tflite_double"))
    value = Rounding::TfliteDouble;
  else if (token.isWord("tflite_single"))
    value = Rounding::TfliteSingle;
  else if (token.isWord("half_even"))
    value = Rounding::HalfEven;
  else
    return expected(token, "tflite_double, tflite_single or half_even");
  take();
  return true;
}

bool ParserBase::parseField(std::vector<int64_t> &values) {
  values.clear();
  if (!expect('['))
    return false;
  if (takeIf(']'))
    return true;
  do {
    if (!parseField(values.emplace_back()))
      return false;
  } while (takeIf(','));
  return expect(']');
}

//===-- Types ----------------------------------------------------------------------------------------------------===//

bool ParserBase::parseShape(Shape &shape) {
  if (!expect('['))
    return false;
  if (takeIf(']'))
    return true;
  do {
    if (peek().kind == TokenKind::Question) {
      take();
      shape.push_back(kDynamicDim);
    } else if (!parseInteger(shape.emplace_back(), 0, INT64_MAX, "a dimension")) {
      return false;
    }
  } while (takeIf(','));
  return expect(']');
}

/// Behind "q(": one scale and zero point, or "axis n:" and a pair for every slice.
bool ParserBase::parseQuantization(Quantization &quant) {
  int64_t zeroPoint = 0;
  bool perAxis = takeIf("axis");
  if (perAxis) {
    int64_t axis = 0;
    if (!parseInteger(axis, 0, INT32_MAX, "a dimension number") || !expect(':'))
      return false;
    quant.axis = static_cast<int>(axis);
  }
  do {
    if (!parseReal(quant.scales.emplace_back()) || !expect(perAxis ? ':' : ',') ||
        !parseInteger(zeroPoint, INT32_MIN, INT32_MAX, "a zero point"))
      return false;
    quant.zeroPoints.push_back(static_cast<int32_t>(zeroPoint));
  } while (perAxis && takeIf(','));
  return expect(')');
}

bool ParserBase::parseType(TensorType &type) {
  const Token &token = peek();
  std::optional<ElementType> element;
  if (token.kind == TokenKind::Identifier)
    element = elementTypeFromName(token.text);
  if (!element)
    return expected(token, "an element type such as i8 or f32");
  take();
  type = {*element, {}, {}};
  if (!parseShape(type.shape))
    return false;
  Shape known;
  std::copy_if(type.shape.begin(), type.shape.end(), std::back_inserter(known), [](int64_t d) { return d != kDynamicDim; });
  if (!elementCount(known))
    return error(token) << "shape " << shapeText(type.shape) << " has more elements than a 40-bit number can count";
  if (!takeIf("q"))
    return true;
  return expect('(') && parseQuantization(type.quant.emplace());
}
