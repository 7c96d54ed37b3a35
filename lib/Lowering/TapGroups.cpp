// See the header.
#include "TapGroups.h"

#include "GemmShape.h"
#include "mfc/IR/Tensor.h"

#include <algorithm>
#include <cstdlib>

using namespace mfc;

namespace {
/// Puts taps into groups so that no channel's sum of |w| in a group exceeds kMost: the first partition that a bounded
/// search with one more group each time finds.
class TapPartition {
public:
  explicit TapPartition(const Operation &op) {
    const TensorType &type = op.operand(1)->type;
    Tensor tensor(type, op.operand(1)->bytes());
    channels = type.dim(-1), taps = type.count() / channels;
    for (int64_t i = 0; i < type.count(); ++i)
      weights.push_back(static_cast<int32_t>(std::abs(tensor.getInteger(i))));
  }

  /// Many taps are not searched, and their groups are equal, short and in order, so that they are one small loop.
  TapGroups find() {
    if (taps > kMostSearched)
      return equalGroups();
    for (int64_t count = 1; count < taps; ++count) {
      sums.assign(static_cast<size_t>(count * channels), 0);
      groupOf.assign(static_cast<size_t>(taps), 0);
      steps = 0;
      if (place(0, count, 0))
        return result(count);
    }
    groupOf.clear(); // one tap a group always fits
    for (int64_t tap = 0; tap < taps; ++tap)
      groupOf.push_back(tap);
    return result(taps);
  }

private:
  static constexpr int32_t kMost = kMostWeightSum;
  static constexpr int kMostSteps = 20000;
  static constexpr int64_t kMostSearched = 9, kLongestEqual = 4;

  TapGroups equalGroups() const {
    int64_t length = kLongestEqual;
    while (length > 1 && !fitInOrder(length))
      --length;
    TapGroups groups;
    for (int64_t tap = 0; tap < taps; ++tap)
      groups.slots.push_back(tap);
    for (int64_t first = 0; first < taps; first += length)
      groups.sizes.push_back(std::min(length, taps - first));
    return groups;
  }

  bool fitInOrder(int64_t length) const {
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t first = 0; first < taps; first += length) {
        int32_t sum = 0;
        for (int64_t tap = first; tap < std::min(taps, first + length); ++tap)
          sum += weights[static_cast<size_t>(tap * channels + c)];
        if (sum > kMost)
          return false;
      }
    return true;
  }

  /// Groups that are still empty are all alike: only the first of them is tried.
  bool place(int64_t tap, int64_t count, int64_t used) {
    if (tap == taps)
      return true;
    for (int64_t g = 0; g < std::min(count, used + 1); ++g) {
      if (++steps > kMostSteps)
        return false;
      if (!add(tap, g, 1)) {
        add(tap, g, -1);
        continue;
      }
      groupOf[static_cast<size_t>(tap)] = g;
      if (place(tap + 1, count, std::max(used, g + 1)))
        return true;
      add(tap, g, -1);
    }
    return false;
  }

  bool add(int64_t tap, int64_t g, int32_t sign) {
    bool fits = true;
    for (int64_t c = 0; c < channels; ++c) {
      int32_t &sum = sums[static_cast<size_t>(g * channels + c)];
      sum += sign * weights[static_cast<size_t>(tap * channels + c)];
      fits &= sum <= kMost;
    }
    return fits;
  }

  TapGroups result(int64_t count) const {
    TapGroups groups;
    groups.slots.assign(static_cast<size_t>(taps), 0);
    int64_t next = 0;
    for (int64_t g = 0; g < count; ++g) {
      int64_t first = next;
      for (int64_t tap = 0; tap < taps; ++tap)
        if (groupOf[static_cast<size_t>(tap)] == g)
          groups.slots[static_cast<size_t>(tap)] = next++;
      if (next > first)
        groups.sizes.push_back(next - first);
    }
    return groups;
  }

  int64_t channels, taps;
  std::vector<int32_t> weights, sums;
  std::vector<int64_t> groupOf;
  int steps = 0;
};
} // namespace

TapGroups mfc::tapGroups(const Operation &op) { return TapPartition(op).find(); }
