// See the header for sources. Every product is a saturating rounding doubling high multiply: Qa.n * Qb.m has a + b
// integer bits.
#include "mfc/Numerics/FixedPoint.h"

#include "mfc/Numerics/Requantize.h"
#include <cassert>
#include <limits>

using namespace mfc;

static constexpr int32_t kLargest = std::numeric_limits<int32_t>::max(); // also "one" in Q0.31

static int32_t mulHigh(int32_t a, int32_t b) { return saturatingRoundingDoublingHighMul(a, b); }

static int32_t wrap(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

/// x * 2^exponent; saturates when |x| >= 2^(31 - exponent).
static int32_t saturatingShiftLeft(int32_t x, int exponent) {
  int32_t threshold = static_cast<int32_t>((int64_t(1) << (31 - exponent)) - 1);
  if (x > threshold)
    return kLargest;
  if (x < -threshold)
    return std::numeric_limits<int32_t>::min();
  return wrap(int64_t(x) << exponent);
}

/// exp(a) for a in [-1/4, 0), Q0.31: Taylor series of degree 4 around -1/8.
static int32_t expOfLastQuarter(int32_t a) {
  constexpr int32_t expOfMinusEighth = 1895147668; // exp(-1/8) * 2^31
  constexpr int32_t third = 715827883;             // 1/3 * 2^31
  int32_t x = a + (1 << 28);
  int32_t x2 = mulHigh(x, x);
  int32_t x3 = mulHigh(x2, x);
  int32_t x4 = mulHigh(x2, x2);
  int32_t inner = mulHigh(roundingDivideByPOT(x4, 2) + x3, third);
  int32_t tail = roundingDivideByPOT(inner + x2, 1); // x^4/24 + x^3/6 + x^2/2
  return expOfMinusEighth + mulHigh(expOfMinusEighth, x + tail);
}

int32_t mfc::fixedExpOfNegative(int32_t x, int integerBits) {
  assert(x <= 0 && integerBits >= 2 && integerBits <= 5);
  if (x == 0)
    return kLargest;
  // exp(-2^k) * 2^31 for k = -2 .. 4
  static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  int fractionBits = 31 - integerBits;
  int32_t quarter = int32_t(1) << (fractionBits - 2);
  int32_t withinQuarter = (x & (quarter - 1)) - quarter; // in [-1/4, 0)
  int32_t result = expOfLastQuarter(saturatingShiftLeft(withinQuarter, integerBits));
  int32_t remainder = wrap(int64_t(withinQuarter) - x); // a sum of powers of two from 1/4 up
  for (int k = -2; k < integerBits; ++k)
    if (remainder & (int32_t(1) << (fractionBits + k)))
      result = mulHigh(result, factors[k + 2]);
  return result;
}

/// Newton's iteration for 2 / (1 + x), Q2.29, x in [0, 1) as Q0.31.
static int32_t twoOverOnePlus(int32_t x) {
  constexpr int32_t c48over17 = 1515870810, minus32over17 = -1010580540; // Q2.29
  constexpr int32_t one = int32_t(1) << 29;
  int32_t halfDenominator = static_cast<int32_t>((int64_t(x) + kLargest + 1) / 2); // (1 + x) / 2, Q0.31
  int32_t y = c48over17 + mulHigh(halfDenominator, minus32over17);
  for (int step = 0; step < 3; ++step) {
    int32_t residual = one - mulHigh(halfDenominator, y);
    y += saturatingShiftLeft(mulHigh(y, residual), 2); // the product of two Q2.29 is Q4.27
  }
  return y;
}

int32_t mfc::fixedOneOverOnePlus(int32_t x) {
  return saturatingShiftLeft(twoOverOnePlus(x), 1); // halved (Q1.30 by reading), then to Q0.31
}

int32_t mfc::fixedLogistic(int32_t x, int integerBits) {
  if (x == 0)
    return int32_t(1) << 30;
  int32_t negative = x > 0 ? -x : x;
  int32_t positiveResult = fixedOneOverOnePlus(fixedExpOfNegative(negative, integerBits));
  return x > 0 ? positiveResult : kLargest - positiveResult;
}

int32_t mfc::fixedTanh(int32_t x, int integerBits) {
  if (x == 0)
    return 0;
  int32_t negative = x > 0 ? -x : x;
  // (1 - e) / (1 + e) = 2 / (1 + e) - 1 with e = exp(-2|x|): the same raw number with one more integer bit
  int32_t e = fixedExpOfNegative(negative, integerBits + 1);
  int32_t result = saturatingShiftLeft(twoOverOnePlus(e) - (int32_t(1) << 29), 2);
  return x > 0 ? result : -result;
}

FixedReciprocal mfc::fixedReciprocal(int32_t x, int integerBits) {
  assert(x > 0);
  int headroom = __builtin_clz(static_cast<uint32_t>(x));
  // Shifted so that the top bit is set it reads as 1 + fraction; drop the 1.
  auto fraction = static_cast<int32_t>((static_cast<uint32_t>(x) << headroom) - (uint32_t(1) << 31));
  return {fixedOneOverOnePlus(fraction), integerBits - headroom};
}

int64_t mfc::shiftRightHalfEven(int64_t x, int shift) {
  if (shift == 0)
    return x;
  int64_t floor = x >> shift;
  int64_t rest = x - floor * (int64_t(1) << shift);
  int64_t half = int64_t(1) << (shift - 1);
  return floor + (rest > half || (rest == half && (floor & 1)) ? 1 : 0);
}
