// Reductions. The graph has the mean; sums are means times a count, and the others are evaluated on
// constants only.
#include "ConvertPool.h"
#include "Converters.h"
#include "FoldOnly.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;
using namespace mfc::onnx;

namespace {
struct Reduction {
  std::vector<int64_t> axes; ///< ascending
  bool keepDims = true;
  bool nothing = false; ///< noop_with_empty_axes
  int64_t count = 1;    ///< elements that become one
  Shape result;         ///< by keepDims
};
} // namespace

/// `inputSince`: the version that made axes an operand.
static std::optional<Reduction> readReduction(NodeContext &ctx, const Value *x,
                                              int64_t inputSince) {
  Reduction r;
  auto list = ctx.intsFrom("axes", 1, inputSince);
  r.keepDims = ctx.intAttr("keepdims", 1) != 0;
  bool emptyIsNothing = ctx.intAttr("noop_with_empty_axes", 0) != 0;
  if (!x || ctx.failed())
    return std::nullopt;
  r.nothing = emptyIsNothing && (!list || list->empty());
  if (list && !list->empty()) {
    auto axes = ctx.axes(*list, x->type.rank());
    if (!axes)
      return std::nullopt;
    r.axes = std::move(*axes);
  } else if (!r.nothing) {
    for (int64_t i = 0; i < x->type.rank(); ++i)
      r.axes.push_back(i);
  }
  for (int64_t i = 0; i < x->type.rank(); ++i) {
    if (!llvm::is_contained(r.axes, i)) {
      r.result.push_back(x->type.dim(i));
      continue;
    }
    r.count *= x->type.dim(i);
    if (r.keepDims)
      r.result.push_back(1);
  }
  return r;
}

/// All spatial dimensions of an image: done in the layout of the graph, so that no transpose is
/// left over.
static bool isSpatial(const Reduction &r, int64_t rank) {
  return (rank == 4 && r.axes == std::vector<int64_t>{2, 3}) ||
         (rank == 3 && r.axes == std::vector<int64_t>{2});
}

static Value *mean(NodeContext &ctx, Value *x, const Reduction &r) {
  if (!x || r.nothing || r.axes.empty())
    return x;
  if (isSpatial(r, x->type.rank()))
    return ctx.b.reshape(buildGlobalAverage(ctx, x), r.result);
  return ctx.b.add(OpKind::ReduceMean, {x}, ReduceAttrs{r.axes, r.keepDims, Rounding::HalfEven});
}

static Value *sum(NodeContext &ctx, Value *x, const Reduction &r) {
  if (r.nothing)
    return x;
  return ctx.b.binary(OpKind::Mul, mean(ctx, x, r), ctx.b.scalar(static_cast<float>(r.count)));
}

static void convertReduceMean(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  if (auto r = readReduction(ctx, x, 18))
    ctx.setResult(0, mean(ctx, x, *r));
}

template <typename F> static void foldReduction(NodeContext &ctx, int64_t inputSince, F f);

static void convertReduceSum(NodeContext &ctx) {
  Value *x = ctx.input(0);
  if (x && !isFloat(x->type.element)) {
    foldReduction(ctx, 13, [](int64_t a, int64_t b) {
      return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    });
    return;
  }
  if (auto r = readReduction(ctx, x, 13))
    ctx.setResult(0, sum(ctx, x, *r));
}

static void convertReduceSumSquare(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  if (auto r = readReduction(ctx, x, 18))
    ctx.setResult(0, sum(ctx, ctx.b.binary(OpKind::Mul, x, x), *r));
}

static void convertReduceL2(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  if (auto r = readReduction(ctx, x, 18))
    ctx.setResult(
        0, ctx.b.add(OpKind::Sqrt, {sum(ctx, ctx.b.binary(OpKind::Mul, x, x), *r)}, NoAttrs{}));
}

static void convertReduceL1(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  auto r = readReduction(ctx, x, 18);
  if (r)
    ctx.setResult(0, sum(ctx, ctx.b.add(OpKind::Abs, {x}, RoundingAttrs{Rounding::HalfEven}), *r));
}

/// Integer reduction of a constant.
template <typename F> static void foldReduction(NodeContext &ctx, int64_t inputSince, F f) {
  Value *x = ctx.input(0);
  auto r = readReduction(ctx, x, inputSince);
  if (!r)
    return;
  std::optional<Tensor> from = constantValue(*x);
  if (from && !ctx.b.spend(static_cast<int64_t>(from->bytes.size())))
    from.reset();
  if (!from || isFloat(from->type.element)) {
    ctx.refuseOperator("is supported on integer constants only");
    return;
  }
  if (r->nothing) {
    ctx.setResult(0, x);
    return;
  }
  Tensor to(TensorType{from->type.element, r->result, {}});
  std::vector<bool> seen(static_cast<size_t>(to.type.count()));
  for (int64_t i = 0, n = from->type.count(); i < n; ++i) {
    int64_t rest = i, at = 0,
            step = 1; // dropping the reduced dimensions gives the place in the result
    for (int64_t d = from->type.rank(); d-- > 0; rest /= from->type.dim(d))
      if (!llvm::is_contained(r->axes, d)) {
        at += rest % from->type.dim(d) * step;
        step *= from->type.dim(d);
      }
    bool first = !seen[static_cast<size_t>(at)];
    seen[static_cast<size_t>(at)] = true;
    to.setInteger(at, first ? from->getInteger(i) : f(to.getInteger(at), from->getInteger(i)));
  }
  ctx.setResult(0, ctx.b.constant(to));
}

static int64_t productOf(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

static void foldReduceProd(NodeContext &ctx) { foldReduction(ctx, 18, productOf); }

static void foldReduceMin(NodeContext &ctx) {
  foldReduction(ctx, 18, [](int64_t a, int64_t b) { return std::min(a, b); });
}

/// Over all spatial dimensions it is a pool.
static void convertReduceMax(NodeContext &ctx) {
  Value *x = ctx.input(0);
  if (x && isFloat(x->type.element)) {
    auto r = readReduction(ctx, x, 18);
    if (!r)
      return;
    if (isSpatial(*r, x->type.rank()))
      ctx.setResult(0, ctx.b.reshape(buildGlobalMax(ctx, x), r->result));
    else
      ctx.refuseOperator(
          "is supported over all spatial dimensions of an image or on integer constants only");
    return;
  }
  foldReduction(ctx, 18, [](int64_t a, int64_t b) { return std::max(a, b); });
}

llvm::ArrayRef<ConverterRow> onnx::reduceConverters() {
  static const ConverterRow rows[] = {
      {"ReduceL1", convertReduceL1},   {"ReduceL2", convertReduceL2},
      {"ReduceMax", convertReduceMax}, {"ReduceMean", convertReduceMean},
      {"ReduceMin", foldReduceMin},    {"ReduceProd", foldReduceProd},
      {"ReduceSum", convertReduceSum}, {"ReduceSumSquare", convertReduceSumSquare},
  };
  return rows;
}
