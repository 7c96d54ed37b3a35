// Transposes between NCHW and NHWC: sinks them until they meet their opposite, the weights of a dense, or the border.
//
// Three phases. (1) Sinking to a fixpoint; every rule moves a transpose towards the outputs or removes one, so it ends.
// (2) What is left settles where the elements are narrow (behind a quantize, in front of a dequantize) or directly at
// the graph input. (3) The bytes that the remaining transposes move are compared with those before: where a value has
// many readers sinking can copy a transpose, and then the old graph is kept.
#include "ConstantEdit.h"
#include "Permutation.h"
#include "Rewrite.h"
#include "SinkTranspose.h"
#include "mfc/Transforms/Passes.h"

using namespace mfc;

static const char *const passName = "fold-layout";

/// Bytes that transposes read; those of constants and of size-1 dimensions are free.
static uint64_t transposedBytes(const Graph &graph) {
  uint64_t bytes = 0;
  for (const Operation *op : graph.ops())
    if (op->kind() == OpKind::Transpose && !constantUnder(op->operand(0)) &&
        !movesOnlyUnitDims(op->operand(0)->type.shape, op->attrs<TransposeAttrs>().perm))
      bytes += op->operand(0)->type.bytes();
  return bytes;
}

static unsigned transposeCount(const Graph &graph) {
  unsigned count = 0;
  for (const Operation *op : graph.ops())
    count += op->kind() == OpKind::Transpose;
  return count;
}

static bool mergeReshapes(Graph &graph, Operation *op) {
  if (op->kind() != OpKind::Reshape)
    return false;
  Value *from = op->operand(0);
  if (from->type == op->result()->type) {
    replaceOp(graph, op, from);
    return true;
  }
  Operation *first = producerOfKind(from, OpKind::Reshape);
  if (!first)
    return false;
  op->setOperand(0, first->operand(0));
  eraseUnread(graph, first);
  return true;
}

static void sinkAll(Graph &graph) {
  rewriteAll(graph, [&](Operation *op) {
    return mergeReshapes(graph, op) || simplifyTranspose(graph, op) ||
           (op->kind() == OpKind::Dense && foldTransposeIntoDense(graph, op)) || sinkTransposeThrough(graph, op);
  });
}

/// Where the transpose should go up to: the first narrower value in front of single-reader element-wise operators, or
/// the border. Its own operand if it stays.
static Value *betterOperand(const Operation *transpose) {
  Value *value = transpose->operand(0);
  unsigned width = elementBytes(value->type.element);
  std::vector<Value *> path{value};
  while (Operation *op = path.back()->producer()) {
    bool movable = isUnaryElementwise(op->kind()) && op->operands().size() == 1 && path.back()->hasOneUse();
    if (!movable || elementBytes(op->operand(0)->type.element) > elementBytes(path.back()->type.element))
      break;
    path.push_back(op->operand(0));
  }
  Value *top = path.back();
  Operation *above = top->producer();
  bool atBorder = top->isInput() || (above && above->kind() == OpKind::Quantize && above->operand(0)->isInput());
  if (atBorder)
    return top;
  for (Value *candidate : path) // the lowest of the narrowest
    if (elementBytes(candidate->type.element) < width) {
      value = candidate;
      width = elementBytes(candidate->type.element);
    }
  return value;
}

/// Moves transposes upwards along betterOperand().
static void settle(Graph &graph) {
  for (Operation *op : graph.ops()) {
    if (op->kind() != OpKind::Transpose)
      continue;
    Value *target = betterOperand(op);
    std::vector<Operation *> between; // from the transpose up to the target
    for (Value *v = op->operand(0); v != target; v = v->producer()->operand(0))
      between.push_back(v->producer());
    if (between.empty())
      continue;
    Permutation perm = op->attrs<TransposeAttrs>().perm;
    Value *value = graph.add(OpKind::Transpose, {target}, TransposeAttrs{perm}, typeAfter(target->type, perm), op->loc,
                             target->name, between.back());
    for (size_t i = between.size(); i-- > 0;)
      value = copyOp(graph, *between[i], {value}, between[i]->attributes,
                     typeAfter(between[i]->result()->type, perm), between[i]);
    replaceOp(graph, op, value);
  }
}

static void reportLeft(const Graph &graph, PassContext &ctx) {
  for (const Operation *op : graph.ops()) {
    if (op->kind() != OpKind::Transpose)
      continue;
    std::string bytes = std::to_string(op->operand(0)->type.bytes());
    ctx.remark(RemarkKind::Missed, passName, "transpose-left", *op,
               "a transpose of " + shapeText(op->operand(0)->type.shape) + " stays (" + bytes + " B)",
               {{"bytes", bytes}});
  }
}

PassResult mfc::foldLayout(Graph &graph, PassContext &ctx) {
  unsigned countBefore = transposeCount(graph);
  uint64_t bytesBefore = transposedBytes(graph);
  Graph original = graph.clone();
  sinkAll(graph);
  settle(graph);
  graph.eraseDead();
  if (transposedBytes(graph) > bytesBefore) {
    graph = std::move(original);
    reportLeft(graph, ctx);
    return {};
  }
  bool changed = !sameStructure(graph, original);
  unsigned countAfter = transposeCount(graph);
  if (changed && countBefore != countAfter && graph.opCount() != 0)
    ctx.remark(RemarkKind::Passed, passName, "layout", *graph.ops().front(),
               std::to_string(countBefore) + " transposes became " + std::to_string(countAfter),
               {{"before", std::to_string(countBefore)}, {"after", std::to_string(countAfter)}});
  reportLeft(graph, ctx);
  return {.changed = changed};
}
