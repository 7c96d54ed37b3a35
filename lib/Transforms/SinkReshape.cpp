#include "SinkReshape.h"

#include "Permutation.h"
#include "Rewrite.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static bool isPerAxis(const TensorType &type) { return type.quant && !type.quant->isPerTensor(); }

/// The operand of the reshape that makes this value, if moving it is possible; else null.
static Value *reshaped(const Value *value) {
  Operation *reshape = producerOfKind(value, OpKind::Reshape);
  if (!reshape || reshape->operand(0)->isConstant() || isPerAxis(value->type))
    return nullptr;
  return reshape->operand(0);
}

/// Ends a rewrite: op on other operands with a result of `shape`, reshaped to what op's readers expect.
static bool sink(Graph &graph, Operation *op, llvm::ArrayRef<Value *> operands, Attributes attributes, const Shape &shape) {
  TensorType inner = op->result()->type;
  Shape outer = inner.shape;
  inner.shape = shape;
  Value *value = copyOp(graph, *op, operands, std::move(attributes), inner, op);
  replaceOp(graph, op, addReshape(graph, value, outer, *op, op));
  return true;
}

static bool sinkThroughUnary(Graph &graph, Operation *op) {
  Value *x = reshaped(op->operand(0));
  return x && sink(graph, op, {x}, op->attributes, x->type.shape);
}

static bool sinkThroughBatchNorm(Graph &graph, Operation *op) {
  Value *x = reshaped(op->operand(0));
  if (!x)
    return false;
  const Shape &shape = op->result()->type.shape;
  BatchNormAttrs attrs = op->attrs<BatchNormAttrs>();
  int64_t axis = attrs.axis < 0 ? attrs.axis + static_cast<int64_t>(shape.size()) : attrs.axis;
  std::optional<int64_t> inner = axisAfterReshape(shape, axis, x->type.shape);
  if (!inner)
    return false;
  attrs.axis = *inner;
  std::vector<Value *> operands(op->operands());
  operands[0] = x;
  return sink(graph, op, operands, attrs, x->type.shape);
}

/// A constant that broadcasting repeats the same way over both shapes: a single element, or one value for each index of
/// a last dimension that the reshape keeps.
static bool broadcastsAlike(const Value *value, const Shape &inner, const Shape &outer) {
  const Shape &shape = value->type.shape;
  if (!value->isConstant() || isPerAxis(value->type) || shape.size() > inner.size())
    return false;
  if (value->type.count() == 1)
    return true;
  bool lastOnly = llvm::all_of(llvm::drop_end(shape), [](int64_t d) { return d == 1; });
  return lastOnly && inner.back() == outer.back();
}

static bool sinkThroughBinary(Graph &graph, Operation *op) {
  const Shape &outer = op->result()->type.shape;
  const Shape *inner = nullptr;
  std::vector<Value *> operands(op->operands());
  for (Value *&operand : operands) {
    Value *x = operand->type.shape == outer ? reshaped(operand) : nullptr;
    if (!x)
      continue;
    if (inner && *inner != x->type.shape)
      return false;
    inner = &x->type.shape;
    operand = x;
  }
  if (!inner)
    return false;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i] == op->operand(i) && !broadcastsAlike(operands[i], *inner, outer))
      return false;
  return sink(graph, op, operands, op->attributes, Shape(*inner));
}

/// pad and slice act on each dimension alone, so they follow dimensions that the reshape keeps.
static bool sinkThroughDimwise(Graph &graph, Operation *op) {
  Value *x = reshaped(op->operand(0));
  const Shape &outer = op->operand(0)->type.shape;
  auto dims = x ? unitReshapeDims(x->type.shape, outer) : std::nullopt;
  if (!dims)
    return false;
  const Shape &result = op->result()->type.shape;
  Shape shape = x->type.shape;
  for (size_t d = 0; d < dims->size(); ++d) {
    if ((*dims)[d] >= 0)
      shape[static_cast<size_t>((*dims)[d])] = result[d];
    else if (result[d] != 1)
      return false;
  }
  auto mapped = [&](llvm::ArrayRef<int64_t> entries, int64_t otherwise) {
    std::vector<int64_t> list(x->type.shape.size(), otherwise);
    for (size_t d = 0; d < dims->size(); ++d)
      if ((*dims)[d] >= 0)
        list[static_cast<size_t>((*dims)[d])] = entries[d];
    return list;
  };
  if (op->kind() == OpKind::Slice) {
    const SliceAttrs &attrs = op->attrs<SliceAttrs>();
    return sink(graph, op, {x}, SliceAttrs{mapped(attrs.begin, 0), mapped(attrs.stride, 1)}, shape);
  }
  const PadAttrs &attrs = op->attrs<PadAttrs>();
  return sink(graph, op, {x}, PadAttrs{mapped(attrs.before, 0), mapped(attrs.after, 0), attrs.value}, shape);
}

bool mfc::sinkReshapeThrough(Graph &graph, Operation *op) {
  if (isPerAxis(op->result()->type))
    return false;
  if (op->kind() == OpKind::Pad || op->kind() == OpKind::Slice)
    return sinkThroughDimwise(graph, op);
  if (op->kind() == OpKind::BatchNorm)
    return sinkThroughBatchNorm(graph, op);
  if (!hasTrait(op->kind(), OpTrait::Elementwise))
    return false;
  return op->operands().size() == 2 ? sinkThroughBinary(graph, op) : sinkThroughUnary(graph, op);
}
