#include "mfc/Numerics/SumLine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

using namespace mfc;

namespace {
class SumLineSearch {
public:
  explicit SumLineSearch(const PairFunction &f) : f(f) {
    for (int32_t a = f.leastA; a <= f.mostA; ++a)
      for (int32_t b = f.leastB; b <= f.mostB; ++b)
        values.push_back(f.value(a, b));
  }

  /// For fixed factors the addends that fit are an interval, which every pair narrows.
  std::optional<SumLine> tryFactors(int64_t factorA, int64_t factorB, int shift) const {
    int64_t least = std::numeric_limits<int64_t>::min(), end = std::numeric_limits<int64_t>::max();
    const int32_t *value = values.data();
    for (int64_t a = f.leastA; a <= f.mostA; ++a) {
      for (int64_t b = f.leastB; b <= f.mostB; ++b, ++value) {
        int64_t sum = a * factorA + b * factorB, unit = int64_t(1) << shift;
        if (*value > f.lo)
          least = std::max(least, *value * unit - sum);
        if (*value < f.hi)
          end = std::min(end, (*value + 1) * unit - sum);
      }
      if (least >= end)
        return std::nullopt;
    }
    if (least == std::numeric_limits<int64_t>::min())
      least = end - 1;
    if (least == std::numeric_limits<int64_t>::max() - 1 || !sumsFit(factorA, factorB, least))
      return std::nullopt;
    return SumLine{static_cast<int32_t>(factorA), static_cast<int32_t>(factorB), static_cast<int32_t>(least), shift};
  }

private:
  static int64_t reach(int32_t least, int32_t most) { return std::max(std::abs(int64_t(least)), std::abs(int64_t(most))); }

  /// In whatever order the three are added.
  bool sumsFit(int64_t factorA, int64_t factorB, int64_t addend) const {
    return std::abs(factorA) * reach(f.leastA, f.mostA) + std::abs(factorB) * reach(f.leastB, f.mostB) +
               std::abs(addend) <=
           INT32_MAX;
  }

  const PairFunction &f;
  std::vector<int32_t> values; ///< by a, then b
};
} // namespace

std::optional<SumLine> mfc::fitSumLine(const PairFunction &f) {
  SumLineSearch search(f);
  constexpr int kLargestShift = 24, kSmallestShift = 16;
  for (int shift = kLargestShift; shift >= kSmallestShift; --shift) {
    double a = std::ldexp(f.slopeA, shift), b = std::ldexp(f.slopeB, shift);
    if (std::max(std::abs(a), std::abs(b)) > double(INT32_MAX / 256))
      continue;
    for (int64_t da : {0, 1, -1})
      for (int64_t db : {0, 1, -1})
        if (std::optional<SumLine> line = search.tryFactors(std::llround(a) + da, std::llround(b) + db, shift))
          return line;
  }
  return std::nullopt;
}
