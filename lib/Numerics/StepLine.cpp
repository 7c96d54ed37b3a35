#include "mfc/Numerics/StepLine.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace mfc;

std::vector<Step> mfc::findSteps(const StepFunction &f) {
  std::vector<Step> steps;
  int64_t below = f.least; // f(below) < value
  int32_t first = f.value(f.least), last = f.value(f.most);
  int64_t distance = f.slope > 1e-9 ? static_cast<int64_t>(1 / f.slope) : 0;
  for (int32_t value = first + 1; value <= last; ++value) {
    if (!steps.empty() && f.value(steps.back().first) >= value) { // several values at once
      steps.push_back({steps.back().first, value});
      continue;
    }
    int64_t above = f.most;
    int64_t guess = (steps.empty() ? below : steps.back().first) + distance;
    auto narrow = [&](int64_t x) {
      if (x > below && x < above)
        (f.value(x) >= value ? above : below) = x;
    };
    narrow(guess + 2);
    narrow(guess - 2);
    while (above - below > 1)
      narrow(below + (above - below) / 2);
    steps.push_back({above, value});
    below = above - 1;
  }
  return steps;
}

int mfc::largestLineShift(double slope, int scaleBits) {
  constexpr int kMost = kMostLineShift;
  int shift = kMost;
  while (shift >= 0 && std::ldexp(slope, 32 + shift - scaleBits) > double(INT32_MAX - 16))
    --shift;
  return shift;
}

namespace {
/// Which values of offset * multiplier + addend * 2^32 take every step where it belongs: [least, end).
struct Interval {
  int64_t least = std::numeric_limits<int64_t>::min(), end = std::numeric_limits<int64_t>::max();
};

class LineSearch {
public:
  LineSearch(const StepFunction &f, const std::vector<Step> &steps, LineForm form) : f(f), steps(steps), form(form) {}

  std::optional<StepLine> tryMultiplier(int64_t multiplier) {
    if (multiplier < 1 || multiplier > INT32_MAX)
      return std::nullopt;
    Interval fits = interval(multiplier);
    if (fits.least >= fits.end)
      return std::nullopt;
    // Addends of different sizes leave different fractions of a step over for the offset.
    constexpr int64_t kTries = 1 << 15;
    int64_t centre = form.addend ? fits.least >> 32 : 0;
    for (int64_t i = 0; i < (form.addend ? kTries : 1); ++i) {
      int64_t addend = centre + (i % 2 ? -(i + 1) / 2 : i / 2);
      if (std::abs(addend) >= int64_t(1) << 29)
        continue;
      int64_t offset = ceilDivide(fits.least - (addend << 32), multiplier);
      if (offset * multiplier + (addend << 32) < fits.end && sumsFit(offset))
        return StepLine{static_cast<int32_t>(multiplier), static_cast<int32_t>(offset), static_cast<int32_t>(addend)};
    }
    return std::nullopt;
  }

  /// Products of the search fit 64 bits.
  bool rangeFits() const { return fits(scaled(f.least)) && fits(scaled(f.most)); }

private:
  static constexpr int64_t ceilDivide(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }
  static bool fits(int64_t x) { return x >= INT32_MIN && x <= INT32_MAX; }
  int64_t scaled(int64_t x) const { return x * (int64_t(1) << form.scaleBits); }
  bool sumsFit(int64_t offset) const {
    return fits(offset) && fits(scaled(f.least) + offset) && fits(scaled(f.most) + offset);
  }

  Interval interval(int64_t multiplier) const {
    Interval result;
    auto distance = [&](int64_t x, int64_t value) {
      return value * (int64_t(1) << (32 + form.shift)) - scaled(x) * multiplier;
    };
    auto atLeast = [&](int64_t x, int64_t value) { result.least = std::max(result.least, distance(x, value)); };
    auto below = [&](int64_t x, int64_t value) { result.end = std::min(result.end, distance(x, value)); };
    for (const Step &step : steps) {
      atLeast(step.first, step.value);
      below(step.first - 1, step.value);
    }
    // Saturation hides what the line does beyond the ends.
    int32_t first = f.value(f.least), last = f.value(f.most);
    if (first > f.lo)
      atLeast(f.least, first);
    if (last < f.hi)
      below(f.most, last + 1);
    if (result.least == kNone.least)
      result.least = result.end == kNone.end ? 0 : result.end - scaled(multiplier);
    if (result.end == kNone.end)
      result.end = result.least + scaled(multiplier);
    return result;
  }

  static constexpr Interval kNone{};

  const StepFunction &f;
  const std::vector<Step> &steps;
  LineForm form;
};
} // namespace

std::optional<StepLine> mfc::fitLine(const StepFunction &f, const std::vector<Step> &steps, LineForm form) {
  assert(form.shift >= 0 && form.shift <= kMostLineShift && std::abs(f.lo) <= 256 && std::abs(f.hi) <= 256 && "64 bits are enough");
  LineSearch search(f, steps, form);
  if (!search.rangeFits())
    return std::nullopt;
  auto nearest = static_cast<int64_t>(std::llround(std::ldexp(f.slope, 32 + form.shift - form.scaleBits)));
  nearest = std::max<int64_t>(nearest, 1);
  for (int64_t distance : {0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987})
    for (int64_t sign : {1, -1})
      if (std::optional<StepLine> line = search.tryMultiplier(nearest + sign * distance))
        return line;
  return std::nullopt;
}
