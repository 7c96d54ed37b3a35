// A depthwise convolution of a single channel is a convolution: all its results read the same pixels, so that the
// matrix product can share them.
#include "ConstantEdit.h"
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

using namespace mfc;

static const char *const passName = "depthwise-to-conv";

/// [kh, kw, channels] to [channels, kh, kw, 1].
static Value *convWeights(Graph &graph, const Value &weights) {
  int64_t rows = weights.type.dim(-3), columns = weights.type.dim(-2), channels = weights.type.dim(-1);
  TensorType type = weights.type;
  type.shape = {channels, rows, columns, 1};
  if (type.quant && type.quant->axis >= 0)
    type.quant->axis = 0;
  return graph.addConstant(type, permutedBytes(weights, {rows, columns, channels}, {2, 0, 1}), weights.name);
}

PassResult mfc::depthwiseToConv(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) {
    if (op->kind() != OpKind::DepthwiseConv2D || op->operand(0)->type.dim(-1) != 1 || !op->operand(1)->isConstant())
      return false;
    std::vector<Value *> operands{op->operand(0), convWeights(graph, *op->operand(1))};
    if (Value *bias = op->operandOrNull(2))
      operands.push_back(bias);
    ctx.remark(RemarkKind::Passed, passName, "one-channel", *op,
               "one input channel and " + std::to_string(op->result()->type.dim(-1)) + " results: became conv2d");
    Value *conv = graph.add(OpKind::Conv2D, operands, op->attrs<ConvAttrs>(), op->result()->type, op->loc,
                            op->result()->name, op);
    replaceOp(graph, op, conv);
    return true;
  });
  return {.changed = changed};
}
