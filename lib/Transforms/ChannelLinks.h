// Which channels of an operator's operands and result are the same channel. A channel is an index
// of the last dimension.
//
// Element-wise operators, windows over one channel and moves keep channels apart; a convolution or
// a softmax mixes them. Analyses of channels (ChannelIntervals.h) and their removal
// (RemoveChannels.cpp) both walk these links.
#ifndef MFC_LIB_TRANSFORMS_CHANNELLINKS_H
#define MFC_LIB_TRANSFORMS_CHANNELLINKS_H

#include "mfc/IR/Graph.h"

#include <optional>

namespace mfc {

/// Channels of a value; 0 where they are not followed (scales along an axis, or more than any real
/// tensor has). A scalar has one.
int64_t channelCount(const Value &value);

/// False where all channels together are more than analyses of a whole graph should hold in memory.
bool canFollowChannels(const Graph &graph);

struct ChannelLink {
  size_t operand;
  int64_t from; ///< channel of the operand
  int64_t to;   ///< channel of the result
  /// False: the only channel of its operand, read by any number of the result's, each of which can
  /// go alone.
  bool tied = true;
};

/// All that channel `to` of the result reads of each operand. Weights and biases are not listed.
/// Nothing where the operator mixes channels, or moves them in a way that cannot be told with fewer
/// of them.
std::optional<std::vector<ChannelLink>> channelLinks(const Operation &op);

} // namespace mfc
#endif
