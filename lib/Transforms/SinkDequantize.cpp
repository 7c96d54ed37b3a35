// Data movement on dequantized values moves the stored values instead.
#include "Permutation.h"
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mfc;

static double storedOf(double real, const TensorType &type) {
  return real / static_cast<double>(type.quant->scale()) + type.quant->zeroPoint();
}

/// The stored value of a real that the type represents exactly; nothing if it rounds or saturates.
static std::optional<double> exactStored(double real, const TensorType &type) {
  double stored = storedOf(real, type);
  bool fits = stored >= static_cast<double>(elementMin(type.element)) &&
              stored <= static_cast<double>(elementMax(type.element));
  if (!fits || stored != std::floor(stored))
    return std::nullopt;
  return stored;
}

/// Clamp bounds that no element reaches or that are exact (0 is); everything else waits for a quantize (fold-qdq).
static std::optional<ClampAttrs> storedBounds(const ClampAttrs &attrs, const TensorType &type) {
  double lowest = static_cast<double>(elementMin(type.element));
  double highest = static_cast<double>(elementMax(type.element));
  std::optional<double> low = storedOf(attrs.min, type) <= lowest ? lowest : exactStored(attrs.min, type);
  std::optional<double> high = storedOf(attrs.max, type) >= highest ? highest : exactStored(attrs.max, type);
  if (!low || !high)
    return std::nullopt;
  return ClampAttrs{*low, *high};
}

/// The stored type of the result when `op` moves values of type `from`; nothing where per-axis quantization does
/// not survive.
static std::optional<TensorType> movedType(const Operation &op, const TensorType &from) {
  TensorType type = from;
  type.shape = op.result()->type.shape;
  if (from.quant->isPerTensor())
    return type;
  if (op.kind() == OpKind::Transpose)
    return typeAfter(from, op.attrs<TransposeAttrs>().perm);
  if (op.kind() != OpKind::Reshape)
    return std::nullopt;
  if (from.quant->scales.size() == 1) {
    type.quant->axis = -1;
    return type;
  }
  std::optional<int64_t> axis = axisAfterReshape(from.shape, from.quant->axis, type.shape);
  if (!axis)
    return std::nullopt;
  type.quant->axis = static_cast<int>(*axis);
  return type;
}

/// Attributes in stored units; nothing if the operator computes or a value has no exact stored form.
static std::optional<Attributes> storedAttributes(const Operation &op, const TensorType &from) {
  switch (op.kind()) {
  case OpKind::Transpose:
  case OpKind::Reshape:
  case OpKind::Identity:
  case OpKind::Slice:
  case OpKind::Gather:
  case OpKind::Concat:
  case OpKind::MaxPool2D:
    return op.attributes;
  case OpKind::Pad: {
    PadAttrs attrs = op.attrs<PadAttrs>();
    std::optional<double> value =
        from.quant->isPerTensor() ? exactStored(attrs.value, from) : std::optional<double>();
    if (!value)
      return std::nullopt;
    attrs.value = *value;
    return attrs;
  }
  case OpKind::Clamp: {
    std::optional<ClampAttrs> bounds;
    if (from.quant->isPerTensor())
      bounds = storedBounds(op.attrs<ClampAttrs>(), from);
    if (!bounds)
      return std::nullopt;
    return *bounds;
  }
  case OpKind::Conv2D:
  case OpKind::DepthwiseConv2D:
  case OpKind::Dense:
  case OpKind::AvgPool2D:
  case OpKind::ReduceMean:
  case OpKind::Softmax:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
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
  case OpKind::Requantize:
  case OpKind::Cast:
  case OpKind::BatchNorm:
    return std::nullopt;
  }
  return std::nullopt;
}

/// How many of the first operands carry data (gather's second are indices).
static size_t dataOperands(const Operation &op) { return op.kind() == OpKind::Concat ? op.operands().size() : 1; }

static bool sinkOne(Graph &graph, Operation *op) {
  std::vector<Value *> operands(op->operands());
  const TensorType *from = nullptr;
  for (size_t i = 0; i < dataOperands(*op); ++i) {
    Operation *dequantize = producerOfKind(operands[i], OpKind::Dequantize);
    if (!dequantize)
      return false;
    operands[i] = dequantize->operand(0);
    const TensorType &type = operands[i]->type;
    if (from && (from->element != type.element || from->quant != type.quant || !type.quant->isPerTensor()))
      return false;
    from = &type;
  }
  std::optional<Attributes> attributes = storedAttributes(*op, *from);
  std::optional<TensorType> type = attributes ? movedType(*op, *from) : std::nullopt;
  if (!type)
    return false;
  Value *moved = copyOp(graph, *op, operands, *attributes, *type, op);
  Value *value = graph.add(OpKind::Dequantize, {moved}, NoAttrs{}, op->result()->type, op->loc, op->result()->name, op);
  replaceOp(graph, op, value);
  return true;
}

PassResult mfc::sinkDequantize(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) { return !op->operands().empty() && sinkOne(graph, op); });
  graph.eraseDead();
  return {.changed = changed};
}
