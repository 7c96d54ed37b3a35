// Which channels of which tensors can leave the graph: nobody reads them, or whoever does can do
// without because they are constant.
//
// Channels that are one by the links of ChannelLinks.h leave or stay together. What stays is marked
// from the outputs back: a convolution's output channel keeps those inputs that it cannot do
// without; inputs, outputs and operators that mix channels keep all. Everything else goes, except
// that each tensor keeps one channel.
#ifndef MFC_LIB_TRANSFORMS_CHANNELLIVENESS_H
#define MFC_LIB_TRANSFORMS_CHANNELLIVENESS_H

#include "AnchorView.h"
#include "ChannelIntervals.h"
#include "ChannelLinks.h"

namespace mfc {

/// True for a convolution or dense whose output channels and input channels can go one by one.
bool dropsChannels(const Operation &op);

/// What input i adds to the accumulator of output o when it always holds `value`; nothing where
/// that differs between the windows at the border and inside.
std::optional<int64_t> constantTerm(const AnchorView &anchor, int64_t o, int64_t i, int64_t value);

class ChannelLiveness {
public:
  ChannelLiveness(const Graph &graph, const ChannelIntervals &intervals);

  bool isKept(const Value *value, int64_t channel) const;
  /// Equal for channels that leave or stay together.
  size_t group(const Value *value, int64_t channel) const;
  /// Ascending. All channels of a constant, or of a value whose channels are not followed.
  std::vector<int64_t> kept(const Value *value) const;
  /// At least one channel of some tensor goes.
  bool anyLeaves() const;

private:
  const Graph &graph;
  const ChannelIntervals &intervals;
  struct Channel {
    const Value *value;
    int64_t index;
  };
  llvm::DenseMap<const Value *, size_t> firstNumber; ///< look-ups only
  std::vector<Channel> channels;                     ///< by number
  std::vector<size_t> parent;                        ///< union-find over tied channels
  std::vector<std::vector<size_t>> members;          ///< by root
  std::vector<bool> marked;                          ///< by root
  std::vector<size_t> work; ///< marked roots whose needs are not marked yet

  void number(const Value *value);
  size_t find(size_t channel) const;
  void tie(const Operation &op);
  void mark(const Value *value, int64_t channel);
  void markAll(const Value *value);
  void markBorder();
  void markNeeds();
  void markInputsOf(const Operation &op, int64_t output);
  void keepOneEach();
};

} // namespace mfc
#endif
