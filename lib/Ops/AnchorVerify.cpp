// Constraints of conv2d, depthwise_conv2d and dense, among them the proof that accumulators cannot overflow.
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>
#include <cstring>

using namespace mfc;

static bool anchorTypes(OpVerifier &v) {
  ElementType x = v.operand(0).element, w = v.operand(1).element, y = v.result().element;
  const Value *bias = v.op.operandOrNull(2);
  if (isFloat(x) && isFloat(w) && isFloat(y) && (!bias || isFloat(bias->type.element)) && v.nothingQuantized())
    return true;
  bool quantized = v.operand(0).isQuantized() && v.operand(1).isQuantized() && v.result().isQuantized();
  bool integers = x == ElementType::I8 && (w == ElementType::I8 || w == ElementType::I16) &&
                  (y == ElementType::I8 || y == ElementType::I16) && (!bias || bias->type.element == ElementType::I32);
  if (quantized && integers)
    return true;
  return v.unsupportedTypes("all f32, or quantized i8 input, quantized i8 or i16 weights, i32 bias and quantized i8 or "
                            "i16 result");
}

static bool anchorWeights(OpVerifier &v, int channelAxis) {
  const Value &weights = *v.op.operand(1);
  const Quantization &q = *weights.type.quant;
  bool ok = true;
  if (!q.isPerTensor() && q.axis != channelAxis)
    ok = v.bad(weights) << "weights have scales along dimension " << q.axis << ", wanted the output channels in dimension "
                        << channelAxis;
  for (size_t i = 0; i < q.zeroPoints.size(); ++i)
    if (q.zeroPoints[i] != 0) {
      ok = v.unsupported(weights) << "weights have zero point " << q.zeroPoints[i] << " in channel " << i
                                  << ", wanted 0";
      break;
    }
  return ok;
}

/// Bias scale against the product of input and weight scale: TFLite's converter computes the product in float, so
/// anything further apart than a few float roundings is another number.
static constexpr double kBiasScaleTolerance = 1e-5;

static bool anchorBiasScale(OpVerifier &v) {
  const Value *bias = v.op.operandOrNull(2);
  if (!bias || !bias->type.quant)
    return true;
  const Quantization &in = *v.operand(0).quant, &w = *v.operand(1).quant, &b = *bias->type.quant;
  size_t channels = std::max(w.scales.size(), b.scales.size());
  for (size_t c = 0; c < channels; ++c) {
    if (b.zeroPoint(c) != 0)
      return v.bad(*bias) << "bias has zero point " << b.zeroPoint(c) << " in channel " << c << ", wanted 0";
    double wanted = double(in.scale()) * double(w.scale(c)), found = b.scale(c);
    if (std::abs(found - wanted) > kBiasScaleTolerance * wanted)
      return v.bad(*bias) << "bias has scale " << found << " in channel " << c << ", wanted input scale times weight scale = "
                          << wanted;
  }
  return true;
}

namespace {
/// What an output channel's accumulator can reach.
struct ChannelBound {
  int64_t magnitude = 0; ///< sum of |w| * largest |x - zero point|, plus |bias|: any order of summation stays inside
  int64_t low = 0, high = 0; ///< the values that the full sum can take
};
} // namespace

static int64_t weightAt(llvm::ArrayRef<uint8_t> bytes, ElementType element, int64_t i) {
  if (element == ElementType::I8)
    return static_cast<int8_t>(bytes[static_cast<size_t>(i)]);
  int16_t w;
  std::memcpy(&w, bytes.data() + 2 * i, sizeof w);
  return w;
}

static std::vector<ChannelBound> channelBounds(OpVerifier &v, llvm::ArrayRef<uint8_t> weights,
                                               std::optional<llvm::ArrayRef<uint8_t>> bias, int channelAxis) {
  const TensorType &x = v.operand(0), &w = v.operand(1);
  int64_t least = elementMin(x.element) - x.quant->zeroPoint(), most = elementMax(x.element) - x.quant->zeroPoint();
  int64_t reach = std::max(most, -least);
  int64_t channels = w.dim(channelAxis), inner = 1;
  for (int64_t d = channelAxis + 1; d < w.rank(); ++d)
    inner *= w.dim(d);
  std::vector<ChannelBound> bounds(static_cast<size_t>(channels));
  for (int64_t i = 0, n = w.count(); i < n; ++i) {
    ChannelBound &b = bounds[static_cast<size_t>(i / inner % channels)];
    int64_t weight = weightAt(weights, w.element, i);
    b.magnitude += std::abs(weight) * reach;
    b.low += std::min(weight * least, weight * most);
    b.high += std::max(weight * least, weight * most);
  }
  for (size_t c = 0; bias && c < bounds.size(); ++c) {
    int32_t value;
    std::memcpy(&value, bias->data() + 4 * c, sizeof value);
    bounds[c].magnitude += std::abs(int64_t(value));
    bounds[c].low += value;
    bounds[c].high += value;
  }
  return bounds;
}

/// The contents of operand i; reports if it is not constant.
static std::optional<llvm::ArrayRef<uint8_t>> constantOperand(OpVerifier &v, size_t i, const char *what) {
  std::optional<llvm::ArrayRef<uint8_t>> bytes = v.constants(*v.op.operand(i));
  if (!bytes)
    v.unsupported(*v.op.operand(i)) << what << " must be constant";
  return bytes;
}

void mfc::verifyAnchor(OpVerifier &v, int channelAxis) {
  // anchor_c1: float throughout, or i8 activations with i8 or i16 weights and i32 bias.
  bool ok = anchorTypes(v);
  // anchor_c2: one bias value per output channel.
  int64_t channels = v.operand(1).dim(channelAxis);
  const Value *bias = v.op.operandOrNull(2);
  if (bias && bias->type.shape != Shape{channels})
    ok = v.bad(*bias) << "weights have " << channels << " output channels but bias has shape "
                      << shapeText(bias->type.shape);
  // anchor_c3: weights and bias are constant.
  std::optional<llvm::ArrayRef<uint8_t>> weightBytes = constantOperand(v, 1, "weights"), biasBytes;
  if (bias)
    biasBytes = constantOperand(v, 2, "bias");
  if (!ok || isFloat(v.operand(0).element))
    return;
  // anchor_c4: one scale for input and result; weights with one scale or one a channel, zero point 0.
  ok &= v.perTensor(*v.op.operand(0));
  ok &= v.perTensor(*v.op.result());
  ok &= anchorWeights(v, channelAxis);
  // anchor_c5: bias scale is input scale times weight scale, zero point 0.
  if (!ok || !anchorBiasScale(v) || !weightBytes || (bias && !biasBytes))
    return;
  // anchor_c6: no accumulator can leave 32 bits, whatever the input and the order of summation.
  // anchor_c7: nor can it where a TFLite rounding shifts it left.
  RequantForm form = requantForm(v.op);
  std::vector<ChannelBound> bounds = channelBounds(v, *weightBytes, biasBytes, channelAxis);
  for (size_t c = 0; c < bounds.size(); ++c) {
    const ChannelBound &b = bounds[c];
    if (b.magnitude > INT32_MAX) {
      v.bad(*v.op.operand(1)) << "accumulator of output channel " << c << " can reach " << b.magnitude
                              << ", wanted at most 2147483647";
      return;
    }
    double reach = static_cast<double>(std::max(b.high, -b.low));
    if (!v.leftShiftFits(form.multiplier(c).shift, reach, form.rounding))
      return;
  }
}
