// Transposes between NCHW and NHWC: sinks them until they meet their opposite, the weights of a dense, or the border.
//
// Three phases. (1) Sinking to a fixpoint; every rule moves a transpose towards the outputs or removes one, so it ends.
// (2) What is left settles where the elements are narrow (behind a quantize, in front of a dequantize) or directly at
// the graph input. (3) The bytes that the remaining transposes move are compared with those before: where a value has
// many readers sinking can copy a transpose, and then the old graph is kept.
#include "ConstantEdit.h"
#include "Permutation.h"
#include "Rewrite.h"
#include "SettleTranspose.h"
#include "SinkReshape.h"
#include "SinkTranspose.h"
#include "mfc/Transforms/Passes.h"

#include <set>

using namespace mfc;

static const char *const passName = "fold-layout";

/// Bytes that transposes read; equal ones count once (common-subexpressions merges them), those of constants and of
/// size-1 dimensions are free.
static uint64_t transposedBytes(const Graph &graph) {
  std::set<std::pair<const Value *, Permutation>> seen; // look-ups only
  uint64_t bytes = 0;
  for (const Operation *op : graph.ops()) {
    if (op->kind() != OpKind::Transpose || constantUnder(op->operand(0)))
      continue;
    const Permutation &perm = op->attrs<TransposeAttrs>().perm;
    if (!movesOnlyUnitDims(op->operand(0)->type.shape, perm) && seen.insert({op->operand(0), perm}).second)
      bytes += op->operand(0)->type.bytes();
  }
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
           (op->kind() == OpKind::Dense && foldTransposeIntoDense(graph, op)) || sinkTransposeThrough(graph, op) ||
           sinkReshapeThrough(graph, op);
  });
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
  settleTransposes(graph);
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
