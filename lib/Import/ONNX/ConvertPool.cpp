// MaxPool, AveragePool and the global pools.
#include "ConvertPool.h"

#include "Converters.h"
#include "Layout.h"
#include "SpatialWindow.h"

#include <algorithm>

using namespace mfc;
using namespace mfc::onnx;

/// ceil_mode: what to add to the padding at the end so that floor gives as many outputs as ceil. A
/// last window that would start behind the input and the padding before it is dropped (ONNX
/// operator text of MaxPool), so it can be negative.
static std::array<int64_t, 2> ceilPadding(const SpatialWindow &w, llvm::ArrayRef<int64_t> spatial) {
  std::array<int64_t, 2> extra{0, 0};
  for (size_t i = 0; i < spatial.size(); ++i) {
    size_t d = i + 2 - spatial.size();
    int64_t span = (w.kernel[d] - 1) * w.dilation[d] + 1;
    int64_t room = spatial[i] + w.pad[d] + w.pad[d + 2] - span;
    if (room < 0)
      continue;
    int64_t outputs = (room + w.stride[d] - 1) / w.stride[d] + 1;
    if ((outputs - 1) * w.stride[d] >= spatial[i] + w.pad[d])
      --outputs;
    if (outputs != room / w.stride[d] + 1)
      extra[d] = std::max((outputs - 1) * w.stride[d] - room, -w.pad[d + 2]);
  }
  return extra;
}

namespace {
struct Pool {
  PoolAttrs attrs;
  std::array<int64_t, 2> ceilExtra{0, 0}; ///< padding at the end that comes from ceil_mode
};
} // namespace

static std::optional<Pool> readPool(NodeContext &ctx, const TensorType &x) {
  llvm::ArrayRef<int64_t> spatial = llvm::ArrayRef(x.shape).drop_front(2);
  if (!ctx.hasAttr("kernel_shape")) {
    ctx.bad() << ctx.opType() << " has no kernel_shape, wanted one";
    return std::nullopt;
  }
  std::vector<int64_t> kernel = ctx.intsAttr("kernel_shape");
  if (ctx.failed())
    return std::nullopt;
  if (kernel.size() != spatial.size()) {
    ctx.bad() << "kernel_shape has " << kernel.size() << " numbers, the input has "
              << spatial.size() << " spatial dimensions";
    return std::nullopt;
  }
  auto window = readWindow(ctx, spatial, kernel);
  if (!window)
    return std::nullopt;
  Pool pool;
  if (ctx.intAttr("ceil_mode", 0) != 0 && window->explicitPad)
    pool.ceilExtra = ceilPadding(*window, spatial);
  pool.attrs.kernel = window->kernel;
  pool.attrs.stride = window->stride;
  pool.attrs.dilation = window->dilation;
  pool.attrs.pad = window->pad;
  pool.attrs.rounding = Rounding::HalfEven;
  for (size_t d = 0; d < 2; ++d)
    if (pool.ceilExtra[d] < 0) {
      pool.attrs.pad[d + 2] += pool.ceilExtra[d];
      pool.ceilExtra[d] = 0;
    }
  return pool;
}

static void convertMaxPool(NodeContext &ctx) {
  Value *x = imageInput(ctx, 0);
  ctx.intAttr("storage_order", 0); // of the second output only
  if (!x || ctx.refuseOutput(1, "Indices"))
    return;
  auto pool = readPool(ctx, x->type);
  if (!pool)
    return;
  pool->attrs.pad[2] += pool->ceilExtra[0];
  pool->attrs.pad[3] += pool->ceilExtra[1];
  Value *y = ctx.b.add(OpKind::MaxPool2D, {toNHWC(ctx.b, x)}, pool->attrs);
  ctx.setResult(0, fromNHWC(ctx.b, y, x->type.rank()));
}

Value *onnx::buildAveragePool(NodeContext &ctx, Value *x) {
  auto pool = readPool(ctx, x->type);
  bool countPad = ctx.intAttr("count_include_pad", 0) != 0;
  if (!pool || ctx.failed())
    return nullptr;
  PoolAttrs &attrs = pool->attrs;
  Value *image = toNHWC(ctx.b, x);
  bool ceils = pool->ceilExtra[0] > 0 || pool->ceilExtra[1] > 0;
  if (countPad && ceils) {
    // The padding counts, what ceil_mode adds does not: zeros for the first, real padding for the
    // second.
    image = ctx.b.add(
        OpKind::Pad, {image},
        PadAttrs{{0, attrs.pad[0], attrs.pad[1], 0}, {0, attrs.pad[2], attrs.pad[3], 0}, 0});
    attrs.pad = {0, 0, 0, 0};
    countPad = false;
  }
  attrs.pad[2] += pool->ceilExtra[0];
  attrs.pad[3] += pool->ceilExtra[1];
  attrs.countIncludePad = countPad;
  Value *y = ctx.b.add(OpKind::AvgPool2D, {image}, attrs);
  return fromNHWC(ctx.b, y, x->type.rank());
}

static void convertAveragePool(NodeContext &ctx) {
  Value *x = imageInput(ctx, 0);
  if (x && ctx.floatInput(0))
    ctx.setResult(0, buildAveragePool(ctx, x));
}

Value *onnx::buildGlobalAverage(NodeContext &ctx, Value *x) {
  ReduceAttrs attrs{{1, 2}, true, Rounding::HalfEven};
  return fromNHWC(ctx.b, ctx.b.add(OpKind::ReduceMean, {toNHWC(ctx.b, x)}, attrs), x->type.rank());
}

static void convertGlobalAveragePool(NodeContext &ctx) {
  Value *x = imageInput(ctx, 0);
  if (x && ctx.floatInput(0))
    ctx.setResult(0, buildGlobalAverage(ctx, x));
}

Value *onnx::buildGlobalMax(NodeContext &ctx, Value *x) {
  Value *image = toNHWC(ctx.b, x);
  if (!image)
    return nullptr;
  PoolAttrs attrs;
  attrs.kernel = {image->type.dim(1), image->type.dim(2)};
  attrs.rounding = Rounding::HalfEven;
  return fromNHWC(ctx.b, ctx.b.add(OpKind::MaxPool2D, {image}, attrs), x->type.rank());
}

static void convertGlobalMaxPool(NodeContext &ctx) {
  Value *x = imageInput(ctx, 0);
  if (x)
    ctx.setResult(0, buildGlobalMax(ctx, x));
}

llvm::ArrayRef<ConverterRow> onnx::poolConverters() {
  static const ConverterRow rows[] = {
      {"AveragePool", convertAveragePool},
      {"GlobalAveragePool", convertGlobalAveragePool},
      {"GlobalMaxPool", convertGlobalMaxPool},
      {"MaxPool", convertMaxPool},
  };
  return rows;
}
