// Writes the text form. Everything that the parser reads back is written here and in typeText().
#include "mfc/IR/Printer.h"

#include "mfc/IR/Tensor.h"
#include "mfc/Support/Hashing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

using namespace mfc;

/// Constants of up to this many elements are written as a list.
constexpr int64_t kInlineElements = 16;

//===-- Numbers and strings --------------------------------------------------------------------------------------===//

std::string mfc::quoted(llvm::StringRef bytes) {
  std::string text = "\"";
  for (char c : bytes) {
    if (c == '"' || c == '\\')
      (text += '\\') += c;
    else if (llvm::isPrint(c))
      text += c;
    else
      (text += '\\') += llvm::toHex(llvm::StringRef(&c, 1));
  }
  return text + '"';
}

/// The shortest decimal that reads back as the same value. A NaN other than the usual quiet one shows its bits.
template <typename T, typename Bits> static std::string exactText(T value) {
  Bits bits = std::bit_cast<Bits>(value);
  if (std::isnan(value) && bits != std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN()))
    return "nan(0x" + llvm::utohexstr(bits, /*LowerCase=*/true) + ")";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

static std::string fieldText(int64_t value) { return std::to_string(value); }
static std::string fieldText(bool value) { return value ? "true" : "false"; }
static std::string fieldText(float value) { return exactText<float, uint32_t>(value); }
static std::string fieldText(double value) { return exactText<double, uint64_t>(value); }
static std::string fieldText(Rounding rounding) {
  switch (rounding) {
  case Rounding::TfliteDouble:
    return "tflite_double";
  case Rounding::TfliteSingle:
    return "tflite_single";
  case Rounding::HalfEven:
    return "half_even";
  }
  return "tflite_double";
}

static std::string listText(llvm::ArrayRef<int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}
static std::string fieldText(const std::vector<int64_t> &values) { return listText(values); }
template <size_t N> static std::string fieldText(const std::array<int64_t, N> &values) { return listText(values); }

//===-- Attributes -----------------------------------------------------------------------------------------------===//

using FieldTexts = std::vector<std::pair<std::string, std::string>>;

static FieldTexts fieldTexts(const Attributes &attributes) {
  FieldTexts fields;
  Attributes copy = attributes; // visit() is not const: the parser writes through it
  std::visit([&](auto &a) { a.visit([&](const char *name, auto &field) { fields.emplace_back(name, fieldText(field)); }); },
             copy);
  return fields;
}

static std::string joinFields(const FieldTexts &fields) {
  std::string text;
  for (const auto &[name, value] : fields)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

std::string mfc::attributesText(const Attributes &attributes) { return joinFields(fieldTexts(attributes)); }

std::string mfc::attributesText(const Operation &op) {
  // The texts are compared, not the values: -0.0 equals 0.0 and NaN differs from itself.
  FieldTexts fields = fieldTexts(op.attributes), defaults = fieldTexts(op.info().defaultAttrs), changed;
  for (size_t i = 0; i < fields.size(); ++i)
    if (fields[i] != defaults[i])
      changed.push_back(fields[i]);
  return changed.empty() ? "" : "{" + joinFields(changed) + "}";
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

static std::string elementText(const TensorType &type, llvm::ArrayRef<uint8_t> bytes, int64_t i) {
  Tensor element(TensorType{type.element, {}, {}}, bytes.slice(static_cast<size_t>(i) * elementBytes(type.element),
                                                               elementBytes(type.element)));
  return isFloat(type.element) ? fieldText(element.get<float>(0)) : std::to_string(element.getInteger(0));
}

static bool allElementsEqual(llvm::ArrayRef<uint8_t> bytes, unsigned size) {
  return bytes.drop_front(size) == bytes.drop_back(size);
}

static void printContents(const Value &constant, llvm::raw_ostream &os, const PrintOptions &options) {
  llvm::ArrayRef<uint8_t> bytes = constant.bytes();
  unsigned size = elementBytes(constant.type.element);
  std::optional<int64_t> count = elementCount(constant.type.shape);
  bool sound = count && static_cast<uint64_t>(*count) * size == bytes.size();
  if (sound && *count <= kInlineElements) {
    os << '[';
    for (int64_t i = 0; i < *count; ++i)
      os << (i ? ", " : "") << elementText(constant.type, bytes, i);
    os << ']';
  } else if (sound && allElementsEqual(bytes, size)) {
    os << "splat " << elementText(constant.type, bytes, 0);
  } else if (options.elideConstants) {
    os << "elided 0x" << hashText(stableHash(bytes));
  } else {
    os << "hex \"" << llvm::toHex(bytes, /*LowerCase=*/true) << '"';
  }
}

//===-- Statements -----------------------------------------------------------------------------------------------===//

ValueNames::ValueNames(const Graph &graph) {
  auto addAll = [&](llvm::StringRef prefix, auto &&values, unsigned first) {
    for (const Value *value : values)
      names[value] = (prefix + llvm::Twine(first++)).str();
    return first;
  };
  addAll("%in", graph.inputs(), 0);
  addAll("%c", graph.constants(), 0);
  unsigned next = 0;
  for (const Operation *op : graph.ops())
    next = addAll("%", op->results(), next);
}

llvm::StringRef ValueNames::operator()(const Value *value) const {
  auto it = names.find(value);
  return it == names.end() ? llvm::StringRef("%?") : llvm::StringRef(it->second);
}

static void printLocation(const Location &loc, llvm::raw_ostream &os) {
  if (loc.node.empty() && loc.nodeIndex < 0 && loc.tensor.empty() && loc.byteOffset < 0)
    return;
  os << " loc(" << quoted(loc.node);
  if (loc.nodeIndex >= 0)
    os << ", " << loc.nodeIndex;
  if (!loc.tensor.empty())
    os << ", tensor " << quoted(loc.tensor);
  if (loc.byteOffset >= 0)
    os << ", byte " << loc.byteOffset;
  os << ')';
}

void mfc::printOperation(const Operation &op, const ValueNames &names, llvm::raw_ostream &os,
                         const PrintOptions &options) {
  for (const Value *result : op.results())
    os << (result->resultIndex() ? ", " : "") << names(result);
  os << " = " << op.info().name;
  for (size_t i = 0; i < op.operands().size(); ++i)
    os << (i ? ", " : " ") << names(op.operand(i));
  std::string attributes = attributesText(op);
  os << (attributes.empty() ? "" : " ") << attributes << " :";
  for (const Value *result : op.results()) {
    os << (result->resultIndex() ? ", " : " ") << typeText(result->type);
    if (!result->name.empty())
      os << ' ' << quoted(result->name);
  }
  if (options.locations)
    printLocation(op.loc, os);
}

static std::string graphNameText(llvm::StringRef name) {
  bool plain = !name.empty() && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return "@" + (plain ? name.str() : quoted(name));
}

void mfc::print(const Graph &graph, llvm::raw_ostream &os, const PrintOptions &options) {
  ValueNames names(graph);
  auto printNamed = [&](const Value *value, llvm::StringRef what) {
    os << "  " << names(value) << " = " << what;
    if (!value->name.empty())
      os << ' ' << quoted(value->name);
    os << " : " << typeText(value->type);
  };
  os << "graph " << graphNameText(graph.name) << " {\n";
  for (const Value *input : graph.inputs()) {
    printNamed(input, "input");
    os << '\n';
  }
  for (const Value *constant : graph.constants()) {
    printNamed(constant, "constant");
    os << " = ";
    printContents(*constant, os, options);
    os << '\n';
  }
  for (const Operation *op : graph.ops()) {
    printOperation(*op, names, os.indent(2), options);
    os << '\n';
  }
  for (const GraphOutput &output : graph.outputs())
    os << "  output " << names(output.value) << (output.name.empty() ? "" : " " + quoted(output.name)) << '\n';
  os << "}\n";
}

std::string mfc::printToString(const Graph &graph, const PrintOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(graph, os, options);
  return text;
}
