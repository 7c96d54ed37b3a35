// An explicit pad of height and width in front of a window operator becomes the operator's own padding.
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace mfc;

static const char *const passName = "fold-pad";

/// top, left, bottom, right; nothing if batch or channels are padded too.
static std::optional<std::array<int64_t, 4>> imagePadding(const PadAttrs &pad) {
  if (pad.before.size() != 4 || pad.before[0] || pad.after[0] || pad.before[3] || pad.after[3])
    return std::nullopt;
  return std::array<int64_t, 4>{pad.before[1], pad.before[2], pad.after[1], pad.after[2]};
}

/// The stored value that stands for the real 0; nothing for integers without quantization.
static std::optional<double> storedZero(const TensorType &type) {
  if (isFloat(type.element))
    return 0.0;
  if (!type.quant || !type.quant->isPerTensor())
    return std::nullopt;
  return type.quant->zeroPoint();
}

/// A bound below which no element of the value can be, in stored units.
static double lowestOf(const Value *value) {
  if (const Operation *clamp = producerOfKind(value, OpKind::Clamp))
    return clamp->attrs<ClampAttrs>().min;
  if (isFloat(value->type.element))
    return -std::numeric_limits<double>::infinity();
  return static_cast<double>(elementMin(value->type.element));
}

static bool anyOf(const std::array<int64_t, 4> &pad) {
  return llvm::any_of(pad, [](int64_t p) { return p != 0; });
}

static std::array<int64_t, 4> sum(std::array<int64_t, 4> a, const std::array<int64_t, 4> &b) {
  for (size_t i = 0; i < 4; ++i)
    a[i] += b[i];
  return a;
}

/// The explicit border counted in the mean; the operator's own border must then count as well.
static bool absorbInMean(PoolAttrs &attrs, const std::array<int64_t, 4> &border) {
  if (anyOf(attrs.pad) && !attrs.countIncludePad)
    return false;
  attrs.pad = sum(attrs.pad, border);
  attrs.countIncludePad = true;
  return true;
}

/// The border must not have won anywhere: no element is smaller, and each window sees an element.
static bool absorbInMaximum(PoolAttrs &attrs, const std::array<int64_t, 4> &border, const Value *x, double value) {
  std::array<int64_t, 4> pad = sum(attrs.pad, border);
  for (size_t i = 0; i < 4; ++i)
    if (pad[i] >= attrs.kernel[i % 2] || attrs.dilation[i % 2] != 1)
      return false;
  if (value > lowestOf(x))
    return false;
  attrs.pad = pad;
  return true;
}

/// Changes the attributes of `op` so that it reads x instead of pad(x); false where the meaning would differ.
static bool absorb(Operation *op, const Value *x, double value, const std::array<int64_t, 4> &border) {
  bool zero = storedZero(x->type) == value;
  if (op->kind() == OpKind::MaxPool2D)
    return absorbInMaximum(op->attrs<PoolAttrs>(), border, x, value);
  if (op->kind() == OpKind::AvgPool2D)
    return zero && absorbInMean(op->attrs<PoolAttrs>(), border);
  if (op->kind() != OpKind::Conv2D && op->kind() != OpKind::DepthwiseConv2D)
    return false;
  if (!zero)
    return false;
  ConvAttrs &attrs = op->attrs<ConvAttrs>();
  attrs.pad = sum(attrs.pad, border);
  return true;
}

static bool foldOne(Graph &graph, Operation *op, PassContext &ctx) {
  if (op->operands().empty())
    return false;
  Operation *pad = producerOfKind(op->operand(0), OpKind::Pad);
  if (!pad)
    return false;
  const PadAttrs &attrs = pad->attrs<PadAttrs>();
  std::optional<std::array<int64_t, 4>> border = imagePadding(attrs);
  if (!border || !absorb(op, pad->operand(0), attrs.value, *border))
    return false;
  ctx.remark(RemarkKind::Passed, passName, "into-window", *op, subjectOf(*pad) + " became its padding");
  op->setOperand(0, pad->operand(0));
  eraseUnread(graph, pad);
  return true;
}

PassResult mfc::foldPad(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) { return foldOne(graph, op, ctx); });
  graph.eraseDead();
  return {.changed = changed};
}
