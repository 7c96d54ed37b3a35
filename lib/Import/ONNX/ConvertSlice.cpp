// Slice and Split.
#include "ConvertSlice.h"

#include "Converters.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;
using namespace mfc::onnx;

Value *onnx::cut(Builder &b, Value *x, int64_t axis, int64_t begin, int64_t size) {
  if (!x)
    return nullptr;
  TensorType result = x->type;
  if (begin == 0 && size == x->type.dim(axis))
    return x;
  SliceAttrs attrs{Shape(result.shape.size(), 0), Shape(result.shape.size(), 1)};
  attrs.begin[static_cast<size_t>(axis)] = begin;
  result.shape[static_cast<size_t>(axis)] = size;
  return b.addShaped(OpKind::Slice, {x}, attrs, result);
}

namespace {
struct Cut {
  std::vector<int64_t> starts, ends, axes, steps;
};
} // namespace

/// Start and number of elements of one dimension, by the clamping rules of the ONNX operator text.
static std::pair<int64_t, int64_t> clampCut(int64_t start, int64_t end, int64_t step,
                                            int64_t size) {
  auto fromEnd = [&](int64_t i) { return i < 0 ? i + size : i; };
  start = fromEnd(start);
  end = fromEnd(end);
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, size);
    end = std::clamp<int64_t>(end, 0, size);
    return {start, end > start ? (end - start - 1) / step + 1 : 0};
  }
  start = std::clamp<int64_t>(start, 0, size - 1);
  end = std::clamp<int64_t>(end, -1, size - 1);
  return {start, start > end ? (start - end - 1) / -step + 1 : 0};
}

static Value *applyCut(NodeContext &ctx, Value *x, const Cut &cut) {
  TensorType result = x->type;
  size_t rank = result.shape.size();
  SliceAttrs attrs{Shape(rank, 0), Shape(rank, 1)};
  for (size_t i = 0; i < cut.axes.size(); ++i) {
    std::optional<int64_t> axis = ctx.axis(cut.axes[i], x->type.rank());
    if (!axis)
      return nullptr;
    // Sizes stay far below 2^40, so a step of that size is as good as a longer one and cannot
    // overflow.
    int64_t step = std::clamp<int64_t>(cut.steps[i], -(int64_t(1) << 40), int64_t(1) << 40);
    if (step == 0) {
      ctx.bad() << "Slice has step 0 along dimension " << *axis << ", wanted another number";
      return nullptr;
    }
    auto d = static_cast<size_t>(*axis);
    auto [begin, size] = clampCut(cut.starts[i], cut.ends[i], step, x->type.shape[d]);
    result.shape[d] = size;
    attrs.begin[d] = begin;
    attrs.stride[d] = size > 1 ? step : 1;
  }
  if (llvm::is_contained(result.shape, 0)) {
    if (x->isConstant() && rank == 1)
      return ctx.b.indices({}); // an empty list in shape arithmetic
    ctx.unsupported() << "Slice of shape " << shapeText(x->type.shape) << " is empty ("
                      << shapeText(result.shape) << "), wanted at least one element";
    return nullptr;
  }
  if (result.shape == x->type.shape && llvm::all_of(attrs.stride, [](int64_t s) { return s == 1; }))
    return x;
  return ctx.b.addShaped(OpKind::Slice, {x}, attrs, result);
}

/// Fills the defaults and checks the lengths, then cuts.
static void finishSlice(NodeContext &ctx, Value *x, Cut cut, bool hasAxes, bool hasSteps) {
  size_t n = cut.starts.size();
  if (!hasAxes)
    for (size_t i = 0; i < n; ++i)
      cut.axes.push_back(static_cast<int64_t>(i));
  if (!hasSteps)
    cut.steps.assign(n, 1);
  if (cut.ends.size() != n || cut.axes.size() != n || cut.steps.size() != n) {
    ctx.bad() << "Slice has " << n << " starts, " << cut.ends.size() << " ends, " << cut.axes.size()
              << " axes and " << cut.steps.size() << " steps, wanted as many of each";
    return;
  }
  if (ctx.axes(cut.axes, x->type.rank()))
    ctx.setResult(0, applyCut(ctx, x, cut));
}

static void convertSliceAttrs(NodeContext &ctx) {
  Value *x = ctx.input(0);
  Cut cut{ctx.intsAttr("starts"), ctx.intsAttr("ends"), {}, {}};
  bool hasAxes = ctx.hasAttr("axes");
  if (hasAxes)
    cut.axes = ctx.intsAttr("axes");
  if (x && !ctx.failed())
    finishSlice(ctx, x, std::move(cut), hasAxes, false);
}

static void convertSlice(NodeContext &ctx) {
  Value *x = ctx.input(0);
  static const char *names[] = {"data", "starts", "ends", "axes", "steps"};
  Cut cut;
  std::vector<int64_t> *lists[] = {nullptr, &cut.starts, &cut.ends, &cut.axes, &cut.steps};
  for (size_t i = 1; x && i <= 4; ++i) {
    if (i > 2 && !ctx.hasInput(i))
      continue;
    auto list = ctx.integers(i, names[i]);
    if (!list)
      return;
    *lists[i] = std::move(*list);
  }
  if (x)
    finishSlice(ctx, x, std::move(cut), ctx.hasInput(3), ctx.hasInput(4));
}

/// Sizes of equal parts; the last may be smaller (opset 18).
static std::optional<std::vector<int64_t>> equalParts(NodeContext &ctx, int64_t size,
                                                      int64_t count) {
  int64_t part = count > 0 ? (size + count - 1) / count : 0;
  bool uneven = part > 0 && size % count != 0;
  if (part == 0 || (uneven && (ctx.opset < 18 || part * (count - 1) >= size))) {
    ctx.bad() << "Split of a dimension of " << size << " into " << count
              << " parts, wanted a divisor";
    return std::nullopt;
  }
  std::vector<int64_t> parts(static_cast<size_t>(count), part);
  parts.back() = size - part * (count - 1);
  return parts;
}

static void convertSplit(NodeContext &ctx) {
  Value *x = ctx.input(0);
  int64_t wanted = ctx.intAttr("axis", 0);
  auto outputs = static_cast<int64_t>(ctx.outputCount());
  int64_t count = ctx.opset >= 18 ? ctx.intAttr("num_outputs", outputs) : outputs;
  auto parts = x ? ctx.intsFrom("split", 1, 13) : std::nullopt;
  std::optional<int64_t> axis =
      x && !ctx.failed() ? ctx.axis(wanted, x->type.rank()) : std::nullopt;
  if (!axis)
    return;
  int64_t size = x->type.dim(*axis), total = 0;
  if (!parts && count == outputs)
    parts = equalParts(ctx, size, count);
  if (ctx.failed())
    return;
  bool positive = parts && llvm::all_of(*parts, [&](int64_t p) { return p > 0 && p <= size; });
  for (size_t i = 0; positive && i < parts->size(); ++i)
    total += (*parts)[i];
  if (!positive || static_cast<int64_t>(parts->size()) != outputs || total != size) {
    ctx.bad() << "Split of a dimension of " << size << " into " << outputs << " outputs with sizes "
              << (parts ? shapeText(*parts) : "of " + std::to_string(count) + " parts")
              << ", wanted one positive size an output and " << size << " in all";
    return;
  }
  int64_t begin = 0;
  for (size_t i = 0; i < parts->size(); begin += (*parts)[i++])
    if (ctx.hasOutput(i))
      ctx.setResult(i, cut(ctx.b, x, *axis, begin, (*parts)[i]));
}

llvm::ArrayRef<ConverterRow> onnx::sliceConverters() {
  static const ConverterRow rows[] = {
      {"Slice", convertSliceAttrs, 1, 9},
      {"Slice", convertSlice, 10},
      {"Split", convertSplit},
  };
  return rows;
}
