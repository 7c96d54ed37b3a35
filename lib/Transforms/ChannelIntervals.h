// What each channel of each integer tensor can hold, whatever the input: an interval of stored
// values.
//
// Bounds go forward through the integer forms that interpreter and kernels compute with
// (Ops/QuantizedForms.h). Each form is monotone in the accumulator and in each operand, so its ends
// come from the ends of its operands, bit for bit. A channel whose interval is one value holds that
// value always.
#ifndef MFC_LIB_TRANSFORMS_CHANNELINTERVALS_H
#define MFC_LIB_TRANSFORMS_CHANNELINTERVALS_H

#include "mfc/IR/Graph.h"

#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mfc {

/// Stored values from low to high, both included.
struct Interval {
  int64_t low, high;
  bool isConstant() const { return low == high; }
  bool operator==(const Interval &) const = default;
};

class ChannelIntervals {
public:
  explicit ChannelIntervals(const Graph &graph);

  /// One interval a channel; empty for float tensors and where channels are not followed
  /// (channelCount() is 0).
  llvm::ArrayRef<Interval> of(const Value *value) const;
  /// The stored value of the channel if it is the same for every input and at every position.
  std::optional<int64_t> constant(const Value *value, int64_t channel) const;

private:
  llvm::DenseMap<const Value *, std::vector<Interval>> intervals; ///< look-ups only
};

} // namespace mfc
#endif
