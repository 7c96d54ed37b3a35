// Outer rows and columns of a kernel that hold only zeros leave, and the window shrinks with them.
//
// A tap of zeros adds 0 to every accumulator, wherever it reads. Without the first tap the window
// begins one dilation later, which must come out of the padding; without the last one it ends
// earlier, which must not make room for another output.
#include "ConstantEdit.h"
#include "Rewrite.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Ops/Window.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mfc;

static const char *const passName = "trim-taps";

/// Which taps along dimension `axis` of the weights are zero everywhere.
static std::vector<bool> zeroTaps(const Value &weights, int64_t axis) {
  const Tensor tensor = tensorOf(weights);
  int64_t inner = 1;
  for (int64_t d = axis + 1; d < weights.type.rank(); ++d)
    inner *= weights.type.dim(d);
  std::vector<bool> zero(static_cast<size_t>(weights.type.dim(axis)), true);
  for (int64_t i = 0, n = weights.type.count(); i < n; ++i)
    if (tensor.getInteger(i) != 0)
      zero[static_cast<size_t>(i / inner % weights.type.dim(axis))] = false;
  return zero;
}

namespace {
/// A window and the taps of the old one that are left.
struct Trimmed {
  Window window;
  int64_t begin = 0, end = 0;
};
} // namespace

static Trimmed trimmed(const Window &old, int64_t input, const std::vector<bool> &zero) {
  Trimmed result{old, 0, old.kernel};
  Window &w = result.window;
  while (w.kernel > 1 && zero[static_cast<size_t>(result.begin)] && w.before >= w.dilation) {
    w.before -= w.dilation;
    --w.kernel;
    ++result.begin;
  }
  while (w.kernel > 1 && zero[static_cast<size_t>(result.end - 1)]) {
    Window shorter = w;
    shorter.after = std::max<int64_t>(0, w.after - w.dilation);
    --shorter.kernel;
    if (windowOutputs(input, shorter) != windowOutputs(input, old))
      break;
    w = shorter;
    --result.end;
  }
  if (w.kernel == 1)
    w.dilation = 1; // says nothing any more
  return result;
}

static bool trim(Graph &graph, Operation *op, PassContext &ctx) {
  const bool isWindow = op->kind() == OpKind::Conv2D || op->kind() == OpKind::DepthwiseConv2D;
  if (!isWindow || !op->operand(0)->type.isQuantized() || !op->operand(1)->isConstant())
    return false;
  ConvAttrs &attrs = op->attrs<ConvAttrs>();
  const int64_t macs = macCount(*op);
  const Shape before = op->operand(1)->type.shape;
  bool changed = false;
  for (int d : {0, 1}) {
    const Value &weights = *op->operand(1);
    const int64_t axis = d + 1;
    const Trimmed result = trimmed(convWindow(attrs, weights.type.dim(axis), d),
                                   op->operand(0)->type.dim(axis), zeroTaps(weights, axis));
    if (result.window.kernel == weights.type.dim(axis))
      continue;
    std::vector<int64_t> taps(static_cast<size_t>(result.window.kernel));
    std::iota(taps.begin(), taps.end(), result.begin);
    op->setOperand(1, addTensor(graph, selected(weights, axis, taps), weights.name));
    attrs.dilation[d] = result.window.dilation;
    attrs.pad[d] = result.window.before;
    attrs.pad[d + 2] = result.window.after;
    changed = true;
  }
  if (changed) {
    auto kernel = [](const Shape &shape) {
      return std::to_string(shape[1]) + "x" + std::to_string(shape[2]);
    };
    ctx.remark(
        RemarkKind::Passed, passName, "zero-taps", *op,
        "kernel " + kernel(before) + " -> " + kernel(op->operand(1)->type.shape) +
            ", the outer taps are zero; MACs " + std::to_string(macs) + " -> " +
            std::to_string(macCount(*op)),
        {{"MacsBefore", std::to_string(macs)}, {"MacsAfter", std::to_string(macCount(*op))}});
  }
  return changed;
}

PassResult mfc::trimTaps(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) { return trim(graph, op, ctx); });
  graph.eraseDead();
  return {.changed = changed};
}
