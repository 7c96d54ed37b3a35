// What the kernels can do, asked before anything is emitted: by fusion (tails) and by the final check of the transforms.
#include "Elementwise.h"
#include "KernelIO.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Ops/QuantizedForms.h"

using namespace mfc;

static bool refuse(std::string &why, const llvm::Twine &text) {
  why = text.str();
  return false;
}

/// conv2d, depthwise_conv2d, dense: constant weights and bias, matching types.
static bool canLowerProduct(const Operation &op, std::string &why) {
  const TensorType &in = op.operand(0)->type, &weights = op.operand(1)->type, &out = op.result()->type;
  for (size_t i = 1; i < op.operands().size(); ++i)
    if (!op.operand(i)->isConstant())
      return refuse(why, (i == 1 ? llvm::Twine("weights") : llvm::Twine("bias")) + " must be constant");
  if (isFloat(in.element))
    return (isFloat(weights.element) && isFloat(out.element)) ||
           refuse(why, "float input needs float weights and result, " + typeText(weights) + " is found");
  bool input = in.element == ElementType::I8 || in.element == ElementType::I16;
  bool weight = weights.element == ElementType::I8 || weights.element == ElementType::I16;
  if (!input || !weight || !out.isQuantized() || elementBytes(out.element) > 2)
    return refuse(why, "quantized operands and result of 8 or 16 signed bits are wanted, " + typeText(in) + " with weights " +
                           typeText(weights) + " is found");
  for (int32_t zeroPoint : weights.quant->zeroPoints)
    if (zeroPoint != 0)
      return refuse(why, "weights with zero point 0 are wanted, " + llvm::Twine(zeroPoint) + " is found");
  return true;
}

static bool canLowerPool(const Operation &op, std::string &why) {
  ElementType element = op.operand(0)->type.element;
  return isFloat(element) || elementBytes(element) <= 2 || refuse(why, "float or 8 or 16 bit elements are wanted");
}

bool mfc::canLower(const Operation &op, std::string &why) {
  const TensorType &in = op.operand(0)->type;
  switch (op.kind()) {
  case OpKind::Conv2D:
  case OpKind::DepthwiseConv2D:
  case OpKind::Dense:
    return canLowerProduct(op, why);
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
    return canLowerPool(op, why);
  case OpKind::ReduceMean:
    return isFloat(in.element) || (in.isQuantized() && elementBytes(in.element) == 1) ||
           refuse(why, "float or 8-bit quantized elements are wanted");
  case OpKind::Softmax:
    return isFloat(in.element) ||
           (in.isQuantized() && elementBytes(in.element) == 1 && elementBytes(op.result()->type.element) == 1) ||
           refuse(why, "float or 8-bit quantized elements are wanted");
  case OpKind::BatchNorm:
    return refuse(why, "batch_norm with parameters that are not constant has no kernel");
  case OpKind::Gather:
    return op.operand(1)->type.element == ElementType::I32 || op.operand(1)->type.element == ElementType::I64 ||
           refuse(why, "indices of i32 or i64 are wanted");
  case OpKind::Reshape:
  case OpKind::Identity:
  case OpKind::Transpose:
  case OpKind::Concat:
  case OpKind::Slice:
  case OpKind::Pad:
    return true;
  default:
    return canEmitElementwise(op, why);
  }
}

/// Kernels that store through storedStrides().
static bool canStoreRemapped(const Operation &anchor, const Operation &transpose) {
  switch (anchor.kind()) {
  case OpKind::Conv2D:
  case OpKind::DepthwiseConv2D:
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
  case OpKind::Concat:
  case OpKind::Slice:
  case OpKind::Pad:
    return canRemap(anchor, transpose);
  default:
    return hasTrait(anchor.kind(), OpTrait::Elementwise) && canRemap(anchor, transpose);
  }
}

bool mfc::canFuseTail(const Operation &anchor, const Operation &tail, const TargetInfo *) {
  if (tail.kind() == OpKind::Transpose)
    return canStoreRemapped(anchor, tail);
  std::string why;
  if (!canEmitElementwise(tail, why))
    return false;
  if (hasTrait(anchor.kind(), OpTrait::Elementwise))
    return true;
  if (hasTrait(anchor.kind(), OpTrait::Injective) || hasTrait(anchor.kind(), OpTrait::View))
    return false;
  const TensorType &result = anchor.result()->type;
  if (tail.result()->type.count() != result.count())
    return false;
  for (const Value *operand : tail.operands()) {
    TailOperand kind = classifyTailOperand(operand->type, result);
    if (kind == TailOperand::None)
      return false;
    int64_t axis = anchor.kind() == OpKind::Softmax ? anchor.attrs<SoftmaxAttrs>().axis : -1;
    if (kind == TailOperand::Channel && axis >= 0 && axis + 1 != result.rank())
      return false; // the kernel walks rows along another dimension
  }
  return true;
}

bool mfc::canFuseHead(const Operation &head, const Operation &anchor) {
  if (head.kind() != OpKind::Transpose || anchor.operand(0) != head.result())
    return false;
  switch (anchor.kind()) {
  case OpKind::Conv2D:
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
    return true;
  default: // not broadcast: every element is read once
    return hasTrait(anchor.kind(), OpTrait::Elementwise) && head.result()->type.shape == anchor.result()->type.shape;
  }
}
