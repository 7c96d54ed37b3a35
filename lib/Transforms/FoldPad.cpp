// An explicit pad of height and width in front of a window operator becomes the operator's own padding.
#include "Permutation.h"
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

/// What the pad of a transpose's or reshape's operand is behind it; nothing where a padded dimension is split or joined.
static std::optional<PadAttrs> padBehind(const Operation &mover, const PadAttrs &pad) {
  if (mover.kind() == OpKind::Transpose) {
    const Permutation &perm = mover.attrs<TransposeAttrs>().perm;
    return PadAttrs{permuted(pad.before, perm), permuted(pad.after, perm), pad.value};
  }
  if (mover.kind() != OpKind::Reshape)
    return std::nullopt;
  const Shape &from = mover.operand(0)->type.shape, &to = mover.result()->type.shape;
  PadAttrs result{std::vector<int64_t>(to.size()), std::vector<int64_t>(to.size()), pad.value};
  for (size_t d = 0; d < from.size(); ++d) {
    if (pad.before[d] == 0 && pad.after[d] == 0)
      continue;
    std::optional<int64_t> behind = axisAfterReshape(from, static_cast<int64_t>(d), to);
    if (!behind)
      return std::nullopt;
    result.before[static_cast<size_t>(*behind)] = pad.before[d];
    result.after[static_cast<size_t>(*behind)] = pad.after[d];
  }
  return result;
}

namespace {
/// pad -> transpose or reshape (any number, each the only reader) -> window operator.
struct PadChain {
  Operation *pad = nullptr;
  std::vector<Operation *> movers; ///< execution order
  PadAttrs atWindow;               ///< what the pad is behind the movers
};
} // namespace

static std::optional<PadChain> chainAbove(const Graph &graph, const Operation *window) {
  PadChain chain;
  const Value *value = window->operand(0);
  for (Operation *op = value->producer(); op; op = value->producer()) {
    if (op->kind() == OpKind::Pad) {
      chain.pad = op;
      break;
    }
    if ((op->kind() != OpKind::Transpose && op->kind() != OpKind::Reshape) || graph.useCount(value) != 1)
      return std::nullopt;
    chain.movers.insert(chain.movers.begin(), op);
    value = op->operand(0);
  }
  if (!chain.pad || (!chain.movers.empty() && graph.useCount(chain.pad->result()) != 1))
    return std::nullopt;
  chain.atWindow = chain.pad->attrs<PadAttrs>();
  for (const Operation *mover : chain.movers) {
    std::optional<PadAttrs> behind = padBehind(*mover, chain.atWindow);
    if (!behind)
      return std::nullopt;
    chain.atWindow = *behind;
  }
  return chain;
}

/// The shape of a mover's result when nothing is padded.
static Shape unpadded(const Operation &mover, const PadAttrs &padBehindMover) {
  Shape shape = mover.result()->type.shape;
  for (size_t d = 0; d < shape.size(); ++d)
    shape[d] -= padBehindMover.before[d] + padBehindMover.after[d];
  return shape;
}

static bool isWindow(OpKind kind) {
  return kind == OpKind::Conv2D || kind == OpKind::DepthwiseConv2D || kind == OpKind::MaxPool2D ||
         kind == OpKind::AvgPool2D;
}

static bool foldOne(Graph &graph, Operation *op, PassContext &ctx) {
  std::optional<PadChain> chain = isWindow(op->kind()) ? chainAbove(graph, op) : std::nullopt;
  if (!chain)
    return false;
  Value *x = chain->pad->operand(0);
  std::optional<std::array<int64_t, 4>> border = imagePadding(chain->atWindow);
  if (!border || !absorb(op, x, chain->atWindow.value, *border))
    return false;
  ctx.remark(RemarkKind::Passed, passName, "into-window", *op, subjectOf(*chain->pad) + " became its padding");
  PadAttrs pad = chain->pad->attrs<PadAttrs>();
  for (Operation *mover : chain->movers) {
    pad = *padBehind(*mover, pad);
    TensorType type = mover->result()->type;
    type.shape = unpadded(*mover, pad);
    x = copyOp(graph, *mover, {x}, mover->attributes, type, op);
  }
  Operation *above = op->operand(0)->producer();
  op->setOperand(0, x);
  eraseUnread(graph, above);
  return true;
}

PassResult mfc::foldPad(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) { return foldOne(graph, op, ctx); });
  graph.eraseDead();
  return {.changed = changed};
}
