#include "CommuteQuantize.h"

#include "Rewrite.h"
#include "mfc/Ops/QuantizedForms.h"

using namespace mfc;

bool mfc::commutesWithQuantize(OpKind kind) {
  return hasTrait(kind, OpTrait::Injective) || hasTrait(kind, OpTrait::View) || kind == OpKind::Clamp ||
         kind == OpKind::MaxPool2D || kind == OpKind::Maximum || kind == OpKind::Minimum;
}

size_t mfc::dataOperandCount(const Operation &op) {
  bool many = op.kind() == OpKind::Concat || op.kind() == OpKind::Maximum || op.kind() == OpKind::Minimum;
  return many ? op.operands().size() : 1;
}

/// Attributes in stored units of the type.
static Attributes storedAttributes(const Operation &op, const TensorType &stored, Rounding rounding) {
  StoredRange range = storedRange(stored);
  auto quantized = [&](double real) {
    return static_cast<double>(quantizeReal(static_cast<float>(real), stored.quant->scale(), range, rounding));
  };
  if (op.kind() == OpKind::Clamp) {
    const ClampAttrs &attrs = op.attrs<ClampAttrs>();
    return ClampAttrs{quantized(attrs.min), quantized(attrs.max)};
  }
  if (op.kind() == OpKind::Pad) {
    PadAttrs attrs = op.attrs<PadAttrs>();
    attrs.value = quantized(attrs.value);
    return attrs;
  }
  return op.attributes;
}

void mfc::moveQuantizeUp(Graph &graph, Operation *quantize, Operation *op) {
  const TensorType &type = quantize->result()->type;
  const RoundingAttrs &rounding = quantize->attrs<RoundingAttrs>();
  std::vector<Value *> operands(op->operands());
  for (size_t i = 0; i < dataOperandCount(*op); ++i) {
    TensorType stored = type;
    stored.shape = operands[i]->type.shape;
    operands[i] = graph.add(OpKind::Quantize, {operands[i]}, rounding, stored, quantize->loc,
                            quantize->result()->name, quantize);
  }
  Value *value = copyOp(graph, *op, operands, storedAttributes(*op, type, rounding.rounding), type, quantize);
  value->name = quantize->result()->name;
  replaceOp(graph, quantize, value);
}
