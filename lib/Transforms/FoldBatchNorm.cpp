// batch_norm is an affine map with constants: into the convolution before it, else into the one behind it, else
// a mul and an add.
#include "Affine.h"
#include "ConstantEdit.h"
#include "Rewrite.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mfc;

static const char *const passName = "fold-batch-norm";

static int64_t axisOf(const Operation &op) {
  int64_t axis = op.attrs<BatchNormAttrs>().axis;
  return axis < 0 ? axis + op.operand(0)->type.rank() : axis;
}

/// Nothing if a parameter is not constant.
static std::optional<Affine> affineOf(const Operation &op) {
  for (size_t i = 1; i < 5; ++i)
    if (!constantUnder(op.operand(i)))
      return std::nullopt;
  std::vector<double> scale = realsOf(*constantUnder(op.operand(1))), bias = realsOf(*constantUnder(op.operand(2)));
  std::vector<double> mean = realsOf(*constantUnder(op.operand(3))), variance = realsOf(*constantUnder(op.operand(4)));
  for (size_t c = 0; c < scale.size(); ++c) {
    scale[c] /= std::sqrt(variance[c] + static_cast<double>(op.attrs<BatchNormAttrs>().epsilon));
    bias[c] -= mean[c] * scale[c];
  }
  return Affine{scale, bias};
}

/// The one convolution that reads the result, if it is the only reader.
static Operation *onlyConvBehind(const Graph &graph, const Operation &op) {
  const Value *result = op.result();
  if (graph.useCount(result) != 1 || result->users().size() != 1)
    return nullptr;
  Operation *user = result->users()[0];
  return isConvLike(user->kind()) && user->operand(0) == result ? user : nullptr;
}

static void toMulAdd(Graph &graph, Operation *op, const Affine &affine) {
  const TensorType &type = op->result()->type;
  // One value a channel, broadcast from the right: [C] for the last dimension, [C, 1, 1] further in front.
  Shape shape(static_cast<size_t>(type.rank() - axisOf(*op)), 1);
  shape[0] = type.dim(axisOf(*op));
  auto constant = [&](llvm::ArrayRef<double> values, const char *suffix) {
    return addFloats(graph, shape, std::vector<float>(values.begin(), values.end()), op->result()->name + suffix);
  };
  Value *product = graph.add(OpKind::Mul, {op->operand(0), constant(affine.scale, "/scale")}, RoundingAttrs{}, type,
                             op->loc, op->result()->name, op);
  replaceOp(graph, op,
            graph.add(OpKind::Add, {product, constant(affine.shift, "/shift")}, RoundingAttrs{}, type, op->loc,
                      op->result()->name, op));
}

static bool foldOne(Graph &graph, Operation *op, PassContext &ctx, bool &failed) {
  std::optional<Affine> affine = affineOf(*op);
  if (!affine) {
    ctx.diag.error(ErrorClass::Unsupported, op->loc)
        << "batch_norm has parameters that are computed at run time, wanted constants";
    failed = true;
    return false;
  }
  Value *x = op->operand(0);
  bool lastAxis = axisOf(*op) == x->type.rank() - 1;
  if (lastAxis && acceptsAffine(graph, x, *affine)) {
    ctx.remark(RemarkKind::Passed, passName, "into-producer", *op, "folded into " + subjectOf(*x->producer()));
    foldAffineAfter(graph, x->producer(), *affine, op);
    return true;
  }
  Operation *behind = lastAxis ? onlyConvBehind(graph, *op) : nullptr;
  if (behind && foldAffineBefore(graph, behind, *affine)) {
    ctx.remark(RemarkKind::Passed, passName, "into-consumer", *op, "folded into " + subjectOf(*behind));
    replaceOp(graph, op, x);
    return true;
  }
  bool shared = x->producer() && isConvLike(x->producer()->kind()) && graph.useCount(x) != 1;
  ctx.remark(RemarkKind::Missed, passName, "mul-add", *op,
             shared ? "becomes mul and add: the convolution has other readers"
                    : "becomes mul and add: no float convolution beside it takes it up");
  toMulAdd(graph, op, *affine);
  return true;
}

PassResult mfc::foldBatchNorm(Graph &graph, PassContext &ctx) {
  PassResult result;
  for (Operation *op : graph.ops())
    if (op->kind() == OpKind::BatchNorm)
      result.changed |= foldOne(graph, op, ctx, result.failed);
  graph.eraseDead();
  return result;
}
