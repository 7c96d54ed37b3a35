// Fixed-point functions against the real ones, and their exact end points. That they are bit for bit TFLite's is what the
// models' goldens show.
#include "mfc/Numerics/FixedPoint.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace mfc;

static constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

static double real(int32_t raw, int integerBits) { return std::ldexp(raw, integerBits - 31); }

TEST_CASE("exp of negative numbers") {
  CHECK(fixedExpOfNegative(0, 5) == kMax);
  CHECK(fixedExpOfNegative(std::numeric_limits<int32_t>::min(), 5) == 0); // exp(-32) * 2^31 is 3e-5
  for (int bits = 2; bits <= 5; ++bits)
    for (int64_t x = std::numeric_limits<int32_t>::min(); x < 0; x += 1234567) {
      int32_t y = fixedExpOfNegative(static_cast<int32_t>(x), bits);
      INFO("x = " << real(static_cast<int32_t>(x), bits));
      CHECK(std::abs(real(y, 0) - std::exp(real(static_cast<int32_t>(x), bits))) < 2e-6);
    }
}

TEST_CASE("reciprocal of one plus a fraction") {
  for (int64_t x = 0; x <= kMax; x += 7654321) {
    double wanted = 1 / (1 + real(static_cast<int32_t>(x), 0));
    CHECK(std::abs(real(fixedOneOverOnePlus(static_cast<int32_t>(x)), 0) - wanted) < 1e-8);
  }
}

TEST_CASE("logistic and tanh") {
  CHECK(fixedLogistic(0, 4) == 1 << 30);
  CHECK(fixedTanh(0, 4) == 0);
  for (int64_t x = -int64_t(kMax); x <= kMax; x += 9876543) {
    auto raw = static_cast<int32_t>(x);
    double value = real(raw, 4);
    INFO("x = " << value);
    CHECK(std::abs(real(fixedLogistic(raw, 4), 0) - 1 / (1 + std::exp(-value))) < 2e-6);
    CHECK(std::abs(real(fixedTanh(raw, 4), 0) - std::tanh(value)) < 4e-6);
    CHECK(fixedTanh(-raw, 4) == -fixedTanh(raw, 4));
  }
}

TEST_CASE("reciprocal with its exponent") {
  for (int64_t x = 1 << 19; x <= kMax; x = x * 3 / 2 + 1) { // from 1.0 in Q12.19
    FixedReciprocal r = fixedReciprocal(static_cast<int32_t>(x), 12);
    double wanted = 1 / real(static_cast<int32_t>(x), 12);
    CHECK(std::abs(std::ldexp(r.value, -31 - r.bitsOverUnit) / wanted - 1) < 1e-8);
    CHECK(r.value >= 1 << 30);
  }
}

TEST_CASE("shift with ties to even") {
  CHECK(shiftRightHalfEven(5, 0) == 5);
  for (int64_t x = -40; x <= 40; ++x)
    for (int shift = 1; shift <= 4; ++shift)
      CHECK(shiftRightHalfEven(x, shift) == static_cast<int64_t>(std::nearbyint(std::ldexp(double(x), -shift))));
  CHECK(shiftRightHalfEven(int64_t(3) << 61, 62) == 2); // 1.5
}
