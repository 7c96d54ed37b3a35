// See the header for sources.
#include "mfc/Numerics/Requantize.h"

#include <cassert>
#include <cmath>
#include <limits>

using namespace mfc;

FixedMultiplier mfc::quantizeMultiplier(double real) {
  assert(real >= 0 && std::isfinite(real));
  if (real == 0)
    return {};
  int shift = 0;
  double fraction = std::frexp(real, &shift); // in [0.5, 1)
  int64_t value = static_cast<int64_t>(std::round(fraction * static_cast<double>(int64_t(1) << 31)));
  if (value == int64_t(1) << 31) {
    value /= 2;
    ++shift;
  }
  if (shift < -31)
    return {};
  if (shift > 30)
    return {std::numeric_limits<int32_t>::max(), 30};
  return {static_cast<int32_t>(value), shift};
}

int32_t mfc::saturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::max();
  int64_t product = int64_t(a) * b;
  int64_t nudge = product >= 0 ? int64_t(1) << 30 : 1 - (int64_t(1) << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t(1) << 31)); // truncates toward zero
}

int32_t mfc::roundingDivideByPOT(int32_t x, int exponent) {
  assert(exponent >= 0 && exponent <= 31);
  int64_t mask = (int64_t(1) << exponent) - 1;
  int64_t remainder = x & mask;
  int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return static_cast<int32_t>((int64_t(x) >> exponent) + (remainder > threshold ? 1 : 0));
}

static int32_t wrappingShiftLeft(int32_t x, int amount) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << amount);
}

int32_t mfc::multiplyTfliteDouble(int32_t x, FixedMultiplier m) {
  int left = m.shift > 0 ? m.shift : 0;
  int right = m.shift > 0 ? 0 : -m.shift;
  return roundingDivideByPOT(saturatingRoundingDoublingHighMul(wrappingShiftLeft(x, left), m.value), right);
}

static int32_t saturate32(__int128 x) {
  if (x > std::numeric_limits<int32_t>::max())
    return std::numeric_limits<int32_t>::max();
  if (x < std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(x);
}

int32_t mfc::multiplyTfliteSingle(int32_t x, FixedMultiplier m) {
  int shift = 31 - m.shift; // 1 .. 62
  return saturate32((__int128(x) * m.value + (__int128(1) << (shift - 1))) >> shift);
}

int32_t mfc::multiplyHalfEven(int64_t x, FixedMultiplier m) {
  int shift = 31 - m.shift;
  __int128 product = __int128(x) * m.value;
  __int128 floor = product >> shift;
  __int128 rest = product - (floor << shift);
  __int128 half = __int128(1) << (shift - 1);
  bool up = rest > half || (rest == half && (floor & 1) != 0);
  return saturate32(floor + (up ? 1 : 0));
}

static int32_t saturateDouble(double x) {
  if (std::isnan(x))
    return 0;
  if (x >= 2147483647.0)
    return std::numeric_limits<int32_t>::max();
  if (x <= -2147483648.0)
    return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(x);
}

int32_t mfc::roundHalfEven(double x) { return saturateDouble(std::nearbyint(x)); }

int32_t mfc::roundHalfAway(double x) { return saturateDouble(std::round(x)); }
