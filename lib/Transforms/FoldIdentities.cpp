// Operators that change nothing, and pairs that are one.
#include "ConstantEdit.h"
#include "Permutation.h"
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace mfc;

static bool allEqual(llvm::ArrayRef<int64_t> entries, int64_t value) {
  return llvm::all_of(entries, [&](int64_t e) { return e == value; });
}

/// Every element of the operand is this float, and adding it cannot widen the result.
static bool isFloatFill(const Value *value, float fill) {
  return isFloatConstant(value) && llvm::all_of(floatsOf(*value), [&](float f) { return f == fill; });
}

static bool clampCoversType(const Operation &op) {
  const ClampAttrs &attrs = op.attrs<ClampAttrs>();
  ElementType element = op.operand(0)->type.element;
  if (isFloat(element))
    return std::isinf(attrs.min) && attrs.min < 0 && std::isinf(attrs.max) && attrs.max > 0;
  return attrs.min <= static_cast<double>(elementMin(element)) && attrs.max >= static_cast<double>(elementMax(element));
}

static bool isUnitWindow(const PoolAttrs &attrs) {
  return allEqual(attrs.kernel, 1) && allEqual(attrs.stride, 1) && allEqual(attrs.pad, 0);
}

/// The operand that is the result already, where the types agree too; else null.
static Value *passedThrough(const Operation &op) {
  Value *first = op.operand(0);
  Value *second = op.operandOrNull(1);
  switch (op.kind()) {
  case OpKind::Identity:
  case OpKind::Reshape:
  case OpKind::Cast:
  case OpKind::Requantize:
    return first; // if the types agree
  case OpKind::Transpose:
    return isIdentity(op.attrs<TransposeAttrs>().perm) ? first : nullptr;
  case OpKind::Slice: {
    const SliceAttrs &attrs = op.attrs<SliceAttrs>();
    return allEqual(attrs.begin, 0) && allEqual(attrs.stride, 1) ? first : nullptr;
  }
  case OpKind::Pad: {
    const PadAttrs &attrs = op.attrs<PadAttrs>();
    return allEqual(attrs.before, 0) && allEqual(attrs.after, 0) ? first : nullptr;
  }
  case OpKind::Concat:
    return op.operands().size() == 1 ? first : nullptr;
  case OpKind::Clamp:
    return clampCoversType(op) ? first : nullptr;
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
    return isUnitWindow(op.attrs<PoolAttrs>()) ? first : nullptr;
  case OpKind::Add:
    return isFloatFill(second, 0) ? first : isFloatFill(first, 0) ? second : nullptr;
  case OpKind::Mul:
    return isFloatFill(second, 1) ? first : isFloatFill(first, 1) ? second : nullptr;
  case OpKind::Sub:
    return isFloatFill(second, 0) ? first : nullptr;
  case OpKind::Div:
    return isFloatFill(second, 1) ? first : nullptr;
  case OpKind::Conv2D:
  case OpKind::DepthwiseConv2D:
  case OpKind::Dense:
  case OpKind::ReduceMean:
  case OpKind::Softmax:
  case OpKind::Maximum:
  case OpKind::Minimum:
  case OpKind::LeakyRelu:
  case OpKind::Logistic:
  case OpKind::Tanh:
  case OpKind::Exp:
  case OpKind::Sqrt:
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Quantize:
  case OpKind::Dequantize:
  case OpKind::BatchNorm:
  case OpKind::Gather:
    return nullptr;
  }
  return nullptr;
}

static bool removeNoOp(Graph &graph, Operation *op) {
  Value *value = passedThrough(*op);
  if (!value || value->type != op->result()->type || !mayReplace(graph, op, value))
    return false;
  replaceOp(graph, op, value);
  return true;
}

/// clamp(clamp(x)) is one clamp; reshape(reshape(x)) one reshape; transpose(transpose(x)) one transpose.
static bool mergeWithProducer(Graph &graph, Operation *op) {
  Operation *inner = producerOfKind(op->operand(0), op->kind());
  if (!inner)
    return false;
  if (op->kind() == OpKind::Clamp) {
    ClampAttrs &outer = op->attrs<ClampAttrs>();
    const ClampAttrs &first = inner->attrs<ClampAttrs>();
    auto limit = [&](double bound) { return std::min(std::max(bound, outer.min), outer.max); };
    outer = {limit(first.min), limit(first.max)};
  } else if (op->kind() == OpKind::Transpose) {
    TransposeAttrs &outer = op->attrs<TransposeAttrs>();
    outer.perm = compose(inner->attrs<TransposeAttrs>().perm, outer.perm);
  } else if (op->kind() != OpKind::Reshape) {
    return false;
  }
  op->setOperand(0, inner->operand(0));
  eraseUnread(graph, inner);
  return true;
}

/// maximum(x, c) and minimum(x, c) with a single constant are clamps: relu and clip as some exporters spell them. A NaN
/// stays NaN, as in ONNX.
static bool spellAsClamp(Graph &graph, Operation *op) {
  if (op->kind() != OpKind::Maximum && op->kind() != OpKind::Minimum)
    return false;
  for (size_t i : {0u, 1u}) {
    Value *bound = op->operand(i), *x = op->operand(1 - i);
    if (!bound->isConstant() || bound->type.count() != 1 || x->type != op->result()->type)
      continue;
    if (bound->type.element != x->type.element || bound->type.quant != x->type.quant)
      continue;
    Tensor tensor = tensorOf(*bound);
    bool real = isFloat(bound->type.element);
    double value = real ? tensor.get<float>(0) : static_cast<double>(tensor.getInteger(0));
    if (std::isnan(value))
      continue;
    double infinity = std::numeric_limits<double>::infinity();
    double lowest = real ? -infinity : static_cast<double>(elementMin(x->type.element));
    double highest = real ? infinity : static_cast<double>(elementMax(x->type.element));
    ClampAttrs attrs = op->kind() == OpKind::Maximum ? ClampAttrs{value, highest} : ClampAttrs{lowest, value};
    replaceOp(graph, op, graph.add(OpKind::Clamp, {x}, attrs, x->type, op->loc, op->result()->name, op));
    return true;
  }
  return false;
}

/// A mean over dimensions of size 1 is a reshape.
static bool spellAsReshape(Graph &graph, Operation *op) {
  if (op->kind() != OpKind::ReduceMean)
    return false;
  const TensorType &from = op->operand(0)->type, &to = op->result()->type;
  if (!llvm::all_of(op->attrs<ReduceAttrs>().axes, [&](int64_t axis) { return from.dim(axis) == 1; }))
    return false;
  if (from.element != to.element || from.quant != to.quant || (to.quant && !to.quant->isPerTensor()))
    return false;
  replaceOp(graph, op, graph.add(OpKind::Reshape, {op->operand(0)}, NoAttrs{}, to, op->loc, op->result()->name, op));
  return true;
}

PassResult mfc::foldIdentities(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) {
    return mergeWithProducer(graph, op) || removeNoOp(graph, op) || spellAsClamp(graph, op) || spellAsReshape(graph, op);
  });
  graph.eraseDead();
  return {.changed = changed};
}
