// Taps of a depthwise convolution in groups whose sums of products provably fit signed 16 bits.
#ifndef MFC_LIB_LOWERING_TAPGROUPS_H
#define MFC_LIB_LOWERING_TAPGROUPS_H

#include "mfc/IR/Graph.h"

#include <cstdint>
#include <vector>

namespace mfc {

/// An order of the taps, and how many of them in a row are summed in signed 16-bit lanes: for every channel of every
/// group 128 * sum of |w| <= 32767, so that no sum wraps whatever the input.
struct TapGroups {
  std::vector<int64_t> slots; ///< by tap: its place in the order
  std::vector<int64_t> sizes; ///< in that order
};
TapGroups tapGroups(const Operation &op);

} // namespace mfc
#endif
