// The integer parameters that an operator's quantized types imply, computed in one place. The reference interpreter
// evaluates with them and Lowering emits code from them, so both see the same numbers; apply() is the meaning of
// each form for one element.
//
// Sources: TensorFlow Lite Micro kernels (conv_common, fully_connected_common, add_common, sub_common, mul_common, leaky_relu_common,
// softmax_common, logistic_common, tanh, quantize_common, reduce) for the TFLite roundings; ONNX operators of quantized
// networks as dequantize -> operator -> quantize for HalfEven. docs/numerics.md has the whole story.
#ifndef MFC_OPS_QUANTIZEDFORMS_H
#define MFC_OPS_QUANTIZEDFORMS_H

#include "mfc/IR/Attributes.h"
#include "mfc/IR/Type.h"
#include "mfc/Numerics/Requantize.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace mfc {

class Operation;

/// x * multiplier by the rule's function of Numerics/Requantize.h.
int32_t multiplyRounded(int64_t x, FixedMultiplier multiplier, Rounding rounding);

/// The stored range and zero point that a result is brought to: saturate(x + zeroPoint).
struct StoredRange {
  int32_t zeroPoint = 0;
  int32_t min = 0; ///< of the element type
  int32_t max = 0;
  int32_t store(int64_t x) const {
    return static_cast<int32_t>(std::clamp<int64_t>(x + zeroPoint, min, max));
  }
};
/// Of a per-tensor quantized type.
StoredRange storedRange(const TensorType &type);

/// out = store(acc * multiplier). The accumulator is, by operator:
///   conv2d, depthwise_conv2d, dense: sum of (x - inputZeroPoint) * w, plus bias
///   reduce_mean:                     sum of (x - inputZeroPoint)
///   requantize, neg, abs:            x - inputZeroPoint, its negation, its absolute value
///   mul:                             see MulForm
struct RequantForm {
  std::vector<FixedMultiplier> multipliers; ///< one, or one per output channel
  int32_t inputZeroPoint = 0;
  StoredRange out;
  Rounding rounding = Rounding::TfliteDouble;

  FixedMultiplier multiplier(size_t channel) const { return multipliers[multipliers.size() == 1 ? 0 : channel]; }
  int32_t apply(int64_t acc, size_t channel = 0) const {
    return out.store(multiplyRounded(acc, multiplier(channel), rounding));
  }
};
RequantForm requantForm(const Operation &op);

/// add and sub.
/// TFLite roundings: both inputs are shifted left, scaled to twice the larger input scale, added (or subtracted), and
/// scaled to the result:
///   t1 = ((a - zeroPoint1) << leftShift) * input1, t2 likewise
///   out = store((subtract ? t1 - t2 : t1 + t2) * output)
/// HalfEven: two integer factors with one common shift and a single rounding:
///   out = store(roundHalfEven(((a - zeroPoint1) * F1 + (b - zeroPoint2) * F2) / 2^(shift + lowBits)))
///   FK = round(scaleK / scaleOut * 2^(shift + lowBits)) = factorK * 2^lowBits + lowK, negative for the subtrahend
/// For 8-bit types lowBits is 10 and everything fits 32 bits: with hi and lo the sums over factorK and lowK,
///   t = hi + (lo >> lowBits), out = (t + 2^(shift - 1) - 1 + (bit `shift` of t, or 1 if lo has a bit below lowBits)) >> shift
/// shift is the largest (1 to 30) for which |t| + 2^(shift - 1) stays inside int32. 16-bit types take one 64-bit sum
/// (`wide`, lowBits 0, sum inside 47 bits).
struct AddForm {
  Rounding rounding = Rounding::TfliteDouble;
  int32_t zeroPoint1 = 0, zeroPoint2 = 0;
  StoredRange out;
  // TFLite roundings
  bool subtract = false;
  int leftShift = 0; ///< 20, or 15 for 16-bit types
  FixedMultiplier input1, input2, output;
  // HalfEven
  int32_t factor1 = 0, factor2 = 0;
  int32_t low1 = 0, low2 = 0; ///< in [0, 2^lowBits)
  int lowBits = 0;
  int shift = 1;
  bool wide = false; ///< the sum needs more than 32 bits

  int32_t apply(int32_t a, int32_t b) const;
};
AddForm addForm(const Operation &op);

/// mul: acc = (a - zeroPoint1) * (b - zeroPoint2), then requant (whose inputZeroPoint is unused).
struct MulForm {
  int32_t zeroPoint1 = 0, zeroPoint2 = 0;
  RequantForm requant;

  int32_t apply(int32_t a, int32_t b) const {
    return requant.apply(int64_t(a - zeroPoint1) * (b - zeroPoint2));
  }
};
MulForm mulForm(const Operation &op);

/// avg_pool2d over `count` elements (those inside the input, or the whole window with count_include_pad).
/// TFLite roundings (divides): input and result have the same quantization;
///   out = clamp(sum of stored values / count, rounded half away from zero). Padding counted in count adds the zero point.
/// HalfEven: out = store(roundHalfEven((sum - count * inputZeroPoint) * multiplier of this count)), the multiplier being
///   scaleIn / (scaleOut * count). Padding counted in count adds the zero point to the sum.
struct PoolForm {
  bool divides = true;
  int32_t inputZeroPoint = 0;
  StoredRange out; ///< TFLite roundings: only min and max are used
  /// Every count that occurs, ascending, with its multiplier (zero where `divides`).
  std::vector<std::pair<int64_t, FixedMultiplier>> counts;

  FixedMultiplier multiplier(int64_t count) const;
  int32_t apply(int32_t sum, int64_t count) const;
};
PoolForm poolForm(const Operation &op);

/// softmax of 8-bit types. With d = (largest of the row) - q, in [0, 255]:
///   sum = sum over the row of roundingDivideByPOT(expTable[d], 12)     (Q12.19)
///   r = fixedReciprocal(sum, 12)                                       (Numerics/FixedPoint.h)
///   p = saturatingRoundingDoublingHighMul(r.value, expTable[d])        (probability * 2^(31 + r.bitsOverUnit))
/// and then
///   tfliteOutput: out = clamp(roundingDivideByPOT(p, 23 + r.bitsOverUnit) - 128), 0 - 128 if that shift exceeds 31 or expTable[d] is 0
///   else:         out = store(multiplyRounded(p, {output.value, output.shift - r.bitsOverUnit}))
/// tfliteOutput is chosen where TFLite's kernel is defined (i8 result with scale 1/256 and zero point -128, not HalfEven); its
/// table is gemmlowp's exp with values below the kernel's diff_min set to 0. Otherwise the table is exp to nearest and output is
/// 2^-31 / scaleOut.
struct SoftmaxForm {
  std::array<int32_t, 256> expTable{}; ///< Q0.31 of exp(-d * beta * scaleIn), non-increasing, first entry 2^31 - 1
  bool tfliteOutput = true;
  FixedMultiplier output;
  Rounding rounding = Rounding::TfliteDouble;
  StoredRange out;

  /// Part of one element in the sum.
  int32_t addend(int32_t d) const { return roundingDivideByPOT(expTable[static_cast<size_t>(d)], 12); }
  int32_t apply(int32_t d, int32_t reciprocalValue, int bitsOverUnit) const;
};
SoftmaxForm softmaxForm(const Operation &op);
/// Longest row for which the sum cannot overflow (each addend is at most 2^19).
constexpr int64_t kSoftmaxLongestRow = 4095;

/// leaky_relu: out = store((x - zeroPoint) * (x >= zeroPoint ? identity : alpha)); alpha's value carries its sign.
struct LeakyReluForm {
  Rounding rounding = Rounding::TfliteDouble;
  int32_t inputZeroPoint = 0;
  StoredRange out;
  FixedMultiplier identity, alpha;

  int32_t apply(int32_t x) const {
    x -= inputZeroPoint;
    return out.store(multiplyRounded(x, x >= 0 ? identity : alpha, rounding));
  }
};
LeakyReluForm leakyReluForm(const Operation &op);

/// float to stored: rounded(x / scale) + zero point, saturated; one float division. HalfEven rounds ties to even, the
/// TFLite roundings away from zero. NaN gives the zero point.
int32_t quantizeReal(float x, float scale, StoredRange out, Rounding rounding);
/// stored to float: scale * (q - zeroPoint), the product of a double rounded once (for 8 and 16 bits that is a float product).
float dequantizeStored(int64_t q, float scale, int32_t zeroPoint);

/// True if the operation has one quantized 8-bit operand and an 8-bit result, so that 256 entries say everything.
bool hasUnaryTable(const Operation &op);
/// The stored result for every stored operand of requantize, clamp, leaky_relu, logistic, tanh, neg and abs on 8-bit types.
/// Indexed by the operand's bits (static_cast<uint8_t>(q)); entries are the result's bits.
std::array<int8_t, 256> unaryTable(const Operation &op);

} // namespace mfc
#endif
