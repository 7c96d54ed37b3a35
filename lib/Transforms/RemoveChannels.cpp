// Channels whose value is known whatever the input, and channels that nobody reads, leave the
// graph.
//
// Two analyses decide (ChannelIntervals.h, ChannelLiveness.h); this file writes the smaller
// operators. What a constant channel added to an accumulator goes into the bias: integer sums are
// only regrouped, so every stored value that remains is the same.
#include "ChannelLiveness.h"
#include "ConstantEdit.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mfc;

static const char *const passName = "remove-channels";

namespace {
struct Cost {
  int64_t macs = 0;
  int64_t weightBytes = 0;
};

/// An operator that lost channels, for the remarks.
struct Edit {
  Operation *op;
  Cost was;
  int64_t outputs;            ///< channels of the result before
  int64_t inputsConstant = 0; ///< input channels that went into the bias
  int64_t inputsUnread = 0;   ///< input channels with zero weights only
};

class ChannelRemover {
public:
  ChannelRemover(Graph &graph, PassContext &ctx)
      : graph(graph), ctx(ctx), intervals(graph), liveness(graph, intervals) {}
  bool run();

private:
  Graph &graph;
  PassContext &ctx;
  ChannelIntervals intervals;
  ChannelLiveness liveness;
  std::vector<Edit> edits;
  std::set<size_t> constantGroups; ///< channels whose value somebody behind them knew

  bool touches(const Operation &op) const;
  void rewrite(Operation &op);
  void shrinkMixing(Operation &op, Edit &edit);
  void shrinkDepthwise(Operation &op);
  void shrinkOther(Operation &op);
  void shrinkConstants(Operation &op);
  Value *foldedBias(const AnchorView &anchor, llvm::ArrayRef<int64_t> outputs, Edit &edit);
  void shrinkTypes();
  void report(const Edit &edit);
  void reportKept();
};
} // namespace

static bool hasWeights(const Operation &op) {
  return op.kind() == OpKind::Conv2D || op.kind() == OpKind::DepthwiseConv2D ||
         op.kind() == OpKind::Dense;
}

static Cost costOf(const Operation &op) {
  if (!hasWeights(op))
    return {};
  return {macCount(op), static_cast<int64_t>(op.operand(1)->type.bytes())};
}

static Cost costOf(const Graph &graph) {
  Cost sum;
  for (const Operation *op : graph.ops()) {
    const Cost cost = costOf(*op);
    sum.macs += cost.macs;
    sum.weightBytes += cost.weightBytes;
  }
  return sum;
}

static Value *replacement(Graph &graph, const Value &constant, int64_t axis,
                          llvm::ArrayRef<int64_t> indices) {
  return addTensor(graph, selected(constant, axis, indices), constant.name);
}

bool ChannelRemover::touches(const Operation &op) const {
  auto shrinks = [&](const Value *v) {
    return static_cast<int64_t>(liveness.kept(v).size()) < (v->type.rank() ? v->type.dim(-1) : 1);
  };
  return llvm::any_of(op.operands(), shrinks) || llvm::any_of(op.results(), shrinks);
}

/// The type of a bias for these weights: one scale each, input scale times weight scale, as the
/// verifier wants it.
static TensorType biasType(const TensorType &input, const TensorType &weights, int64_t outputs) {
  Quantization quant = *weights.quant;
  for (float &scale : quant.scales)
    scale *= input.quant->scale();
  quant.axis = quant.isPerTensor() ? -1 : 0;
  return {ElementType::I32, {outputs}, quant};
}

/// The bias of the outputs that stay, with what the leaving inputs added to the accumulator.
Value *ChannelRemover::foldedBias(const AnchorView &anchor, llvm::ArrayRef<int64_t> outputs,
                                  Edit &edit) {
  const Value *in = anchor.op.operand(0), *bias = anchor.op.operandOrNull(2);
  std::vector<int64_t> sums;
  for (int64_t o : outputs)
    sums.push_back(anchor.bias(o));
  bool needed = bias != nullptr;
  for (int64_t i = 0; i < anchor.inputs; ++i) {
    if (liveness.isKept(in, i))
      continue;
    const std::optional<int64_t> value = intervals.constant(in, i);
    bool read = false;
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (anchor.readsNothing(outputs[k], i))
        continue;
      read = true;
      const int64_t term = *constantTerm(anchor, outputs[k], i, *value);
      sums[k] += term;
      needed |= term != 0;
    }
    ++(read ? edit.inputsConstant : edit.inputsUnread);
    if (read)
      constantGroups.insert(liveness.group(in, i));
  }
  if (!needed)
    return nullptr;
  TensorType type = bias ? selected(*bias, 0, outputs).type
                         : biasType(in->type, selected(*anchor.op.operand(1), 0, outputs).type,
                                    static_cast<int64_t>(outputs.size()));
  Tensor tensor(type);
  for (auto [k, sum] :
       llvm::enumerate(sums)) // inside i32: the verifier's bound covers any part of the sum
    tensor.setInteger(static_cast<int64_t>(k), sum);
  return addTensor(graph, std::move(tensor), bias ? bias->name : std::string());
}

/// conv2d without groups, dense: rows and columns of the weights leave.
void ChannelRemover::shrinkMixing(Operation &op, Edit &edit) {
  const AnchorView anchor(op);
  const std::vector<int64_t> outputs = liveness.kept(op.result());
  Value *bias = foldedBias(anchor, outputs, edit);
  Value *rows = replacement(graph, *op.operand(1), 0, outputs);
  op.setOperand(1, replacement(graph, *rows, rows->type.rank() - 1, liveness.kept(op.operand(0))));
  if (bias && op.operandOrNull(2))
    op.setOperand(2, bias);
  else if (bias)
    op.addOperand(bias);
}

void ChannelRemover::shrinkDepthwise(Operation &op) {
  const std::vector<int64_t> outputs = liveness.kept(op.result());
  op.setOperand(1, replacement(graph, *op.operand(1), 3, outputs));
  if (const Value *bias = op.operandOrNull(2))
    op.setOperand(2, replacement(graph, *bias, 0, outputs));
}

/// The constant operands of element-wise operators and concat.
void ChannelRemover::shrinkConstants(Operation &op) {
  const std::vector<ChannelLink> links = *channelLinks(op);
  for (size_t i = 0; i < op.operands().size(); ++i) {
    if (!op.operand(i)->isConstant())
      continue;
    std::vector<int64_t> stays;
    for (const ChannelLink &link : links)
      if (link.operand == i && link.tied && liveness.isKept(op.result(), link.to))
        stays.push_back(link.from);
    if (!stays.empty() && static_cast<int64_t>(stays.size()) < op.operand(i)->type.dim(-1))
      op.setOperand(i, replacement(graph, *op.operand(i), op.operand(i)->type.rank() - 1, stays));
  }
}

/// Attributes that count channels.
void ChannelRemover::shrinkOther(Operation &op) {
  auto keptBelow = [&](const Value *value, int64_t end) {
    int64_t count = 0;
    for (int64_t c = 0; c < end; ++c)
      count += liveness.isKept(value, c);
    return count;
  };
  if (op.kind() == OpKind::Slice)
    op.attrs<SliceAttrs>().begin.back() =
        keptBelow(op.operand(0), op.attrs<SliceAttrs>().begin.back());
  if (op.kind() == OpKind::Pad) {
    PadAttrs &attrs = op.attrs<PadAttrs>();
    const int64_t end = attrs.before.back() + op.operand(0)->type.dim(-1);
    const int64_t inFront = keptBelow(op.result(), attrs.before.back()),
                  upTo = keptBelow(op.result(), end);
    attrs.after.back() = static_cast<int64_t>(liveness.kept(op.result()).size()) - upTo;
    attrs.before.back() = inFront;
  }
  if (hasTrait(op.kind(), OpTrait::Elementwise) || op.kind() == OpKind::Concat)
    shrinkConstants(op);
}

void ChannelRemover::rewrite(Operation &op) {
  Edit edit{&op, costOf(op), op.result()->type.rank() ? op.result()->type.dim(-1) : 1};
  if (dropsChannels(op))
    shrinkMixing(op, edit);
  else if (op.kind() == OpKind::DepthwiseConv2D)
    shrinkDepthwise(op);
  else
    shrinkOther(op);
  edits.push_back(edit);
}

/// Last, because the analyses and the rewriting look at the old types.
void ChannelRemover::shrinkTypes() {
  for (const Edit &edit : edits)
    if (Value *result = edit.op->result(); result->type.rank() > 0)
      result->type.shape.back() = static_cast<int64_t>(liveness.kept(result).size());
}

void ChannelRemover::report(const Edit &edit) {
  const Operation &op = *edit.op;
  if (!hasWeights(op))
    return;
  int64_t constant = 0, unread = 0;
  for (int64_t c = 0; c < edit.outputs; ++c) {
    if (liveness.isKept(op.result(), c))
      continue;
    const bool known =
        constantGroups.count(liveness.group(op.result(), c)) || intervals.constant(op.result(), c);
    ++(known ? constant : unread);
  }
  const Cost now = costOf(op);
  std::string message;
  llvm::raw_string_ostream os(message);
  os << "removed " << constant + unread << " of " << edit.outputs << " output channels ("
     << constant << " constant, " << unread << " unread); " << edit.inputsConstant
     << " constant inputs went into the bias, " << edit.inputsUnread << " were unread; MACs "
     << edit.was.macs << " -> " << now.macs << ", weights " << edit.was.weightBytes << " -> "
     << now.weightBytes << " bytes";
  ctx.remark(RemarkKind::Passed, passName, constant + edit.inputsConstant ? "constant" : "unread",
             op, message,
             {{"ConstantOutputs", std::to_string(constant)},
              {"UnreadOutputs", std::to_string(unread)},
              {"ConstantInputs", std::to_string(edit.inputsConstant)},
              {"UnreadInputs", std::to_string(edit.inputsUnread)},
              {"MacsBefore", std::to_string(edit.was.macs)},
              {"MacsAfter", std::to_string(now.macs)},
              {"WeightBytesBefore", std::to_string(edit.was.weightBytes)},
              {"WeightBytesAfter", std::to_string(now.weightBytes)}});
}

static void reportTotal(const Graph &graph, PassContext &ctx, Cost was) {
  const Cost now = costOf(graph);
  ctx.remarks.push_back({RemarkKind::Passed,
                         passName,
                         "total",
                         graph.name,
                         "whole model: MACs " + std::to_string(was.macs) + " -> " +
                             std::to_string(now.macs) + ", weights " +
                             std::to_string(was.weightBytes) + " -> " +
                             std::to_string(now.weightBytes) + " bytes",
                         {{"MacsBefore", std::to_string(was.macs)},
                          {"MacsAfter", std::to_string(now.macs)},
                          {"WeightBytesBefore", std::to_string(was.weightBytes)},
                          {"WeightBytesAfter", std::to_string(now.weightBytes)}}});
}

/// Constant channels that somebody still reads.
void ChannelRemover::reportKept() {
  for (const Operation *op : graph.ops()) {
    if (!AnchorView::covers(*op))
      continue;
    int64_t count = 0;
    for (int64_t c = 0, n = channelCount(*op->result()); c < n; ++c)
      count += liveness.isKept(op->result(), c) && intervals.constant(op->result(), c);
    if (count)
      ctx.remark(
          RemarkKind::Missed, passName, "stays", *op,
          std::to_string(count) +
              " constant output channels stay: a padded border, an operator with another operand "
              "that varies, or an output of the graph reads them",
          {{"Channels", std::to_string(count)}});
  }
}

bool ChannelRemover::run() {
  if (!liveness.anyLeaves()) {
    reportKept();
    return false;
  }
  for (Operation *op : graph.ops())
    if (touches(*op))
      rewrite(*op);
  shrinkTypes();
  for (const Edit &edit : edits)
    report(edit);
  graph.eraseDead();
  return true;
}

PassResult mfc::removeChannels(Graph &graph, PassContext &ctx) {
  if (!canFollowChannels(graph))
    return {};
  const Cost was = costOf(graph);
  bool changed = false;
  // Again where a depthwise convolution was left with one input channel: its outputs can then leave
  // one by one.
  while (ChannelRemover(graph, ctx).run())
    changed = true;
  if (changed)
    reportTotal(graph, ctx, was);
  return {.changed = changed};
}
