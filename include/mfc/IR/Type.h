// Tensor types: element type, static shape and, for quantized tensors, scale and zero point.
//
// Quantization belongs to the type: real = scale * (stored - zeroPoint), per tensor or per slice of
// `axis` (TFLite quantization specification; ONNX QuantizeLinear).
#ifndef MFC_IR_TYPE_H
#define MFC_IR_TYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mfc {

enum class ElementType { Bool, I8, U8, I16, U16, I32, U32, I64, F32 };

/// Bytes of one element in memory.
unsigned elementBytes(ElementType type);
/// "i8", "f32" ...; the spelling of the text form.
llvm::StringRef elementName(ElementType type);
std::optional<ElementType> elementTypeFromName(llvm::StringRef name);
bool isFloat(ElementType type);
bool isSignedInteger(ElementType type);
/// Smallest and largest stored value of an integer type (Bool: 0 and 1).
int64_t elementMin(ElementType type);
int64_t elementMax(ElementType type);

using Shape = std::vector<int64_t>;

/// A dimension that the text form spells '?'; only legal before shape inference.
constexpr int64_t kDynamicDim = -1;

/// Product of the dimensions (1 for rank 0); nothing if one is dynamic or negative or the product
/// does not fit in 40 bits, which no microcontroller tensor comes near.
std::optional<int64_t> elementCount(const Shape &shape);
/// "1x49x10x1"; "scalar" for rank 0.
std::string shapeText(const Shape &shape);

struct Quantization {
  std::vector<float> scales;       ///< one, or one per slice of axis; positive and finite
  std::vector<int32_t> zeroPoints; ///< as many as scales
  int axis = -1;                   ///< dimension that the scales run along; -1: per tensor

  bool isPerTensor() const { return axis < 0; }
  float scale(size_t i = 0) const { return scales[scales.size() == 1 ? 0 : i]; }
  int32_t zeroPoint(size_t i = 0) const { return zeroPoints[zeroPoints.size() == 1 ? 0 : i]; }
  bool operator==(const Quantization &) const = default;
};

struct TensorType {
  ElementType element = ElementType::F32;
  Shape shape;
  std::optional<Quantization> quant;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t dim(int64_t i) const { return shape[static_cast<size_t>(i < 0 ? i + rank() : i)]; }
  /// Number of elements; the shape must be static.
  int64_t count() const;
  uint64_t bytes() const { return static_cast<uint64_t>(count()) * elementBytes(element); }
  bool isQuantized() const { return quant.has_value(); }
  bool operator==(const TensorType &) const = default;
};

/// A per-tensor quantized type.
TensorType quantizedType(ElementType element, Shape shape, float scale, int32_t zeroPoint);

/// Text form: "i8[1,49,10,1] q(0.5, -128)".
std::string typeText(const TensorType &type);

} // namespace mfc
#endif
