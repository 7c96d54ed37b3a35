// Requantization: one definition of every rounding rule. The interpreter calls these functions; Lowering
// emits IR that is tested against them bit for bit.
//
// Sources: gemmlowp fixedpoint/fixedpoint.h (SaturatingRoundingDoublingHighMul, RoundingDivideByPOT), TensorFlow Lite
// kernels/internal/common.h (MultiplyByQuantizedMultiplier) and quantization_util.cc (QuantizeMultiplier); ONNX
// QuantizeLinear (round half to even).
#ifndef MFC_NUMERICS_REQUANTIZE_H
#define MFC_NUMERICS_REQUANTIZE_H

#include <cstdint>

namespace mfc {

/// real = value * 2^-31 * 2^shift; value in [2^30, 2^31) or 0; shift > 0 shifts left.
struct FixedMultiplier {
  int32_t value = 0;
  int shift = 0;
  bool operator==(const FixedMultiplier &) const = default;
};

/// The nearest FixedMultiplier, as TFLite's QuantizeMultiplier: round half away from zero, values below 2^-31 flush
/// to zero, shifts above 30 saturate to INT32_MAX at 30. real >= 0 and finite.
FixedMultiplier quantizeMultiplier(double real);

/// round(a * b / 2^31), ties toward plus infinity as gemmlowp does it, saturated (only INT32_MIN squared needs it).
int32_t saturatingRoundingDoublingHighMul(int32_t a, int32_t b);

/// round(x / 2^exponent), ties away from zero; 0 <= exponent <= 31.
int32_t roundingDivideByPOT(int32_t x, int exponent);

/// x * multiplier with TFLite's two roundings. Left shifts wrap as TFLite's do; importers and
/// verifiers make sure that they do not overflow.
int32_t multiplyTfliteDouble(int32_t x, FixedMultiplier multiplier);
/// x * multiplier with one rounding, half up (TFLITE_SINGLE_ROUNDING).
int32_t multiplyTfliteSingle(int32_t x, FixedMultiplier multiplier);
/// x * multiplier with one rounding, ties to even.
int32_t multiplyHalfEven(int64_t x, FixedMultiplier multiplier);

/// Round to nearest, ties to even, as integer; saturates to int32. NaN gives 0.
int32_t roundHalfEven(double x);
/// Round to nearest, ties away from zero (std::round), saturating. NaN gives 0.
int32_t roundHalfAway(double x);

} // namespace mfc
#endif
