// Value numbers of channels: two channels of one tensor with the same number hold the same values,
// whatever the input.
//
// Numbers go forward like value numbering of scalars: a result channel's number stands for the
// operator, the numbers of the channels that it reads, and its weights, bias and multiplier.
// Equality is only ever concluded, never guessed: different numbers say nothing.
#ifndef MFC_LIB_TRANSFORMS_CHANNELNUMBERS_H
#define MFC_LIB_TRANSFORMS_CHANNELNUMBERS_H

#include "ChannelIntervals.h"

#include <map>

namespace mfc {

class ChannelNumbers {
public:
  ChannelNumbers(const Graph &graph, const ChannelIntervals &intervals);

  /// One number a channel; empty where channels are not followed.
  llvm::ArrayRef<int64_t> of(const Value *value) const;

private:
  using Key = std::vector<int64_t>;
  std::map<Key, int64_t> known; ///< constants and known values: comparable over the whole graph
  int64_t next = 0;
  llvm::DenseMap<const Value *, std::vector<int64_t>> numbers; ///< look-ups only

  int64_t numberOf(std::map<Key, int64_t> &table, Key key);
  void numberConstant(const Value &constant);
  void numberResult(const Operation &op, const ChannelIntervals &intervals);
  std::vector<Key> anchorKeys(const Operation &op) const;
  std::vector<Key> linkKeys(const Operation &op) const;
};

} // namespace mfc
#endif
