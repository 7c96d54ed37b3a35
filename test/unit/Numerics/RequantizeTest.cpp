// Rounding rules against independent formulations: exact rationals in 128-bit integers.
#include "mfc/Numerics/Requantize.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

using namespace mfc;

static constexpr int32_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();

static std::vector<int32_t> interestingNumbers() {
  std::vector<int32_t> list{kMin, kMin + 1, -65536, -257, -256, -3, -2, -1, 0, 1, 2, 3, 255, 256, 65535, kMax - 1, kMax};
  for (int bit = 2; bit < 31; ++bit)
    for (int64_t delta : {-1, 0, 1})
      for (int64_t sign : {-1, 1})
        list.push_back(static_cast<int32_t>(sign * ((int64_t(1) << bit) + delta)));
  uint64_t state = 99;
  for (int i = 0; i < 300; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    list.push_back(static_cast<int32_t>(state >> 32));
  }
  return list;
}

/// numerator / 2^shift, nearest; a tie goes where `tie` says.
enum class Tie { AwayFromZero, Up, Even };
static __int128 divided(__int128 numerator, int shift, Tie tie) {
  __int128 unit = __int128(1) << shift, floor = numerator >= 0 ? numerator / unit : -((-numerator + unit - 1) / unit);
  __int128 twiceRest = 2 * (numerator - floor * unit);
  if (twiceRest != unit)
    return floor + (twiceRest > unit ? 1 : 0);
  if (tie == Tie::Up)
    return floor + 1;
  if (tie == Tie::Even)
    return floor % 2 == 0 ? floor : floor + 1;
  return numerator > 0 ? floor + 1 : floor;
}

static int32_t saturated(__int128 x) {
  return static_cast<int32_t>(x > kMax ? __int128(kMax) : x < kMin ? __int128(kMin) : x);
}

TEST_CASE("doubling high multiply: nearest, ties up, saturated") {
  CHECK(saturatingRoundingDoublingHighMul(kMin, kMin) == kMax);
  CHECK(saturatingRoundingDoublingHighMul(1, 1 << 30) == 1);   // 0.5
  CHECK(saturatingRoundingDoublingHighMul(-1, 1 << 30) == 0);  // -0.5
  CHECK(saturatingRoundingDoublingHighMul(-3, 1 << 30) == -1); // -1.5
  std::vector<int32_t> numbers = interestingNumbers();
  for (int32_t a : numbers)
    for (int32_t b : numbers)
      if (saturatingRoundingDoublingHighMul(a, b) != saturated(divided(__int128(a) * b, 31, Tie::Up)))
        FAIL(a << " * " << b);
}

TEST_CASE("rounding shift: nearest, ties away from zero, all shifts") {
  for (int shift = 0; shift <= 31; ++shift)
    for (int32_t x : interestingNumbers()) {
      INFO(x << " >> " << shift);
      CHECK(roundingDivideByPOT(x, shift) == static_cast<int32_t>(divided(x, shift, Tie::AwayFromZero)));
    }
}

TEST_CASE("one rounding: half up and half to even, all shifts") {
  for (int shift = -31; shift <= 30; ++shift)
    for (int32_t value : {1 << 30, 1518500250, kMax})
      for (int32_t x : interestingNumbers()) {
        FixedMultiplier m{value, shift};
        __int128 product = __int128(x) * value;
        INFO(x << " * " << value << " * 2^" << shift);
        CHECK(multiplyTfliteSingle(x, m) == saturated(divided(product, 31 - shift, Tie::Up)));
        CHECK(multiplyHalfEven(x, m) == saturated(divided(product, 31 - shift, Tie::Even)));
      }
}

TEST_CASE("ties of the three rules") {
  FixedMultiplier half{1 << 30, 0}, eighth{1 << 30, -2};
  CHECK(multiplyHalfEven(1, half) == 0);
  CHECK(multiplyHalfEven(3, half) == 2);
  CHECK(multiplyHalfEven(-1, half) == 0);
  CHECK(multiplyHalfEven(-3, half) == -2);
  CHECK(multiplyTfliteSingle(1, half) == 1);
  CHECK(multiplyTfliteSingle(-1, half) == 0);
  CHECK(multiplyTfliteDouble(1, half) == 1);
  CHECK(multiplyTfliteDouble(-1, half) == 0);
  CHECK(multiplyTfliteDouble(3, eighth) == 1); // 3/8: first 1.5 to 2, then 2/4 away from zero
  CHECK(multiplyTfliteSingle(3, eighth) == 0);
  CHECK(multiplyHalfEven(3, eighth) == 0);
}

TEST_CASE("two roundings are the two functions in a row; left shifts wrap") {
  for (int32_t x : interestingNumbers())
    for (int shift : {-31, -7, -1, 0, 1, 5, 30}) {
      int32_t shifted = shift > 0 ? static_cast<int32_t>(static_cast<uint32_t>(x) << shift) : x;
      int32_t high = saturatingRoundingDoublingHighMul(shifted, 1518500250);
      CHECK(multiplyTfliteDouble(x, {1518500250, shift}) == roundingDivideByPOT(high, shift > 0 ? 0 : -shift));
    }
}

TEST_CASE("half to even takes 64-bit accumulators") {
  CHECK(multiplyHalfEven(int64_t(1) << 40, {1 << 30, -9}) == 1 << 30);
  CHECK(multiplyHalfEven(-(int64_t(1) << 40) + 512, {1 << 30, -9}) == -(1 << 30)); // the tie goes to the even neighbour
  CHECK(multiplyHalfEven(int64_t(1) << 60, {kMax, 30}) == kMax);
  CHECK(multiplyHalfEven(-(int64_t(1) << 60), {kMax, 30}) == kMin);
}

TEST_CASE("quantizeMultiplier is the nearest multiplier") {
  CHECK(quantizeMultiplier(0) == FixedMultiplier{0, 0});
  CHECK(quantizeMultiplier(1) == FixedMultiplier{1 << 30, 1});
  CHECK(quantizeMultiplier(0.5) == FixedMultiplier{1 << 30, 0});
  CHECK(quantizeMultiplier(0.75) == FixedMultiplier{3 << 29, 0});
  CHECK(quantizeMultiplier(std::nextafter(1., 0.)) == FixedMultiplier{1 << 30, 1}); // rounds up into the next power
  CHECK(quantizeMultiplier(std::ldexp(0.5, -31)) == FixedMultiplier{1 << 30, -31});
  CHECK(quantizeMultiplier(std::ldexp(0.5, -32)) == FixedMultiplier{0, 0}); // flushed
  CHECK(quantizeMultiplier(std::ldexp(0.5, 30)) == FixedMultiplier{1 << 30, 30});
  CHECK(quantizeMultiplier(std::ldexp(0.5, 31)) == FixedMultiplier{kMax, 30}); // saturated
  for (double real = 3e-9; real < 1e8; real *= 1.37) {
    FixedMultiplier m = quantizeMultiplier(real);
    CHECK(m.value >= 1 << 30);
    CHECK(std::abs(std::ldexp(m.value, m.shift - 31) / real - 1) <= std::ldexp(1., -31));
  }
}

TEST_CASE("rounding of doubles") {
  CHECK(roundHalfEven(0.5) == 0);
  CHECK(roundHalfEven(1.5) == 2);
  CHECK(roundHalfEven(-2.5) == -2);
  CHECK(roundHalfAway(0.5) == 1);
  CHECK(roundHalfAway(-2.5) == -3);
  for (auto round : {roundHalfEven, roundHalfAway}) {
    CHECK(round(1e300) == kMax);
    CHECK(round(-1e300) == kMin);
    CHECK(round(INFINITY) == kMax);
    CHECK(round(NAN) == 0);
    CHECK(round(2147483646.5) >= kMax - 1);
    CHECK(round(-2147483648.0) == kMin);
  }
}
