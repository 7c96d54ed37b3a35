// An element-wise function of two 8-bit values that rises (or falls) evenly with both, as one weighted sum and a shift:
// found and proved by trying all pairs of values.
#ifndef MFC_NUMERICS_SUMLINE_H
#define MFC_NUMERICS_SUMLINE_H

#include <cstdint>
#include <functional>
#include <optional>

namespace mfc {

/// A function of stored values a and b, saturated to [lo, hi].
struct PairFunction {
  std::function<int32_t(int32_t, int32_t)> value;
  double slopeA = 0, slopeB = 0; ///< how much it rises with a and b where it does not saturate; only hints
  int32_t leastA = 0, mostA = 0, leastB = 0, mostB = 0;
  int32_t lo = 0, hi = 0;
};

/// value(a, b) == clamp((a * factorA + b * factorB + addend) >> shift, lo, hi), every sum inside 32 bits.
struct SumLine {
  int32_t factorA = 0, factorB = 0, addend = 0;
  int shift = 0;
};

/// One that equals f for all pairs, or nothing.
std::optional<SumLine> fitSumLine(const PairFunction &f);

} // namespace mfc
#endif
