// Operators on quantized tensors with all parameters as operands (QOperator format): written as
// dequantize, the float operator and quantize, which is what the same network looks like in QDQ
// format.
#include "ConvertConv.h"
#include "ConvertMatrix.h"
#include "ConvertPool.h"
#include "ConvertQuantize.h"
#include "Converters.h"
#include "Layout.h"
#include "Types.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;
using namespace mfc::onnx;

namespace {
/// A quantized operand as float, and how it was stored.
struct Real {
  Value *value = nullptr;
  Quantization quant;
  ElementType element = ElementType::I8;
};
} // namespace

/// Operands i (stored values), i + 1 (scale), i + 2 (zero point).
static std::optional<Real> realInput(NodeContext &ctx, size_t i, int64_t axis) {
  Value *x = ctx.input(i);
  if (!x)
    return std::nullopt;
  auto quant = readQuantization(ctx, i + 1, i + 2, x->type.element, x->type.shape,
                                axis < 0 ? axis + x->type.rank() : axis);
  if (!quant)
    return std::nullopt;
  Value *value = buildDequantize(ctx.b, x, *quant);
  if (!value)
    return std::nullopt;
  return Real{value, std::move(*quant), x->type.element};
}

static std::optional<Real> realWeights(NodeContext &ctx, size_t i, int64_t axis) {
  Value *w = ctx.input(i);
  if (!w)
    return std::nullopt;
  if (!w->isConstant()) {
    ctx.constantInput(i, "weights"); // for its message
    return std::nullopt;
  }
  return realInput(ctx, i, axis);
}

/// The result in the type that operands i (scale) and i + 1 (zero point) describe; `otherwise`
/// without a zero point.
static void quantizedResult(NodeContext &ctx, Value *y, size_t i, ElementType otherwise) {
  if (!y)
    return;
  ElementType element = otherwise;
  if (ctx.hasInput(i + 1)) {
    const Value *zero = ctx.input(i + 1);
    if (!zero)
      return;
    element = zero->type.element;
  }
  if (auto quant = readQuantization(ctx, i, i + 1, element, y->type.shape, 1))
    ctx.setResult(0, buildQuantize(ctx.b, y, element, std::move(*quant)));
}

/// int32 bias with the scale of the accumulator, along `axis` if the weights have a scale per
/// output.
static Value *realBias(NodeContext &ctx, size_t i, const Real &x, const Real &w, int64_t axis) {
  if (!ctx.hasInput(i))
    return nullptr;
  Value *bias = ctx.input(i);
  if (!bias)
    return nullptr;
  if (bias->type.element != ElementType::I32 || !bias->isConstant()) {
    ctx.bad(static_cast<int>(i)) << "bias is " << dataTypeName(bias->type.element)
                                 << (bias->isConstant() ? "" : " and not constant")
                                 << ", wanted an int32 initializer";
    return nullptr;
  }
  Quantization quant;
  for (float scale : w.quant.scales)
    quant.scales.push_back(x.quant.scale() * scale);
  quant.zeroPoints.assign(quant.scales.size(), 0);
  quant.axis = quant.scales.size() == 1 ? -1 : static_cast<int>(axis);
  if (quant.axis >= 0 && (axis >= bias->type.rank() ||
                          bias->type.dim(axis) != static_cast<int64_t>(quant.scales.size()))) {
    ctx.bad(static_cast<int>(i)) << "bias has shape " << shapeText(bias->type.shape) << " for "
                                 << quant.scales.size() << " weight scales, wanted as many";
    return nullptr;
  }
  return buildDequantize(ctx.b, bias, quant);
}

static void convertQLinearConv(NodeContext &ctx) {
  if (!imageInput(ctx, 0))
    return;
  auto x = realInput(ctx, 0, 1), w = x ? realWeights(ctx, 3, 0) : std::nullopt;
  if (!w)
    return;
  Value *bias = realBias(ctx, 8, *x, *w, 0);
  if (!ctx.failed())
    quantizedResult(ctx, buildConv(ctx, x->value, w->value, bias), 6, x->element);
}

static void convertQLinearMatMul(NodeContext &ctx) {
  auto a = realInput(ctx, 0, -2), w = a ? realWeights(ctx, 3, -1) : std::nullopt;
  if (w)
    quantizedResult(ctx, buildMatMul(ctx, a->value, w->value), 6, a->element);
}

static void convertQGemm(NodeContext &ctx) {
  int64_t outputAxis = ctx.intAttr("transB", 0) != 0 ? 0 : 1;
  auto a = realInput(ctx, 0, 0), w = a ? realWeights(ctx, 3, outputAxis) : std::nullopt;
  if (!w)
    return;
  auto alpha = static_cast<float>(ctx.floatAttr("alpha", 1));
  Real scaled = *a;
  for (float &scale : scaled.quant.scales) // the bias has the scale of the whole product
    scale *= alpha;
  const Value *c = ctx.hasInput(6) ? ctx.input(6) : nullptr;
  Value *bias = realBias(ctx, 6, scaled, *w, c ? c->type.rank() - 1 : 0);
  if (ctx.failed())
    return;
  Value *y = buildGemm(ctx, a->value, w->value, bias);
  if (ctx.hasInput(7))
    quantizedResult(ctx, y, 7, a->element);
  else
    ctx.setResult(0, y);
}

template <OpKind kind> static void convertQLinearBinary(NodeContext &ctx) {
  auto a = realInput(ctx, 0, 1), b = a ? realInput(ctx, 3, 1) : std::nullopt;
  if (b)
    quantizedResult(ctx, ctx.b.binary(kind, a->value, b->value), 6, a->element);
}

template <Value *(*build)(NodeContext &, Value *)>
static void convertQLinearPool(NodeContext &ctx) {
  Value *stored = imageInput(ctx, 0);
  bool channelsLast = ctx.intAttr("channels_last", 0) != 0;
  if (!stored || ctx.failed())
    return;
  auto x = realInput(ctx, 0, 1);
  if (!x)
    return;
  Value *image = x->value;
  bool planar = image->type.rank() == 3;
  if (channelsLast)
    image = ctx.b.transpose(image, planar ? std::vector<int64_t>{0, 2, 1}
                                          : std::vector<int64_t>{0, 3, 1, 2});
  Value *y = image ? build(ctx, image) : nullptr;
  if (y && channelsLast)
    y = ctx.b.transpose(y,
                        planar ? std::vector<int64_t>{0, 2, 1} : std::vector<int64_t>{0, 2, 3, 1});
  quantizedResult(ctx, y, 3, x->element);
}

static void convertQLinearSigmoid(NodeContext &ctx) {
  if (auto x = realInput(ctx, 0, 1))
    quantizedResult(ctx, ctx.b.add(OpKind::Logistic, {x->value}, RoundingAttrs{Rounding::HalfEven}),
                    3, x->element);
}

static void convertQLinearLeakyRelu(NodeContext &ctx) {
  auto alpha = static_cast<float>(ctx.floatAttr("alpha", 0.01f));
  auto x = realInput(ctx, 0, 1);
  if (x && !ctx.failed())
    quantizedResult(
        ctx, ctx.b.add(OpKind::LeakyRelu, {x->value}, LeakyReluAttrs{alpha, Rounding::HalfEven}), 3,
        x->element);
}

/// Y_scale, Y_zero_point, then three operands for each tensor.
static void convertQLinearConcat(NodeContext &ctx) {
  if (ctx.inputCount() < 5 || (ctx.inputCount() - 2) % 3 != 0 || !ctx.hasAttr("axis")) {
    ctx.bad() << "QLinearConcat has " << ctx.inputCount()
              << " operands, wanted 2, 3 for each tensor, and an axis";
    return;
  }
  std::vector<Value *> parts;
  for (size_t i = 2; i < ctx.inputCount(); i += 3) {
    auto x = realInput(ctx, i, 1);
    if (!x)
      return;
    parts.push_back(x->value);
  }
  std::optional<int64_t> axis = ctx.axis(ctx.intAttr("axis", 0), parts[0]->type.rank());
  if (axis)
    quantizedResult(ctx, ctx.b.add(OpKind::Concat, parts, AxisAttrs{*axis}), 0, ElementType::U8);
}

llvm::ArrayRef<ConverterRow> onnx::qlinearConverters() {
  static const llvm::StringRef microsoft = "com.microsoft";
  static const ConverterRow rows[] = {
      {"QLinearConv", convertQLinearConv, 10},
      {"QLinearMatMul", convertQLinearMatMul, 10},
      {"QGemm", convertQGemm, 1, kLatest, microsoft},
      {"QLinearAdd", convertQLinearBinary<OpKind::Add>, 1, kLatest, microsoft},
      {"QLinearAveragePool", convertQLinearPool<buildAveragePool>, 1, kLatest, microsoft},
      {"QLinearConcat", convertQLinearConcat, 1, kLatest, microsoft},
      {"QLinearGlobalAveragePool", convertQLinearPool<buildGlobalAverage>, 1, kLatest, microsoft},
      {"QLinearLeakyRelu", convertQLinearLeakyRelu, 1, kLatest, microsoft},
      {"QLinearMul", convertQLinearBinary<OpKind::Mul>, 1, kLatest, microsoft},
      {"QLinearSigmoid", convertQLinearSigmoid, 1, kLatest, microsoft},
  };
  return rows;
}
