// Every line that is found is compared with its function for all pairs.
#include "mfc/Numerics/Requantize.h"
#include "mfc/Numerics/SumLine.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace mfc;

namespace {
bool equalsEverywhere(const SumLine &line, const PairFunction &f) {
  for (int64_t a = f.leastA; a <= f.mostA; ++a)
    for (int64_t b = f.leastB; b <= f.mostB; ++b) {
      int64_t sum = a * line.factorA + b * line.factorB + line.addend;
      if (sum != static_cast<int32_t>(sum) || std::abs(a * line.factorA) + std::abs(b * line.factorB) > INT32_MAX ||
          std::clamp<int64_t>(sum >> line.shift, f.lo, f.hi) != f.value(static_cast<int32_t>(a), static_cast<int32_t>(b)))
        return false;
    }
  return true;
}

/// TFLite's int8 addition (TensorFlow Lite kernels/internal/reference/add.h) with these scales over the result's.
PairFunction tfliteAdd(double scaleA, double scaleB, int32_t zeroA, int32_t zeroB, int32_t zeroOut) {
  double twice = 2 * std::max(scaleA, scaleB);
  FixedMultiplier ma = quantizeMultiplier(scaleA / twice), mb = quantizeMultiplier(scaleB / twice);
  FixedMultiplier mo = quantizeMultiplier(twice / (1 << 20));
  auto value = [=](int32_t a, int32_t b) {
    int32_t sum = multiplyTfliteDouble((a - zeroA) * (1 << 20), ma) + multiplyTfliteDouble((b - zeroB) * (1 << 20), mb);
    return std::clamp(multiplyTfliteDouble(sum, mo) + zeroOut, -128, 127);
  };
  return {value, scaleA, scaleB, -128, 127, -128, 127, -128, 127};
}
} // namespace

TEST_CASE("TFLite additions are weighted sums") {
  int found = 0, cases = 0;
  for (int i = 0; i < 24; ++i) {
    PairFunction f = tfliteAdd(0.3141593 + 0.0718282 * i, 1.2732395 - 0.0414214 * i, 5 * i - 60, 40 - 3 * i, i - 20);
    std::optional<SumLine> line = fitSumLine(f);
    ++cases, found += line.has_value();
    if (line)
      CHECK(equalsEverywhere(*line, f));
  }
  CHECK(found >= cases - 2);
}

TEST_CASE("functions that are no weighted sum have none") {
  PairFunction product{[](int32_t a, int32_t b) { return std::clamp(a * b / 16, -128, 127); }, 1, 1, -128, 127, -128, 127, -128,
                       127};
  CHECK_FALSE(fitSumLine(product));
  PairFunction steep{[](int32_t a, int32_t b) { return std::clamp(a * 900000, -128, 127); }, 900000, 0, -128, 127, 0, 0, -128, 127};
  CHECK_FALSE(fitSumLine(steep));
}

TEST_CASE("constants and one operand") {
  PairFunction constant{[](int32_t, int32_t) { return 127; }, 0, 0, -128, 127, -128, 127, -128, 127};
  std::optional<SumLine> line = fitSumLine(constant);
  REQUIRE(line);
  CHECK(equalsEverywhere(*line, constant));
  PairFunction half{[](int32_t a, int32_t) { return (a + 1) >> 1; }, 0.5, 0, -128, 127, 0, 0, -128, 127};
  line = fitSumLine(half);
  REQUIRE(line);
  CHECK(equalsEverywhere(*line, half));
}
