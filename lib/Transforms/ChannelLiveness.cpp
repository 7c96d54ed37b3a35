#include "ChannelLiveness.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

bool mfc::dropsChannels(const Operation &op) {
  const bool plain = op.kind() == OpKind::Dense ||
                     (op.kind() == OpKind::Conv2D && op.attrs<ConvAttrs>().groups == 1);
  return plain && AnchorView::covers(op) && !op.operand(0)->isConstant() &&
         channelCount(*op.operand(0)) > 0 && channelCount(*op.result()) > 0;
}

std::optional<int64_t> mfc::constantTerm(const AnchorView &anchor, int64_t o, int64_t i,
                                         int64_t value) {
  const int64_t offset = value - anchor.inputZeroPoint();
  if (offset == 0 || anchor.readsNothing(o, i))
    return 0;
  std::optional<int64_t> term;
  for (const std::vector<int64_t> &window : anchor.windows) {
    int64_t sum = 0;
    for (int64_t t : window)
      sum += anchor.weight(o, t, i) * offset;
    if (term && *term != sum)
      return std::nullopt;
    term = sum;
  }
  return term;
}

/// True for an operator that can work on fewer channels, the same ones in operands and result.
static bool followsChannels(const Operation &op,
                            const std::optional<std::vector<ChannelLink>> &links) {
  if (!links)
    return false;
  if (op.kind() == OpKind::DepthwiseConv2D)
    return !op.operand(0)->isConstant() && op.operand(1)->isConstant() &&
           (!op.operandOrNull(2) || op.operand(2)->isConstant());
  if (hasTrait(op.kind(), OpTrait::Elementwise) || op.kind() == OpKind::Concat)
    return !llvm::all_of(op.operands(), [](const Value *v) { return v->isConstant(); });
  return !op.operand(0)->isConstant();
}

ChannelLiveness::ChannelLiveness(const Graph &graph, const ChannelIntervals &intervals)
    : graph(graph), intervals(intervals) {
  for (const Value *input : graph.inputs())
    number(input);
  const std::vector<Operation *> ops = graph.ops();
  for (const Operation *op : ops)
    for (const Value *result : op->results())
      number(result);
  parent.resize(channels.size());
  for (size_t i = 0; i < parent.size(); ++i)
    parent[i] = i;
  marked.resize(channels.size());
  members.resize(channels.size());
  for (const Operation *op : ops)
    tie(*op);
  for (size_t i = 0; i < channels.size(); ++i)
    members[find(i)].push_back(i);
  markBorder();
  markNeeds();
  keepOneEach();
}

void ChannelLiveness::number(const Value *value) {
  firstNumber[value] = channels.size();
  for (int64_t c = 0, n = channelCount(*value); c < n; ++c)
    channels.push_back({value, c});
}

size_t ChannelLiveness::find(size_t channel) const {
  while (parent[channel] != channel)
    channel = parent[channel];
  return channel;
}

void ChannelLiveness::tie(const Operation &op) {
  std::optional<std::vector<ChannelLink>> links = channelLinks(op);
  if (!followsChannels(op, links))
    return;
  for (const ChannelLink &link : *links) {
    const Value *operand = op.operand(link.operand);
    if (operand->isConstant() || !link.tied)
      continue;
    size_t a = firstNumber.lookup(operand) + static_cast<size_t>(link.from);
    size_t b = firstNumber.lookup(op.result()) + static_cast<size_t>(link.to);
    const size_t root = std::min(find(a), find(b));
    for (size_t from : {a, b}) // joins the trees and shortens both paths
      while (parent[from] != root)
        from = std::exchange(parent[from], root);
  }
}

void ChannelLiveness::mark(const Value *value, int64_t channel) {
  const size_t root = group(value, channel);
  if (!marked[root])
    work.push_back(root);
  marked[root] = true;
}

void ChannelLiveness::markAll(const Value *value) {
  if (value->isConstant())
    return;
  for (int64_t c = 0, n = channelCount(*value); c < n; ++c)
    mark(value, c);
}

/// Inputs, outputs, and everything at operators that channels do not pass one by one.
void ChannelLiveness::markBorder() {
  for (const Value *input : graph.inputs())
    markAll(input);
  for (const GraphOutput &output : graph.outputs())
    markAll(output.value);
  for (const Operation *op : graph.ops()) {
    if (dropsChannels(*op) || followsChannels(*op, channelLinks(*op)))
      continue;
    for (const Value *operand : op->operands())
      markAll(operand);
    for (const Value *result : op->results())
      markAll(result);
  }
}

void ChannelLiveness::markNeeds() {
  while (!work.empty()) {
    const size_t root = work.back();
    work.pop_back();
    for (size_t member : members[root]) {
      const auto [value, index] = channels[member];
      if (value->producer() && dropsChannels(*value->producer()))
        markInputsOf(*value->producer(), index);
    }
  }
}

void ChannelLiveness::markInputsOf(const Operation &op, int64_t output) {
  const AnchorView anchor(op);
  const Value *in = op.operand(0);
  for (int64_t i = 0; i < anchor.inputs; ++i) {
    if (isKept(in, i) || anchor.readsNothing(output, i))
      continue;
    std::optional<int64_t> value = intervals.constant(in, i);
    if (!value || !constantTerm(anchor, output, i, *value))
      mark(in, i);
  }
}

void ChannelLiveness::keepOneEach() {
  for (const Operation *op : graph.ops()) {
    for (const Value *result : op->results()) {
      if (channelCount(*result) && kept(result).empty())
        mark(result, 0);
      markNeeds();
    }
    if (op->kind() != OpKind::Concat || !followsChannels(*op, channelLinks(*op)))
      continue;
    // A constant part must not vanish either.
    const std::vector<ChannelLink> links = *channelLinks(*op);
    for (size_t i = 0; i < op->operands().size(); ++i) {
      auto ofPart = llvm::make_filter_range(
          links, [&](const ChannelLink &link) { return link.operand == i; });
      if (!llvm::any_of(ofPart,
                        [&](const ChannelLink &link) { return isKept(op->result(), link.to); }))
        mark(op->result(), ofPart.begin()->to);
      markNeeds();
    }
  }
}

size_t ChannelLiveness::group(const Value *value, int64_t channel) const {
  return find(firstNumber.lookup(value) + static_cast<size_t>(channel));
}

bool ChannelLiveness::isKept(const Value *value, int64_t channel) const {
  return marked[group(value, channel)];
}

std::vector<int64_t> ChannelLiveness::kept(const Value *value) const {
  std::vector<int64_t> list;
  const bool all = value->isConstant() || channelCount(*value) == 0;
  const int64_t n = value->type.rank() ? value->type.dim(-1) : 1;
  for (int64_t c = 0; c < n; ++c)
    if (all || isKept(value, c))
      list.push_back(c);
  return list;
}

bool ChannelLiveness::anyLeaves() const {
  for (size_t i = 0; i < channels.size(); ++i)
    if (!marked[find(i)])
      return true;
  return false;
}
