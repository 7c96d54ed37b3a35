// Multiplications and additions of constants behind a convolution or dense go into its weights and bias.
//
// The result changes by float rounding only: a weight times a constant is rounded once, and sums are re-associated.
// Quantized operators are left alone, their answers are exact.
#include "Affine.h"
#include "ConstantEdit.h"
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static const char *const passName = "fold-arithmetic";

/// op as affine map of its operand `data`, with the constant on the other side; nothing if it is none.
static std::optional<Affine> affineOf(const Operation &op, size_t data) {
  const Value *constant = op.operand(1 - data);
  if (!isFloatConstant(constant))
    return std::nullopt;
  std::optional<std::vector<double>> values = perChannel(*constant, op.result()->type.dim(-1));
  if (!values)
    return std::nullopt;
  auto mapped = [&](auto f) {
    std::vector<double> result;
    for (double v : *values)
      result.push_back(f(v));
    return result;
  };
  bool constantFirst = data == 1;
  if (op.kind() == OpKind::Add)
    return Affine{{}, *values};
  if (op.kind() == OpKind::Mul)
    return Affine{*values, {}};
  if (op.kind() == OpKind::Sub && constantFirst)
    return Affine{mapped([](double) { return -1.0; }), *values};
  if (op.kind() == OpKind::Sub)
    return Affine{{}, mapped([](double v) { return -v; })};
  if (op.kind() == OpKind::Div && !constantFirst && !llvm::is_contained(*values, 0.0))
    return Affine{mapped([](double v) { return 1 / v; }), {}};
  return std::nullopt;
}

static bool foldConstantOperand(Graph &graph, Operation *op, PassContext &ctx) {
  if (op->operands().size() != 2 || op->result()->type.rank() == 0)
    return false;
  for (size_t data : {0u, 1u}) {
    Value *x = op->operand(data);
    if (x->type.shape != op->result()->type.shape)
      continue;
    std::optional<Affine> affine = affineOf(*op, data);
    if (!affine || !acceptsAffine(graph, x, *affine))
      continue;
    Operation *conv = x->producer();
    ctx.remark(RemarkKind::Passed, passName, op->info().name, *op, "folded into " + subjectOf(*conv));
    foldAffineAfter(graph, conv, *affine, op);
    return true;
  }
  return false;
}

/// Bias that an exporter left outside, quantized: add(dense(x, w), dequantize(constant)) becomes the third operand.
static bool foldQuantizedBias(Graph &graph, Operation *op, PassContext &ctx) {
  if (op->kind() != OpKind::Add)
    return false;
  for (size_t data : {0u, 1u}) {
    Value *x = op->operand(data), *bias = op->operand(1 - data);
    Operation *conv = x->producer();
    if (!conv || !isConvLike(conv->kind()) || conv->operandOrNull(2) || graph.useCount(x) != 1)
      continue;
    bool vector = bias->type.rank() == 1 && bias->type.dim(0) == x->type.dim(-1);
    if (!vector || !constantUnder(bias) || bias->isConstant() || x->type != op->result()->type)
      continue;
    ctx.remark(RemarkKind::Passed, passName, "bias", *op, "becomes the bias of " + subjectOf(*conv));
    Value *value = copyOp(graph, *conv, {conv->operand(0), conv->operand(1), bias}, conv->attributes, x->type, op);
    value->name = op->result()->name;
    replaceOp(graph, op, value);
    return true;
  }
  return false;
}

PassResult mfc::foldArithmetic(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) {
    return foldConstantOperand(graph, op, ctx) || foldQuantizedBias(graph, op, ctx);
  });
  graph.eraseDead();
  return {.changed = changed};
}
