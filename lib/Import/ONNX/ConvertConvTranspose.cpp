// ConvTranspose: a convolution over its phases (TransposedConv.h).
#include "Converters.h"
#include "Layout.h"
#include "SpatialWindow.h"
#include "Types.h"

#include "../TransposedConv.h"

using namespace mfc;
using namespace mfc::onnx;

namespace {
/// Numbers of an attribute by dimension; one spatial dimension is the width.
using PerDimension = std::array<int64_t, 2>;
} // namespace

/// Bounds every product of window arithmetic.
static constexpr int64_t kLargest = int64_t(1) << 24;

static std::optional<PerDimension> readNumbers(NodeContext &ctx, llvm::StringRef name, size_t count,
                                               int64_t otherwise, int64_t least) {
  PerDimension numbers{otherwise, otherwise};
  if (!ctx.hasAttr(name))
    return numbers;
  std::vector<int64_t> list = ctx.intsAttr(name);
  if (!ctx.failed() && list.size() != count)
    ctx.bad() << "attribute '" << name << "' has " << list.size() << " numbers, wanted " << count;
  if (ctx.failed())
    return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    if (list[i] < least || list[i] > kLargest) {
      ctx.bad() << "attribute '" << name << "' holds " << list[i] << ", wanted numbers from " << least
                << " to " << kLargest;
      return std::nullopt;
    }
    numbers[i + 2 - count] = list[i];
  }
  return numbers;
}

/// Sizes and padding. auto_pad and output_shape say how many outputs there are, the padding follows: all of it at
/// the end that SAME_UPPER or SAME_LOWER names, if it is odd (ONNX operator specification, ConvTranspose).
static std::optional<std::array<TransposedWindow, 2>> readTransposed(NodeContext &ctx, const Shape &x,
                                                                     const Shape &w) {
  size_t n = x.size() - 2;
  auto window = readWindow(ctx, llvm::ArrayRef(x).drop_front(2), llvm::ArrayRef(w).drop_front(2));
  auto extra = readNumbers(ctx, "output_padding", n, 0, 0);
  auto shape = readNumbers(ctx, "output_shape", n, 0, 1);
  if (!window || !extra || !shape)
    return std::nullopt;
  std::string autoPad = ctx.stringAttr("auto_pad", "NOTSET");
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  std::array<TransposedWindow, 2> result;
  for (size_t d = 0; d < 2; ++d) {
    bool real = d + n >= 2;
    int64_t inputs = real ? x[d + n] : 1;
    TransposedWindow &t = result[d];
    t = {inputs, window->kernel[d], window->stride[d], window->dilation[d], window->pad[d], 1};
    if (!real)
      continue;
    int64_t natural = t.stride * (inputs - 1) + (*extra)[d] + (t.kernel - 1) * t.dilation + 1;
    t.outputs = natural - window->pad[d] - window->pad[d + 2];
    if ((*shape)[d] || same) {
      t.outputs = (*shape)[d] ? (*shape)[d] : inputs * t.stride;
      int64_t total = std::max<int64_t>(natural - t.outputs, 0);
      t.before = autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
    }
    if (t.outputs < 1 || t.outputs > kLargest) {
      ctx.bad() << "ConvTranspose of " << shapeText(x) << " has " << t.outputs << " outputs along a dimension, wanted 1 to "
                << kLargest;
      return std::nullopt;
    }
  }
  return result;
}

static std::optional<TransposedConv> readConv(NodeContext &ctx, const Shape &x, const Shape &w) {
  int64_t groups = ctx.intAttr("group", 1);
  if (w.size() != x.size() || groups < 1 || w[0] % groups != 0 || w[0] != x[1]) {
    ctx.bad() << "input is " << shapeText(x) << ", weights are " << shapeText(w) << ", group is " << groups
              << "; wanted weights of as many dimensions with the input's channels first, and a group that divides them";
    return std::nullopt;
  }
  if (ctx.hasAttr("kernel_shape")) {
    std::vector<int64_t> kernel = ctx.intsAttr("kernel_shape");
    if (!ctx.failed() && kernel != Shape(w.begin() + 2, w.end()))
      ctx.bad() << "kernel_shape is " << shapeText(kernel) << " but weights are " << shapeText(w);
  }
  auto windows = readTransposed(ctx, x, w);
  if (!windows || ctx.failed())
    return std::nullopt;
  TransposedConv conv{(*windows)[0], (*windows)[1], groups, w[1], w[0] / groups};
  std::optional<int64_t> count = conv.weightCount(Builder::kMaxFoldedBytes / 4);
  if (!count || !ctx.b.spend(8 * *count)) {
    ctx.unsupported() << "strides " << conv.y.stride << " and " << conv.x.stride
                      << " make the weights of all phases larger than " << Builder::kMaxFoldedBytes << " bytes";
    return std::nullopt;
  }
  return conv;
}

/// The constant with its contents rearranged; stays behind its dequantize, if it has one.
static Value *rearranged(Builder &b, Value *value, llvm::function_ref<Tensor(const Tensor &)> f) {
  Operation *dequantize = constantDequantize(value);
  Value *stored = dequantize ? dequantize->operand(0) : value;
  Value *result = b.constant(f(Tensor(stored->type, stored->bytes())), stored->name);
  return dequantize ? b.add(OpKind::Dequantize, {result}, dequantize->attributes, TensorType{value->type.element, {}, {}})
                    : result;
}

static Value *buildConvTranspose(NodeContext &ctx, Value *x, Value *w, Value *bias, const TransposedConv &conv) {
  Builder &b = ctx.b;
  int64_t rows = conv.y.kernel, columns = conv.x.kernel;
  Value *weights = rearranged(b, w, [&](const Tensor &kernel) {
    return conv.weights(kernel, [&](int64_t group, int64_t channel, int64_t ky, int64_t kx, int64_t in) {
      return (((group * conv.depth + in) * conv.channels + channel) * rows + ky) * columns + kx;
    });
  });
  ConvAttrs attrs = conv.attributes(Rounding::HalfEven);
  bool depthwise = conv.groups > 1 && conv.depth == 1;
  if (depthwise) {
    weights = b.transpose(weights, {3, 1, 2, 0});
    attrs.groups = 1;
  }
  std::vector<Value *> operands{toNHWC(b, x), weights};
  bool constantBias = bias && (bias->isConstant() || constantDequantize(bias));
  if (constantBias)
    operands.push_back(rearranged(b, bias, [&](const Tensor &values) { return conv.bias(values); }));
  Value *y = b.add(depthwise ? OpKind::DepthwiseConv2D : OpKind::Conv2D, operands, attrs);
  auto reshape = [&](Value *value, Shape shape) { return value ? b.reshape(value, std::move(shape)) : nullptr; };
  auto transpose = [&](Value *value, std::vector<int64_t> perm) { return value ? b.transpose(value, std::move(perm)) : nullptr; };
  auto slice = [&](Value *value, SliceAttrs slice, Shape shape) {
    return b.addShaped(OpKind::Slice, {value}, std::move(slice), {value->type.element, std::move(shape), value->type.quant});
  };
  y = conv.interleave(y, {reshape, transpose, slice});
  if (y && bias && !constantBias)
    y = b.binary(OpKind::Add, y, bias); // along the channels, which are last here
  return fromNHWC(b, y, x->type.rank());
}

static void convertConvTranspose(NodeContext &ctx) {
  Value *x = imageInput(ctx, 0);
  Value *w = x ? ctx.constantInput(1, "weights") : nullptr;
  if (!w)
    return;
  if (!isFloat(x->type.element) || !isFloat(w->type.element)) {
    ctx.bad() << "ConvTranspose of " << dataTypeName(x->type.element) << " input with " << dataTypeName(w->type.element)
              << " weights, wanted float32 for both";
    return;
  }
  if (Operation *dequantize = constantDequantize(w)) {
    const std::optional<Quantization> &quant = dequantize->operand(0)->type.quant;
    if (quant && !quant->isPerTensor() && quant->axis != 1) { // scales of input channels are of no use to integer code
      std::optional<Tensor> contents = ctx.contents(1, "weights");
      if (!contents)
        return;
      w = ctx.b.constant(*contents);
    }
  }
  Value *bias = ctx.hasInput(2) ? ctx.floatInput(2) : nullptr;
  if (ctx.failed())
    return;
  std::optional<TransposedConv> conv = readConv(ctx, x->type.shape, w->type.shape);
  if (!conv)
    return;
  int64_t channels = conv->groups * conv->channels;
  if (bias && bias->type.shape != Shape{channels}) {
    ctx.bad() << "bias has shape " << shapeText(bias->type.shape) << ", weights have " << channels << " output channels";
    return;
  }
  ctx.setResult(0, buildConvTranspose(ctx, x, w, bias, *conv));
}

llvm::ArrayRef<ConverterRow> onnx::convTransposeConverters() {
  static const ConverterRow rows[] = {{"ConvTranspose", convertConvTranspose}};
  return rows;
}
