// Operators that change or read the shape and leave the elements alone.
#include "Converters.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;
using namespace mfc::onnx;

static void convertIdentity(NodeContext &ctx) { ctx.setResult(0, ctx.input(0)); }

static void convertDropout(NodeContext &ctx) {
  Value *x = ctx.input(0);
  if (ctx.opset < 12)
    ctx.floatAttr("ratio", 0);
  ctx.intAttr("seed", 0);
  if (!x || ctx.refuseOutput(1, "mask"))
    return;
  if (ctx.hasInput(2)) {
    std::optional<double> training = ctx.number(2, "training_mode");
    if (!training)
      return;
    if (*training != 0) {
      ctx.unsupported(2) << "Dropout in training mode, wanted training_mode false";
      return;
    }
  }
  ctx.setResult(0, x);
}

static void convertFlatten(NodeContext &ctx) {
  Value *x = ctx.input(0);
  int64_t wanted = ctx.intAttr("axis", 1);
  if (!x || ctx.failed())
    return;
  int64_t rank = x->type.rank();
  std::optional<int64_t> axis = wanted == rank ? wanted : ctx.axis(wanted, rank);
  if (!axis)
    return;
  int64_t rows = 1, columns = 1;
  for (int64_t i = 0; i < rank; ++i)
    (i < *axis ? rows : columns) *= x->type.dim(i);
  ctx.setResult(0, ctx.b.reshape(x, {rows, columns}));
}

/// Replaces 0 (copy) and one -1 (rest) in the shape operand; nothing after a diagnostic.
static std::optional<Shape> resolveShape(NodeContext &ctx, const Shape &from, Shape wanted,
                                         bool zeroCopies) {
  std::string text = shapeText(from) + " to " + shapeText(wanted);
  int64_t known = 1;
  std::optional<size_t> rest;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && zeroCopies) {
      if (i >= from.size()) {
        ctx.bad() << "Reshape from " << text << " copies dimension " << i
                  << ", which the input does not have";
        return std::nullopt;
      }
      wanted[i] = from[i];
    }
    if (wanted[i] < -1 || (wanted[i] == -1 && rest)) {
      ctx.bad() << "Reshape from " << text << ", wanted non-negative numbers and one -1 at most";
      return std::nullopt;
    }
    if (wanted[i] == -1)
      rest = i;
    else if (__builtin_mul_overflow(known, wanted[i], &known)) {
      ctx.bad() << "Reshape from " << text << " does not keep the number of elements";
      return std::nullopt;
    }
  }
  int64_t total = *elementCount(from);
  if (rest && known > 0 && total % known == 0)
    wanted[*rest] = total / known;
  else if (rest || known != total) {
    ctx.bad() << "Reshape from " << text << " does not keep the number of elements";
    return std::nullopt;
  }
  return wanted;
}

static void convertReshape(NodeContext &ctx) {
  Value *x = ctx.input(0);
  bool zeroCopies = ctx.intAttr("allowzero", 0) == 0;
  auto wanted = x ? ctx.integers(1, "shape") : std::nullopt;
  if (!wanted || ctx.failed())
    return;
  if (auto shape = resolveShape(ctx, x->type.shape, std::move(*wanted), zeroCopies))
    ctx.setResult(0, ctx.b.reshape(x, std::move(*shape)));
}

static void convertSqueeze(NodeContext &ctx) {
  Value *x = ctx.input(0);
  auto list = x ? ctx.intsFrom("axes", 1, 13) : std::nullopt;
  if (!x || ctx.failed())
    return;
  std::vector<int64_t> axes;
  if (list) {
    auto normal = ctx.axes(*list, x->type.rank());
    if (!normal)
      return;
    axes = std::move(*normal);
  } else {
    for (int64_t i = 0; i < x->type.rank(); ++i)
      if (x->type.dim(i) == 1)
        axes.push_back(i);
  }
  Shape shape;
  for (int64_t i = 0; i < x->type.rank(); ++i) {
    if (!llvm::is_contained(axes, i)) {
      shape.push_back(x->type.dim(i));
    } else if (x->type.dim(i) != 1) {
      ctx.bad(0) << "Squeeze of dimension " << i << " of shape " << shapeText(x->type.shape)
                 << ", wanted size 1";
      return;
    }
  }
  ctx.setResult(0, ctx.b.reshape(x, shape));
}

static void convertUnsqueeze(NodeContext &ctx) {
  Value *x = ctx.input(0);
  auto list = x ? ctx.intsFrom("axes", 1, 13) : std::nullopt;
  if (!x || ctx.failed())
    return;
  if (!list) {
    ctx.bad() << "Unsqueeze has no axes, wanted a list";
    return;
  }
  auto axes = ctx.axes(*list, x->type.rank() + static_cast<int64_t>(list->size()));
  if (!axes)
    return;
  Shape shape = x->type.shape;
  for (int64_t axis : *axes) // ascending, so earlier ones are in place
    shape.insert(shape.begin() + axis, 1);
  ctx.setResult(0, ctx.b.reshape(x, shape));
}

static void convertShape(NodeContext &ctx) {
  Value *x = ctx.input(0);
  int64_t begin = ctx.intAttr("start", 0),
          end = ctx.hasAttr("end") ? ctx.intAttr("end", 0) : INT64_MAX;
  if (!x || ctx.failed())
    return;
  int64_t rank = x->type.rank();
  auto clip = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  begin = clip(begin);
  end = std::max(begin, clip(end));
  ctx.setResult(
      0, ctx.b.indices(llvm::ArrayRef(x->type.shape)
                           .slice(static_cast<size_t>(begin), static_cast<size_t>(end - begin))));
}

static void convertSize(NodeContext &ctx) {
  if (Value *x = ctx.input(0))
    ctx.setResult(0, ctx.b.reshape(ctx.b.indices({x->type.count()}), {}));
}

llvm::ArrayRef<ConverterRow> onnx::shapeConverters() {
  static const ConverterRow rows[] = {
      {"Dropout", convertDropout}, {"Flatten", convertFlatten},     {"Identity", convertIdentity},
      {"Reshape", convertReshape}, {"Shape", convertShape},         {"Size", convertSize},
      {"Squeeze", convertSqueeze}, {"Unsqueeze", convertUnsqueeze},
  };
  return rows;
}
