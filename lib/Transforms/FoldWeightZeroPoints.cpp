// Kernels multiply stored weights as they are: a weight zero point is subtracted here, once. The difference of two
// 8-bit values needs nine bits, so weights that do not fit i8 afterwards become i16.
#include "Affine.h"
#include "ConstantEdit.h"
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static const char *const passName = "fold-weight-zero-points";

static bool needsFold(const Value *weights) {
  const TensorType &type = weights->type;
  return type.quant && elementBytes(type.element) == 1 &&
         (type.element != ElementType::I8 || llvm::any_of(type.quant->zeroPoints, [](int32_t z) { return z != 0; }));
}

static int64_t innerCount(const TensorType &type) {
  int64_t inner = 1;
  for (int64_t d = type.quant->axis + 1; d < type.rank(); ++d)
    inner *= type.dim(d);
  return inner;
}

static Value *withoutZeroPoints(Graph &graph, const Value &weights) {
  Tensor tensor = tensorOf(weights);
  const Quantization &quant = *weights.type.quant;
  std::vector<int64_t> values(static_cast<size_t>(weights.type.count()));
  bool fits = true;
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t at = static_cast<int64_t>(i);
    size_t slice = quant.isPerTensor() ? 0 : static_cast<size_t>(at / innerCount(weights.type) % weights.type.dim(quant.axis));
    values[i] = tensor.getInteger(at) - quant.zeroPoint(slice);
    fits &= values[i] >= INT8_MIN && values[i] <= INT8_MAX;
  }
  TensorType type = weights.type;
  type.element = fits ? ElementType::I8 : ElementType::I16;
  type.quant->zeroPoints.assign(quant.zeroPoints.size(), 0);
  Tensor result(type);
  for (size_t i = 0; i < values.size(); ++i)
    result.setInteger(static_cast<int64_t>(i), values[i]);
  return addTensor(graph, std::move(result), weights.name);
}

static bool foldOne(Graph &graph, Operation *op, PassContext &ctx) {
  Value *weights = isConvLike(op->kind()) ? constantUnder(op->operand(1)) : nullptr;
  if (!weights || !needsFold(weights))
    return false;
  Value *folded = withoutZeroPoints(graph, *weights);
  bool wide = folded->type.element == ElementType::I16;
  ctx.remark(wide ? RemarkKind::Missed : RemarkKind::Passed, passName, wide ? "i16" : "i8", *op,
             wide ? "weights minus their zero point do not fit i8, stored as i16"
                  : "weights minus their zero point fit i8",
             {{"bytes", std::to_string(folded->type.bytes())}});
  Operation *dequantize = op->operand(1)->producer();
  if (dequantize)
    folded = copyOp(graph, *dequantize, {folded}, NoAttrs{}, dequantize->result()->type, op);
  op->setOperand(1, folded);
  if (dequantize)
    eraseUnread(graph, dequantize);
  return true;
}

PassResult mfc::foldWeightZeroPoints(Graph &graph, PassContext &ctx) {
  bool changed = false;
  for (Operation *op : graph.ops())
    changed |= foldOne(graph, op, ctx);
  graph.eraseDead();
  return {.changed = changed};
}
