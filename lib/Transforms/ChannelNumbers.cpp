#include "ChannelNumbers.h"

#include "AnchorView.h"
#include "ChannelLinks.h"
#include "ConstantEdit.h"
#include "mfc/Ops/QuantizedForms.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mfc;

/// First entries of the keys that are comparable over the whole graph.
enum : int64_t { kContents = -1, kStoredValue = -2 };

ChannelNumbers::ChannelNumbers(const Graph &graph, const ChannelIntervals &intervals) {
  for (const Value *input : graph.inputs())
    for (int64_t c = 0, n = channelCount(*input); c < n; ++c)
      numbers[input].push_back(next++);
  for (const Operation *op : graph.ops()) {
    if (!AnchorView::covers(*op))
      for (const Value *operand : op->operands())
        if (operand->isConstant() && channelCount(*operand) && !numbers.contains(operand))
          numberConstant(*operand);
    if (op->results().size() == 1 && channelCount(*op->result()))
      numberResult(*op, intervals);
  }
}

llvm::ArrayRef<int64_t> ChannelNumbers::of(const Value *value) const {
  auto it = numbers.find(value);
  return it == numbers.end() ? llvm::ArrayRef<int64_t>() : llvm::ArrayRef<int64_t>(it->second);
}

int64_t ChannelNumbers::numberOf(std::map<Key, int64_t> &table, Key key) {
  auto [it, added] = table.try_emplace(std::move(key), next);
  next += added;
  return it->second;
}

void ChannelNumbers::numberConstant(const Value &constant) {
  const int64_t channels = channelCount(constant);
  std::vector<Key> keys(static_cast<size_t>(channels), Key{kContents});
  const size_t width = elementBytes(constant.type.element);
  for (auto [i, byte] : llvm::enumerate(constant.bytes()))
    keys[i / width % static_cast<size_t>(channels)].push_back(byte);
  for (Key &key : keys)
    numbers[&constant].push_back(numberOf(known, std::move(key)));
}

/// Appends the weights of output o by number of the input, those of equal inputs added up.
static void appendMerged(std::vector<int64_t> &key, const AnchorView &anchor,
                         llvm::ArrayRef<int64_t> in, int64_t o) {
  std::map<int64_t, std::vector<int64_t>> byNumber;
  for (int64_t i = 0; i < anchor.inputs; ++i) {
    std::vector<int64_t> &sums = byNumber[in[static_cast<size_t>(anchor.inputChannel(o, i))]];
    sums.resize(static_cast<size_t>(anchor.taps));
    for (int64_t t = 0; t < anchor.taps; ++t)
      sums[static_cast<size_t>(t)] += anchor.weight(o, t, i);
  }
  for (const auto &[number, sums] : byNumber) {
    key.push_back(number);
    llvm::append_range(key, sums);
  }
}

/// Bias, multiplier and weights. Where all inputs differ and each output reads them all, their
/// numbers need not be told.
std::vector<ChannelNumbers::Key> ChannelNumbers::anchorKeys(const Operation &op) const {
  llvm::ArrayRef<int64_t> in = of(op.operand(0));
  if (in.empty())
    return {};
  const AnchorView anchor(op);
  const RequantForm form = requantForm(op);
  const bool plain = anchor.inputs == static_cast<int64_t>(in.size()) &&
                     std::set<int64_t>(in.begin(), in.end()).size() == in.size();
  std::vector<Key> keys;
  for (int64_t o = 0; o < anchor.outputs; ++o) {
    const FixedMultiplier m = form.multiplier(static_cast<size_t>(o));
    Key &key = keys.emplace_back(Key{anchor.bias(o), m.value, m.shift});
    if (!plain) {
      appendMerged(key, anchor, in, o);
      continue;
    }
    for (int64_t t = 0; t < anchor.taps; ++t)
      for (int64_t i = 0; i < anchor.inputs; ++i)
        key.push_back(anchor.weight(o, t, i));
  }
  return keys;
}

/// What each channel of the result reads. Parts that a concat joins side by side are alike,
/// whichever operand they are; channels that a reshape makes of one channel are not, they are other
/// positions of it.
std::vector<ChannelNumbers::Key> ChannelNumbers::linkKeys(const Operation &op) const {
  const std::optional<std::vector<ChannelLink>> links = channelLinks(op);
  if (!links || op.kind() == OpKind::DepthwiseConv2D)
    return {};
  const bool joins =
      op.kind() == OpKind::Concat && op.attrs<AxisAttrs>().axis == op.result()->type.rank() - 1;
  const int64_t positionStep =
      op.kind() == OpKind::Reshape ? channelCount(*op.operand(0)) : channelCount(*op.result());
  std::vector<Key> keys(static_cast<size_t>(channelCount(*op.result())));
  for (const ChannelLink &link : *links) {
    llvm::ArrayRef<int64_t> from = of(op.operand(link.operand));
    if (from.empty())
      return {};
    Key &key = keys[static_cast<size_t>(link.to)];
    key.push_back(joins ? 0 : static_cast<int64_t>(link.operand));
    key.push_back(link.to / positionStep);
    key.push_back(from[static_cast<size_t>(link.from)]);
  }
  return keys;
}

void ChannelNumbers::numberResult(const Operation &op, const ChannelIntervals &intervals) {
  std::vector<Key> keys = AnchorView::covers(op) ? anchorKeys(op) : linkKeys(op);
  std::map<Key, int64_t> ofThisOperation;
  std::vector<int64_t> result;
  for (int64_t c = 0, n = channelCount(*op.result()); c < n; ++c) {
    if (std::optional<int64_t> value = intervals.constant(op.result(), c))
      result.push_back(numberOf(known, {kStoredValue, *value}));
    else if (keys.empty())
      result.push_back(next++);
    else
      result.push_back(numberOf(ofThisOperation, std::move(keys[static_cast<size_t>(c)])));
  }
  numbers[op.result()] = std::move(result);
}
