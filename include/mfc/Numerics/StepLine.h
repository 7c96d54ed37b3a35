// Requantization with saturation has few results, so it is a function with few steps, and one multiplication that takes
// every step at the same place is the same function: no second rounding, no rounding constant, no zero point.
//
// Whether such a line exists is decided by looking at every step: a proof by exhaustion, for one channel in microseconds.
#ifndef MFC_NUMERICS_STEPLINE_H
#define MFC_NUMERICS_STEPLINE_H

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace mfc {

/// A function of the integers in [least, most] that never falls, saturated to [lo, hi].
struct StepFunction {
  std::function<int32_t(int64_t)> value;
  double slope = 0; ///< how much it rises for 1 where it does not saturate; only a hint
  int64_t least = 0, most = 0;
  int32_t lo = 0, hi = 0;
};

/// value(x) >= `value` from x = first on.
struct Step {
  int64_t first;
  int32_t value;
};

/// All steps inside (least, most], ascending.
std::vector<Step> findSteps(const StepFunction &f);

constexpr int kMostLineShift = 20;

/// The shape of a line. With high(a) = floor(a / 2^32):
///   value(x) == clamp((high((2^scaleBits * x + offset) * multiplier) + addend) >> shift, lo, hi)
struct LineForm {
  int scaleBits = 0;
  int shift = 0;       ///< 0 to kMostLineShift
  bool addend = false; ///< whether an addend may be used
};

/// The largest shift for which multipliers of lines up to this slope fit 31 bits; negative: none does.
int largestLineShift(double slope, int scaleBits);

struct StepLine {
  int32_t multiplier = 0, offset = 0, addend = 0;
};

/// A line that equals f for every x in its range, without any overflow of 32 bits, or nothing.
std::optional<StepLine> fitLine(const StepFunction &f, const std::vector<Step> &steps, LineForm form);

} // namespace mfc
#endif
