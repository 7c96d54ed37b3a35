// Fixed-point functions of TFLite's integer kernels: exp, logistic, tanh and the reciprocal of softmax.
//
// Qm.n: an int32 with m integer bits, n = 31 - m fraction bits and a sign; real = raw / 2^n. Results are bit for bit those of
// gemmlowp fixedpoint/fixedpoint.h (exp_on_negative_values, logistic, tanh, one_over_one_plus_x_for_x_in_0_1) and of
// GetReciprocal in TensorFlow Lite kernels/internal/common.h.
#ifndef MFC_NUMERICS_FIXEDPOINT_H
#define MFC_NUMERICS_FIXEDPOINT_H

#include <cstdint>

namespace mfc {

/// exp(x) as Q0.31 for x <= 0 given with `integerBits` (2 to 5) integer bits; exp(0) is 2^31 - 1.
int32_t fixedExpOfNegative(int32_t x, int integerBits);

/// 1 / (1 + x) for x in [0, 1), both Q0.31: three Newton steps from 48/17 - 32/17 d.
int32_t fixedOneOverOnePlus(int32_t x);

/// 1 / (1 + exp(-x)) as Q0.31, x with `integerBits` integer bits (at most 5).
int32_t fixedLogistic(int32_t x, int integerBits);

/// tanh(x) as Q0.31, x with `integerBits` integer bits (at most 4).
int32_t fixedTanh(int32_t x, int integerBits);

/// 1 / x for x >= 1 with `integerBits` integer bits: real = value * 2^-31 * 2^-bitsOverUnit.
struct FixedReciprocal {
  int32_t value = 0;    ///< Q0.31, in (2^30, 2^31)
  int bitsOverUnit = 0; ///< floor(log2(x))
};
FixedReciprocal fixedReciprocal(int32_t x, int integerBits);

/// x / 2^shift rounded to nearest, ties to even; 0 <= shift <= 62.
int64_t shiftRightHalfEven(int64_t x, int shift);

} // namespace mfc
#endif
