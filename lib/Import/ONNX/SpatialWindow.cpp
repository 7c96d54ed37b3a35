#include "SpatialWindow.h"

#include "mfc/Ops/Window.h"
#include "llvm/ADT/STLExtras.h"

using namespace mfc;
using namespace mfc::onnx;

/// Bounds every product of window arithmetic.
static constexpr int64_t kLargest = int64_t(1) << 24;

/// An attribute with `count` numbers in [least, 2^24], or `otherwise` everywhere if it is not
/// there.
static std::optional<std::vector<int64_t>>
readList(NodeContext &ctx, llvm::StringRef name, size_t count, int64_t least, int64_t otherwise) {
  if (!ctx.hasAttr(name))
    return std::vector<int64_t>(count, otherwise);
  std::vector<int64_t> list = ctx.intsAttr(name);
  if (ctx.failed())
    return std::nullopt;
  if (list.size() != count) {
    ctx.bad() << "attribute '" << name << "' has " << list.size() << " numbers, wanted " << count;
    return std::nullopt;
  }
  for (int64_t x : list)
    if (x < least || x > kLargest) {
      ctx.bad() << "attribute '" << name << "' holds " << x << ", wanted numbers from " << least
                << " to " << kLargest;
      return std::nullopt;
    }
  return list;
}

/// Padding that gives ceil(input / stride) outputs.
static void padSame(SpatialWindow &w, size_t d, int64_t input, bool lower) {
  auto [before, after] =
      samePadding(input, Window{w.kernel[d], w.stride[d], w.dilation[d], 0, 0}, lower);
  w.pad[d] = before;
  w.pad[d + 2] = after;
}

std::optional<SpatialWindow> onnx::readWindow(NodeContext &ctx, llvm::ArrayRef<int64_t> spatial,
                                              llvm::ArrayRef<int64_t> kernel) {
  size_t n = spatial.size();
  if (llvm::any_of(kernel, [](int64_t k) { return k < 1 || k > kLargest; })) {
    ctx.bad() << "kernel of " << ctx.opType() << " is " << shapeText(Shape(kernel))
              << ", wanted numbers from 1 to " << kLargest;
    return std::nullopt;
  }
  auto strides = readList(ctx, "strides", n, 1, 1);
  auto dilations = readList(ctx, "dilations", n, 1, 1);
  auto pads = readList(ctx, "pads", 2 * n, 0, 0);
  std::string autoPad = ctx.stringAttr("auto_pad", "NOTSET");
  if (!strides || !dilations || !pads || ctx.failed())
    return std::nullopt;
  SpatialWindow w;
  w.explicitPad = autoPad == "NOTSET" || autoPad.empty();
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!w.explicitPad && !same && autoPad != "VALID") {
    ctx.bad() << "auto_pad is '" << autoPad << "', wanted NOTSET, SAME_UPPER, SAME_LOWER or VALID";
    return std::nullopt;
  }
  for (size_t i = 0; i < n; ++i) {
    size_t d = i + 2 - n; // one dimension is the width
    w.kernel[d] = kernel[i];
    w.stride[d] = (*strides)[i];
    w.dilation[d] = (*dilations)[i];
    if (same) {
      padSame(w, d, spatial[i], autoPad == "SAME_LOWER");
    } else if (w.explicitPad) {
      w.pad[d] = (*pads)[i];
      w.pad[d + 2] = (*pads)[i + n];
    }
  }
  return w;
}
