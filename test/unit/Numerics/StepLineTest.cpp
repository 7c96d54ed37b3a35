// Lines are compared with the functions that they replace, for every integer of the range.
#include "mfc/Numerics/Requantize.h"
#include "mfc/Numerics/StepLine.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace mfc;

namespace {
struct Random {
  uint64_t state = 7;
  int64_t below(int64_t count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(count));
  }
};

StepFunction requantization(FixedMultiplier m, int32_t zeroPoint, int32_t lo, int32_t hi, int64_t least, int64_t most,
                            bool even) {
  auto value = [=](int64_t x) {
    int64_t y = even ? multiplyHalfEven(x, m) : multiplyTfliteDouble(static_cast<int32_t>(x), m);
    return static_cast<int32_t>(std::clamp<int64_t>(y + zeroPoint, lo, hi));
  };
  return {value, std::ldexp(m.value, m.shift - 31), least, most, lo, hi};
}

/// False if the line's value differs or any step of it leaves 32 bits.
bool lineIsRight(const StepLine &line, LineForm form, const StepFunction &f, int64_t x) {
  int64_t sum = (x << form.scaleBits) + line.offset, high = ((sum * line.multiplier) >> 32) + line.addend;
  return sum == static_cast<int32_t>(sum) && high == static_cast<int32_t>(high) &&
         std::clamp<int64_t>(high >> form.shift, f.lo, f.hi) == f.value(x);
}

/// Returns whether a line was found; one that was found must be right everywhere.
bool checkLine(const StepFunction &f, LineForm form) {
  std::optional<StepLine> line = fitLine(f, findSteps(f), form);
  if (!line)
    return false;
  CHECK((form.addend || line->addend == 0));
  bool same = true;
  for (int64_t x = f.least; x <= f.most && same; ++x)
    same = lineIsRight(*line, form, f, x);
  CHECK(same);
  return true;
}
} // namespace

TEST_CASE("steps are where the function rises") {
  auto value = [](int64_t x) { return static_cast<int32_t>(std::clamp<int64_t>(3 * (x / 5), -7, 11)); };
  for (double slope : {0.0, 0.1, 0.6, 3.0}) { // right or wrong, the slope is only a hint
    std::vector<Step> steps = findSteps({value, slope, -40, 40, -7, 11});
    REQUIRE(steps.size() == 18);
    for (size_t i = 0; i < steps.size(); ++i) {
      CHECK(steps[i].value == static_cast<int32_t>(i) - 6);
      CHECK(value(steps[i].first) >= steps[i].value);
      CHECK(value(steps[i].first - 1) < steps[i].value);
    }
  }
  CHECK(findSteps({[](int64_t) { return 4; }, 0, -10, 10, -128, 127}).empty());
}

TEST_CASE("a requantization that saturates at its zero point is a line") {
  Random random;
  int found[2] = {0, 0};
  constexpr int kCases = 60;
  for (int i = 0; i < kCases; ++i) {
    FixedMultiplier m{static_cast<int32_t>((int64_t(1) << 30) + random.below(int64_t(1) << 30)),
                      -static_cast<int>(1 + random.below(9))};
    int64_t reach = 1 << (9 - m.shift);
    int32_t zeroPoint = static_cast<int32_t>(random.below(200)) - 128;
    StepFunction f = requantization(m, zeroPoint, zeroPoint, 127, -reach - random.below(50), reach + random.below(99), i % 2);
    for (int scaleBits : {0, 8}) {
      LineForm form{scaleBits, std::min(largestLineShift(f.slope, scaleBits), kMostLineShift), scaleBits == 0};
      found[scaleBits / 8] += checkLine(f, form);
      form.shift -= 3; // of a channel whose neighbour has a larger multiplier
      if (form.shift >= 0)
        checkLine(f, form);
    }
  }
  CHECK(found[0] > kCases * 9 / 10);
  CHECK(found[1] > kCases * 9 / 10);
}

TEST_CASE("two roundings on both sides of zero are no line, and none is claimed") {
  Random random;
  int found = 0;
  for (int i = 0; i < 40; ++i) {
    FixedMultiplier m{static_cast<int32_t>((int64_t(1) << 30) + random.below(int64_t(1) << 30)),
                      -static_cast<int>(3 + random.below(6))};
    int64_t reach = 1 << (8 - m.shift);
    StepFunction f = requantization(m, 3, -128, 127, -reach, reach, false);
    found += checkLine(f, {8, largestLineShift(f.slope, 8), false});
  }
  CHECK(found < 40);
}

TEST_CASE("ranges without steps, and constants") {
  StepFunction zero = requantization({0, 0}, -5, -128, 127, -1000, 1000, false);
  CHECK(checkLine(zero, {0, 10, true}));
  StepFunction high = requantization({1 << 30, -2}, 0, -128, 127, 5000, 6000, false);
  CHECK(checkLine(high, {0, 1, true}));
  StepFunction fixed{[](int64_t) { return 9; }, 0, -3, 3, 9, 9};
  CHECK(checkLine(fixed, {0, 0, true}));
}

TEST_CASE("sums that do not fit 32 bits have no line") {
  StepFunction f = requantization({1 << 30, -22}, -128, -128, 127, -(int64_t(1) << 28), int64_t(1) << 28, false);
  CHECK_FALSE(fitLine(f, findSteps(f), {8, 10, true}));
}
