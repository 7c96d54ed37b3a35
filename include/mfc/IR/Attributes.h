// Attributes of operators: one plain struct per family.
//
// Each struct lists its fields once, in visit(); printer, parser, hash and comparison all go through
// that list. Strings exist only in printer and parser.
#ifndef MFC_IR_ATTRIBUTES_H
#define MFC_IR_ATTRIBUTES_H

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

namespace mfc {

/// How a requantization rounds; set by the importer, defined in Numerics/Requantize.h.
enum class Rounding {
  TfliteDouble, ///< gemmlowp: saturating rounding doubling high multiply, then rounding shift
  TfliteSingle, ///< one rounding, half up (TFLITE_SINGLE_ROUNDING)
  HalfEven,     ///< one rounding, ties to even (ONNX QuantizeLinear)
};

struct NoAttrs {
  template <typename V> void visit(V &&) {}
  bool operator==(const NoAttrs &) const = default;
};

/// conv2d, depthwise_conv2d. 1-D convolutions have height 1.
struct ConvAttrs {
  std::array<int64_t, 2> stride{1, 1};   ///< y, x
  std::array<int64_t, 2> dilation{1, 1}; ///< y, x
  std::array<int64_t, 4> pad{0, 0, 0, 0}; ///< top, left, bottom, right; filled with the zero point
  int64_t groups = 1;                     ///< conv2d only
  Rounding rounding = Rounding::TfliteDouble;
  template <typename V> void visit(V &&v) {
    v("stride", stride), v("dilation", dilation), v("pad", pad), v("groups", groups);
    v("rounding", rounding);
  }
  bool operator==(const ConvAttrs &) const = default;
};

/// max_pool2d, avg_pool2d.
struct PoolAttrs {
  std::array<int64_t, 2> kernel{1, 1};
  std::array<int64_t, 2> stride{1, 1};
  std::array<int64_t, 2> dilation{1, 1};
  std::array<int64_t, 4> pad{0, 0, 0, 0}; ///< top, left, bottom, right
  bool countIncludePad = false;           ///< avg_pool2d: divide by the whole window at borders
  Rounding rounding = Rounding::TfliteDouble;
  template <typename V> void visit(V &&v) {
    v("kernel", kernel), v("stride", stride), v("dilation", dilation), v("pad", pad);
    v("count_include_pad", countIncludePad), v("rounding", rounding);
  }
  bool operator==(const PoolAttrs &) const = default;
};

/// dense, add, sub, mul, requantize, quantize ...: operators whose only choice is the rounding.
struct RoundingAttrs {
  Rounding rounding = Rounding::TfliteDouble;
  template <typename V> void visit(V &&v) { v("rounding", rounding); }
  bool operator==(const RoundingAttrs &) const = default;
};

struct ReduceAttrs {
  std::vector<int64_t> axes; ///< ascending, non-negative
  bool keepDims = true;
  Rounding rounding = Rounding::TfliteDouble;
  template <typename V> void visit(V &&v) {
    v("axes", axes), v("keep_dims", keepDims), v("rounding", rounding);
  }
  bool operator==(const ReduceAttrs &) const = default;
};

struct SoftmaxAttrs {
  int64_t axis = -1; ///< negative: from the end
  float beta = 1.0f;
  Rounding rounding = Rounding::TfliteDouble;
  template <typename V> void visit(V &&v) { v("axis", axis), v("beta", beta), v("rounding", rounding); }
  bool operator==(const SoftmaxAttrs &) const = default;
};

/// Bounds in stored units for integer tensors (quantized or not), in reals for float tensors.
struct ClampAttrs {
  double min = 0;
  double max = 0;
  template <typename V> void visit(V &&v) { v("min", min), v("max", max); }
  bool operator==(const ClampAttrs &) const = default;
};

struct LeakyReluAttrs {
  float alpha = 0;
  Rounding rounding = Rounding::TfliteDouble;
  template <typename V> void visit(V &&v) { v("alpha", alpha), v("rounding", rounding); }
  bool operator==(const LeakyReluAttrs &) const = default;
};

/// Result dimension i is operand dimension perm[i].
struct TransposeAttrs {
  std::vector<int64_t> perm;
  template <typename V> void visit(V &&v) { v("perm", perm); }
  bool operator==(const TransposeAttrs &) const = default;
};

/// concat, gather.
struct AxisAttrs {
  int64_t axis = 0; ///< non-negative
  template <typename V> void visit(V &&v) { v("axis", axis); }
  bool operator==(const AxisAttrs &) const = default;
};

/// Result element i of a dimension is operand element begin + i * stride. One entry a dimension;
/// begin is in range, stride may be negative; sizes are those of the result type.
struct SliceAttrs {
  std::vector<int64_t> begin;
  std::vector<int64_t> stride;
  template <typename V> void visit(V &&v) { v("begin", begin), v("stride", stride); }
  bool operator==(const SliceAttrs &) const = default;
};

struct PadAttrs {
  std::vector<int64_t> before, after; ///< one entry a dimension, non-negative
  double value = 0;                   ///< stored units for integer tensors
  template <typename V> void visit(V &&v) { v("before", before), v("after", after), v("value", value); }
  bool operator==(const PadAttrs &) const = default;
};

/// y = scale * (x - mean) / sqrt(variance + epsilon) + bias along dimension `axis`.
struct BatchNormAttrs {
  float epsilon = 1e-5f;
  int64_t axis = -1; ///< negative: from the end
  template <typename V> void visit(V &&v) { v("epsilon", epsilon), v("axis", axis); }
  bool operator==(const BatchNormAttrs &) const = default;
};

using Attributes =
    std::variant<NoAttrs, ConvAttrs, PoolAttrs, RoundingAttrs, ReduceAttrs, SoftmaxAttrs, ClampAttrs,
                 LeakyReluAttrs, TransposeAttrs, AxisAttrs, SliceAttrs, PadAttrs, BatchNormAttrs>;

} // namespace mfc
#endif
