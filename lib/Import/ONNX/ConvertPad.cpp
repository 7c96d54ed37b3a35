// Pad: constant, edge, reflect and wrap; negative padding crops.
#include "ConvertSlice.h"
#include "Converters.h"
#include "Types.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;
using namespace mfc::onnx;

static constexpr int64_t kLargestPad = int64_t(1) << 20;

namespace {
struct Border {
  std::vector<int64_t> before, after; ///< one entry a dimension
  double value = 0;
  std::string mode;
};
} // namespace

/// Index of the element that stands at position i of the padded dimension, relative to the unpadded
/// one.
static int64_t sourceIndex(int64_t i, int64_t size, llvm::StringRef mode) {
  if (mode == "edge")
    return std::clamp<int64_t>(i, 0, size - 1);
  if (mode == "wrap")
    return ((i % size) + size) % size;
  int64_t period = std::max<int64_t>(2 * (size - 1), 1); // reflect
  int64_t j = ((i % period) + period) % period;
  return j < size ? j : period - j;
}

static Value *padByIndex(NodeContext &ctx, Value *x, const Border &border) {
  for (size_t d = 0; x && d < border.before.size(); ++d) {
    int64_t size = x->type.shape[d], length = border.before[d] + size + border.after[d];
    if (length == size && border.before[d] == 0)
      continue;
    std::vector<int64_t> list;
    for (int64_t i = 0; i < length; ++i)
      list.push_back(sourceIndex(i - border.before[d], size, border.mode));
    x = ctx.b.pick(x, static_cast<int64_t>(d), list);
  }
  return x;
}

static Value *padByValue(NodeContext &ctx, Value *x, const Border &border) {
  PadAttrs attrs{border.before, border.after, border.value};
  for (size_t d = 0; d < attrs.before.size(); ++d) {
    int64_t cropBefore = std::max<int64_t>(-attrs.before[d], 0),
            cropAfter = std::max<int64_t>(-attrs.after[d], 0);
    attrs.before[d] += cropBefore;
    attrs.after[d] += cropAfter;
    if (x && cropBefore + cropAfter > 0)
      x = cut(ctx.b, x, static_cast<int64_t>(d), cropBefore,
              x->type.shape[d] - cropBefore - cropAfter);
  }
  auto none = [](int64_t p) { return p == 0; };
  if (llvm::all_of(attrs.before, none) && llvm::all_of(attrs.after, none))
    return x;
  return ctx.b.add(OpKind::Pad, {x}, std::move(attrs));
}

static void finishPad(NodeContext &ctx, Value *x, const Border &border) {
  static const char *modes[] = {"constant", "edge", "reflect", "wrap"};
  if (!llvm::is_contained(modes, border.mode)) {
    ctx.unsupported() << "Pad with mode '" << border.mode
                      << "', wanted constant, edge, reflect or wrap";
    return;
  }
  for (size_t d = 0; d < border.before.size(); ++d) {
    int64_t before = border.before[d], after = border.after[d], size = x->type.shape[d];
    auto tooLarge = [](int64_t p) { return p < -kLargestPad || p > kLargestPad; };
    if (tooLarge(before) || tooLarge(after) ||
        size + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0) < 1) {
      ctx.bad() << "Pad of dimension " << d << " of size " << size << " by " << before << " and "
                << after << ", wanted numbers up to " << kLargestPad << " that leave an element";
      return;
    }
  }
  ctx.setResult(0, border.mode == "constant" ? padByValue(ctx, x, border)
                                             : padByIndex(ctx, x, border));
}

/// `pads` lists the beginnings, then the ends, of `axes` (all dimensions if there are none).
static bool spread(NodeContext &ctx, int64_t rank, llvm::ArrayRef<int64_t> pads,
                   std::vector<int64_t> axes, Border &border) {
  if (axes.empty())
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  if (!ctx.axes(axes, rank))
    return false;
  if (pads.size() != 2 * axes.size()) {
    ctx.bad() << "Pad has " << pads.size() << " numbers for " << axes.size()
              << " dimensions, wanted two for each";
    return false;
  }
  border.before.assign(static_cast<size_t>(rank), 0);
  border.after = border.before;
  for (size_t i = 0; i < axes.size(); ++i) {
    auto d = static_cast<size_t>(*ctx.axis(axes[i], rank));
    border.before[d] = pads[i];
    border.after[d] = pads[i + axes.size()];
  }
  return true;
}

static void convertPadAttrs(NodeContext &ctx) {
  Value *x = ctx.input(0);
  Border border;
  border.mode = ctx.stringAttr("mode", "constant");
  border.value = ctx.floatAttr("value", 0);
  std::vector<int64_t> pads = ctx.intsAttr("pads");
  if (x && !ctx.failed() && spread(ctx, x->type.rank(), pads, {}, border))
    finishPad(ctx, x, border);
}

static void convertPad(NodeContext &ctx) {
  Value *x = ctx.input(0);
  Border border;
  border.mode = ctx.stringAttr("mode", "constant");
  auto pads = x ? ctx.integers(1, "pads") : std::nullopt;
  if (!pads || ctx.failed())
    return;
  if (ctx.hasInput(2)) {
    const Value *fill = ctx.optionalInput(2);
    std::optional<double> number = fill ? ctx.number(2, "constant_value") : std::nullopt;
    if (!number)
      return;
    if (fill->type.element != x->type.element) {
      ctx.bad(2) << "Pad of " << dataTypeName(x->type.element) << " with "
                 << dataTypeName(fill->type.element) << ", wanted the same type";
      return;
    }
    border.value = *number;
  }
  std::vector<int64_t> axes;
  if (ctx.hasInput(3)) {
    auto list = ctx.integers(3, "axes");
    if (!list)
      return;
    axes = std::move(*list);
  }
  if (spread(ctx, x->type.rank(), *pads, axes, border))
    finishPad(ctx, x, border);
}

llvm::ArrayRef<ConverterRow> onnx::padConverters() {
  static const ConverterRow rows[] = {{"Pad", convertPadAttrs, 1, 10}, {"Pad", convertPad, 11}};
  return rows;
}
