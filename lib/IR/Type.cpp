// Element types, shapes and their text; see the header for meanings.
#include "mfc/IR/Type.h"

#include "mfc/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>
#include <charconv>
#include <limits>

using namespace mfc;

namespace {
struct ElementRow {
  ElementType type;
  llvm::StringRef name;
  unsigned bytes;
  int64_t min, max;
};
} // namespace

static const ElementRow &row(ElementType type) {
  static const ElementRow rows[] = {
      {ElementType::Bool, "bool", 1, 0, 1},
      {ElementType::I8, "i8", 1, INT8_MIN, INT8_MAX},
      {ElementType::U8, "u8", 1, 0, UINT8_MAX},
      {ElementType::I16, "i16", 2, INT16_MIN, INT16_MAX},
      {ElementType::U16, "u16", 2, 0, UINT16_MAX},
      {ElementType::I32, "i32", 4, INT32_MIN, INT32_MAX},
      {ElementType::U32, "u32", 4, 0, UINT32_MAX},
      {ElementType::I64, "i64", 8, INT64_MIN, INT64_MAX},
      {ElementType::F32, "f32", 4, 0, 0},
  };
  const ElementRow &r = rows[static_cast<size_t>(type)];
  assert(r.type == type && "rows in enum order");
  return r;
}

unsigned mfc::elementBytes(ElementType type) { return row(type).bytes; }
llvm::StringRef mfc::elementName(ElementType type) { return row(type).name; }
bool mfc::isFloat(ElementType type) { return type == ElementType::F32; }
bool mfc::isSignedInteger(ElementType type) { return row(type).min < 0; }
int64_t mfc::elementMin(ElementType type) { return row(type).min; }
int64_t mfc::elementMax(ElementType type) { return row(type).max; }

std::optional<ElementType> mfc::elementTypeFromName(llvm::StringRef name) {
  for (unsigned i = 0; i <= static_cast<unsigned>(ElementType::F32); ++i)
    if (row(static_cast<ElementType>(i)).name == name)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

std::optional<int64_t> mfc::elementCount(const Shape &shape) {
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t count = 1;
  bool empty = false;
  for (int64_t d : shape) {
    if (d < 0 || d > limit)
      return std::nullopt;
    if (d == 0) {
      empty = true;
      continue;
    }
    if (count > limit / d)
      return std::nullopt;
    count *= d;
  }
  return empty ? 0 : count;
}

std::string mfc::shapeText(const Shape &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + (shape[i] == kDynamicDim ? "?" : std::to_string(shape[i]));
  return text;
}

int64_t TensorType::count() const {
  std::optional<int64_t> n = elementCount(shape);
  assert(n && "shape is static");
  return n.value_or(0);
}

TensorType mfc::quantizedType(ElementType element, Shape shape, float scale, int32_t zeroPoint) {
  return {element, std::move(shape), Quantization{{scale}, {zeroPoint}, -1}};
}

/// Shortest decimal that reads back as the same float.
static std::string floatText(float value) {
  char buffer[64];
  auto r = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, r.ptr);
}

std::string mfc::typeText(const TensorType &type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << elementName(type.element) << '[';
  for (size_t i = 0; i < type.shape.size(); ++i)
    os << (i ? "," : "") << (type.shape[i] == kDynamicDim ? "?" : std::to_string(type.shape[i]));
  os << ']';
  if (!type.quant)
    return text;
  const Quantization &q = *type.quant;
  os << " q(";
  if (q.isPerTensor() && q.scales.size() == 1 && q.zeroPoints.size() == 1) {
    os << floatText(q.scales[0]) << ", " << q.zeroPoints[0] << ')';
    return text;
  }
  os << "axis " << q.axis << ": ";
  for (size_t i = 0; i < q.scales.size(); ++i) // a type that does not verify may lack zero points
    os << (i ? ", " : "") << floatText(q.scales[i]) << ':' << (i < q.zeroPoints.size() ? q.zeroPoints[i] : 0);
  os << ')';
  return text;
}

int64_t Tensor::getInteger(int64_t i) const {
  return dispatchElement(type.element, [&](auto zero) { return static_cast<int64_t>(get<decltype(zero)>(i)); });
}

void Tensor::setInteger(int64_t i, int64_t value) {
  dispatchElement(type.element, [&](auto zero) { set<decltype(zero)>(i, static_cast<decltype(zero)>(value)); });
}
