// Quantize and dequantize around float operators become integer operators.
//
// A quantize moves up through what commutes with it (CommuteQuantize.h) until it meets the operator that computed the
// value or a dequantize. There:
//   quantize(dequantize(x))                    is x, or a requantize of x
//   quantize(op(dequantize(x), ...)), op in    conv2d, depthwise_conv2d, dense, add, sub, mul, avg_pool2d, reduce_mean, softmax,
//                                              leaky_relu, logistic, tanh, neg, abs: the integer operator with that result type
// What the integer operators compute is defined by Ops (rounding attribute HalfEven for ONNX): one rounding where the float
// form rounds a float that is itself rounded, so answers differ from float arithmetic at ties only.
#include "CommuteQuantize.h"
#include "QuantizedOps.h"
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static const char *const passName = "fold-qdq";

/// True if a quantize of this value will fold once it is moved up to where the value comes from.
static bool foldsAbove(const Graph &graph, const Value *value) {
  const Operation *op = value->producer();
  if (!op)
    return value->isConstant();
  if (op->kind() == OpKind::Dequantize)
    return true;
  if (graph.useCount(value) != 1) // somebody needs the float too
    return false;
  if (hasQuantizedForm(*op))
    return true;
  return commutesWithQuantize(op->kind()) && llvm::all_of(op->operands().take_front(dataOperandCount(*op)),
                                                          [&](const Value *v) { return foldsAbove(graph, v); });
}

/// The integer operators stand for dequantize, float operator and quantize with one rounding, half to even, as ONNX has it. A
/// TFLite model that spells this out means TFLite's float kernels, and gets them.
static bool isOneRounding(const Operation *quantize) {
  return quantize->attrs<RoundingAttrs>().rounding == Rounding::HalfEven;
}

static bool foldPair(Graph &graph, Operation *quantize, Operation *dequantize) {
  Value *x = dequantize->operand(0);
  if (x->type == quantize->result()->type) {
    replaceOp(graph, quantize, x);
    return true;
  }
  if (!isOneRounding(quantize))
    return false;
  bool integers = x->type.quant && x->type.quant->isPerTensor() && elementBytes(x->type.element) <= 2;
  if (!integers)
    return false;
  replaceOp(graph, quantize,
            graph.add(OpKind::Requantize, {x}, quantize->attributes, quantize->result()->type, quantize->loc,
                      quantize->result()->name, quantize));
  return true;
}

static bool foldQuantize(Graph &graph, Operation *quantize, PassContext &ctx) {
  Value *x = quantize->operand(0);
  Operation *op = x->producer();
  const std::optional<Quantization> &quant = quantize->result()->type.quant;
  if (!op || !quant || !quant->isPerTensor())
    return false;
  if (op->kind() == OpKind::Dequantize)
    return foldPair(graph, quantize, op);
  if (!isOneRounding(quantize) || !foldsAbove(graph, x))
    return false;
  if (commutesWithQuantize(op->kind())) {
    moveQuantizeUp(graph, quantize, op);
    return true;
  }
  std::string reason;
  if (Value *value = buildQuantizedForm(graph, op, quantize, reason)) {
    ctx.remark(RemarkKind::Passed, passName, op->info().name, *op, "integer " + op->info().name.str());
    replaceOp(graph, quantize, value);
    return true;
  }
  return false;
}

/// Says why what could have been an integer operator is none; once, when all folding is done.
static void reportRefusals(Graph &graph, PassContext &ctx) {
  for (Operation *op : graph.ops()) {
    if (op->kind() != OpKind::Quantize)
      continue;
    Operation *producer = op->operand(0)->producer();
    std::string reason;
    if (producer && hasQuantizedForm(*producer) && foldsAbove(graph, op->operand(0)) &&
        !buildQuantizedForm(graph, producer, op, reason))
      ctx.remark(RemarkKind::Missed, passName, producer->info().name, *producer, "stays float: " + reason);
  }
}

PassResult mfc::foldQDQ(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) {
    return op->kind() == OpKind::Quantize && foldQuantize(graph, op, ctx);
  });
  reportRefusals(graph, ctx);
  graph.eraseDead();
  return {.changed = changed};
}
