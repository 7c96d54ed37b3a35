// Resize and Upsample with mode nearest: a gather with constant indices along each dimension that
// changes.
#include "Converters.h"
#include "Types.h"

#include <algorithm>
#include <cmath>

using namespace mfc;
using namespace mfc::onnx;

static constexpr int64_t kLargestSize = int64_t(1) << 20;

namespace {
/// How positions of the result map to the input (ONNX operator text of Resize).
struct Mapping {
  std::string coordinates; ///< coordinate_transformation_mode
  std::string
      rounding; ///< nearest_mode; "simple": ceil when shrinking, else floor, as before opset 11
};
} // namespace

/// Position in the input, not rounded. In float32 like onnxruntime, since ties decide.
static float sourcePosition(int64_t i, float scale, int64_t from, int64_t to,
                            llvm::StringRef mode) {
  auto x = static_cast<float>(i);
  if (mode == "asymmetric")
    return x / scale;
  if (mode == "align_corners")
    return to == 1 ? 0 : x * static_cast<float>(from - 1) / static_cast<float>(to - 1);
  if (mode == "pytorch_half_pixel" && to == 1)
    return 0;
  return (x + 0.5f) / scale - 0.5f;
}

static int64_t roundPosition(float x, llvm::StringRef mode) {
  if (mode == "floor")
    return static_cast<int64_t>(std::floor(x));
  if (mode == "ceil")
    return static_cast<int64_t>(std::ceil(x));
  if (mode == "round_prefer_ceil")
    return static_cast<int64_t>(std::floor(x + 0.5f));
  return static_cast<int64_t>(std::ceil(x - 0.5f)); // round_prefer_floor
}

/// Resizes dimension `axis` to `size`, which is `scale` times its present one.
static Value *resizeAxis(NodeContext &ctx, Value *x, int64_t axis, int64_t size, float scale,
                         const Mapping &mapping) {
  if (!x)
    return nullptr;
  int64_t from = x->type.dim(axis);
  if (size < 1 || size > kLargestSize) {
    ctx.bad() << ctx.opType() << " of dimension " << axis << " of size " << from << " to " << size
              << ", wanted 1 to " << kLargestSize;
    return nullptr;
  }
  std::vector<int64_t> list(static_cast<size_t>(size));
  llvm::StringRef rounding = mapping.rounding;
  if (rounding == "simple")
    rounding = scale < 1 ? "ceil" : "floor";
  bool same = size == from;
  for (int64_t i = 0; i < size; ++i) {
    float position = sourcePosition(i, scale, from, size, mapping.coordinates);
    int64_t index = std::clamp<int64_t>(roundPosition(position, rounding), 0, from - 1);
    list[static_cast<size_t>(i)] = index;
    same &= index == i;
  }
  return same ? x : ctx.b.pick(x, axis, list);
}

static void applyScales(NodeContext &ctx, Value *x, llvm::ArrayRef<float> scales,
                        llvm::ArrayRef<int64_t> axes, const Mapping &mapping) {
  if (scales.size() != axes.size()) {
    ctx.bad() << ctx.opType() << " has " << scales.size() << " scales for " << axes.size()
              << " dimensions";
    return;
  }
  Value *y = x;
  for (size_t i = 0; y && i < scales.size(); ++i) {
    float size = std::floor(static_cast<float>(x->type.dim(axes[i])) * scales[i]);
    if (!(scales[i] > 0) || !(size <= static_cast<float>(kLargestSize))) {
      ctx.bad() << "scale " << i << " of " << ctx.opType() << " is " << scales[i]
                << ", wanted a positive number that "
                << "gives sizes up to " << kLargestSize;
      return;
    }
    y = resizeAxis(ctx, y, axes[i], static_cast<int64_t>(size), scales[i], mapping);
  }
  ctx.setResult(0, y);
}

static void applySizes(NodeContext &ctx, Value *x, llvm::ArrayRef<int64_t> sizes,
                       llvm::ArrayRef<int64_t> axes, const Mapping &mapping) {
  if (sizes.size() != axes.size()) {
    ctx.bad() << ctx.opType() << " has " << sizes.size() << " sizes for " << axes.size()
              << " dimensions";
    return;
  }
  Value *y = x;
  for (size_t i = 0; y && i < sizes.size(); ++i) {
    float scale = static_cast<float>(sizes[i]) / static_cast<float>(x->type.dim(axes[i]));
    y = resizeAxis(ctx, y, axes[i], sizes[i], scale, mapping);
  }
  ctx.setResult(0, y);
}

static std::optional<std::vector<float>> floatList(NodeContext &ctx, size_t i,
                                                   llvm::StringRef what) {
  std::optional<Tensor> tensor = ctx.floatInput(i) ? ctx.contents(i, what) : std::nullopt;
  if (!tensor)
    return std::nullopt;
  std::vector<float> list;
  for (int64_t k = 0, n = tensor->type.count(); k < n; ++k)
    list.push_back(tensor->get<float>(k));
  return list;
}

static bool requireNearest(NodeContext &ctx) {
  std::string mode = ctx.stringAttr("mode", "nearest");
  if (!ctx.failed() && mode != "nearest")
    ctx.unsupported() << ctx.opType() << " with mode '" << mode << "', wanted nearest";
  return !ctx.failed();
}

static std::vector<int64_t> allAxes(const Value *x) {
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < x->type.rank(); ++i)
    axes.push_back(i);
  return axes;
}

/// Upsample of opset 7 has scales as an attribute; Upsample 9 and Resize 10 as operand 1. All map
/// like this.
static void convertUpsample(NodeContext &ctx) {
  Value *x = ctx.input(0);
  if (!x || !requireNearest(ctx))
    return;
  std::optional<std::vector<float>> scales =
      ctx.opset < 9 ? std::optional(ctx.floatsAttr("scales")) : floatList(ctx, 1, "scales");
  if (scales && !ctx.failed())
    applyScales(ctx, x, *scales, allAxes(x), {"asymmetric", "simple"});
}

static bool refuseForms(NodeContext &ctx, const Mapping &mapping) {
  ctx.floatAttr("cubic_coeff_a", 0); // of other modes, like the next ones
  ctx.intAttr("exclude_outside", 0);
  ctx.floatAttr("extrapolation_value", 0);
  ctx.intAttr("antialias", 0);
  std::string policy = ctx.stringAttr("keep_aspect_ratio_policy", "stretch");
  static const char *coordinates[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                      "align_corners"};
  static const char *roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  auto listed = [](const auto &list, const std::string &word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
  };
  if (!ctx.failed() && (!listed(coordinates, mapping.coordinates) ||
                        !listed(roundings, mapping.rounding) || policy != "stretch"))
    ctx.unsupported()
        << "Resize with coordinate_transformation_mode '" << mapping.coordinates
        << "', nearest_mode '" << mapping.rounding << "' and keep_aspect_ratio_policy '" << policy
        << "', wanted half_pixel, pytorch_half_pixel, asymmetric or align_corners, and stretch";
  return ctx.failed();
}

static void convertResize(NodeContext &ctx) {
  Value *x = ctx.input(0);
  if (!x || !requireNearest(ctx))
    return;
  Mapping mapping{ctx.stringAttr("coordinate_transformation_mode", "half_pixel"),
                  ctx.stringAttr("nearest_mode", "round_prefer_floor")};
  std::vector<int64_t> axes = allAxes(x);
  if (ctx.hasAttr("axes"))
    axes = ctx.intsAttr("axes");
  if (refuseForms(ctx, mapping) || !ctx.axes(axes, x->type.rank()))
    return;
  for (int64_t &a : axes)
    a = a < 0 ? a + x->type.rank() : a;
  // Absent operands may also be empty tensors.
  std::vector<float> scales;
  if (ctx.hasInput(2)) {
    auto list = floatList(ctx, 2, "scales");
    if (!list)
      return;
    scales = std::move(*list);
  }
  if (!scales.empty())
    return applyScales(ctx, x, scales, axes, mapping);
  auto sizes = ctx.hasInput(3) ? ctx.integers(3, "sizes") : std::nullopt;
  if (sizes)
    applySizes(ctx, x, *sizes, axes, mapping);
  else if (!ctx.failed())
    ctx.bad() << "Resize has neither scales nor sizes";
}

llvm::ArrayRef<ConverterRow> onnx::resizeConverters() {
  static const ConverterRow rows[] = {
      {"Resize", convertUpsample, 10, 10},
      {"Resize", convertResize, 11},
      {"Upsample", convertUpsample, 7, 9},
  };
  return rows;
}
