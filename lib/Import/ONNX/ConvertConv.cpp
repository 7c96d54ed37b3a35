// Conv: conv2d or depthwise_conv2d in NHWC. The float parts of QLinearConv come through here, too.
#include "ConvertConv.h"

#include "Converters.h"
#include "Layout.h"
#include "SpatialWindow.h"
#include "Types.h"

using namespace mfc;
using namespace mfc::onnx;

/// Ranks, channel counts and kernel_shape; the group count, or nothing after a diagnostic.
static std::optional<int64_t> checkConv(NodeContext &ctx, const TensorType &x,
                                        const TensorType &w) {
  int64_t groups = ctx.intAttr("group", 1);
  std::string shapes = "input is " + shapeText(x.shape) + ", weights are " + shapeText(w.shape);
  if (w.rank() != x.rank()) {
    ctx.bad() << shapes << ", wanted as many dimensions";
    return std::nullopt;
  }
  if (groups < 1 || w.dim(0) % groups != 0 || x.dim(1) % groups != 0) {
    ctx.bad() << "group is " << groups << ", wanted a divisor of the " << x.dim(1)
              << " input and the " << w.dim(0) << " output channels";
    return std::nullopt;
  }
  if (w.dim(1) != x.dim(1) / groups) {
    ctx.bad() << "weights have " << w.dim(1) << " input channels in each of " << groups
              << " groups but the input has " << x.dim(1) << " channels (" << shapes << ")";
    return std::nullopt;
  }
  if (ctx.hasAttr("kernel_shape")) {
    std::vector<int64_t> kernel = ctx.intsAttr("kernel_shape");
    if (!ctx.failed() && kernel != Shape(w.shape.begin() + 2, w.shape.end()))
      ctx.bad() << "kernel_shape is " << shapeText(kernel) << " but weights are "
                << shapeText(w.shape);
  }
  return ctx.failed() ? std::nullopt : std::optional(groups);
}

/// One bias value per output channel.
static bool checkBias(NodeContext &ctx, const Value *bias, int64_t channels) {
  if (!bias || (bias->type.rank() == 1 && bias->type.dim(0) == channels))
    return true;
  ctx.bad() << "bias has shape " << shapeText(bias->type.shape) << ", weights have " << channels
            << " output channels";
  return false;
}

Value *onnx::buildConv(NodeContext &ctx, Value *x, Value *w, Value *bias) {
  std::optional<int64_t> groups = checkConv(ctx, x->type, w->type);
  if (!groups || !checkBias(ctx, bias, w->type.dim(0)))
    return nullptr;
  const Shape &xs = x->type.shape, &ws = w->type.shape;
  auto window = readWindow(ctx, llvm::ArrayRef(xs).drop_front(2), llvm::ArrayRef(ws).drop_front(2));
  if (!window)
    return nullptr;
  bool depthwise = *groups > 1 && ws[1] == 1;
  ConvAttrs attrs;
  attrs.stride = window->stride;
  attrs.dilation = window->dilation;
  attrs.pad = window->pad;
  attrs.groups = depthwise ? 1 : *groups;
  attrs.rounding = Rounding::HalfEven;
  std::vector<Value *> operands = {toNHWC(ctx.b, x),
                                   depthwise ? toDepthwise(ctx.b, w) : toOHWI(ctx.b, w)};
  bool constantBias = bias && (bias->isConstant() || constantDequantize(bias));
  if (constantBias)
    operands.push_back(bias);
  Value *y = ctx.b.add(depthwise ? OpKind::DepthwiseConv2D : OpKind::Conv2D, operands, attrs);
  if (bias && !constantBias)
    y = ctx.b.binary(OpKind::Add, y, bias); // along the channels, which are last here
  return fromNHWC(ctx.b, y, x->type.rank());
}

static void convertConv(NodeContext &ctx) {
  Value *x = imageInput(ctx, 0);
  Value *w = x ? ctx.constantInput(1, "weights") : nullptr;
  if (!w)
    return;
  if (!isFloat(x->type.element) || !isFloat(w->type.element)) {
    ctx.bad() << "Conv of " << dataTypeName(x->type.element) << " input with "
              << dataTypeName(w->type.element) << " weights, wanted float32 for both";
    return;
  }
  Value *bias = ctx.hasInput(2) ? ctx.floatInput(2) : nullptr;
  if (ctx.failed())
    return;
  ctx.setResult(0, buildConv(ctx, x, w, bias));
}

llvm::ArrayRef<ConverterRow> onnx::convConverters() {
  static const ConverterRow rows[] = {{"Conv", convertConv}};
  return rows;
}
