// Activations: clamp, the table functions of the graph, and compositions of them.
#include "Converters.h"
#include "Types.h"

#include <algorithm>
#include <limits>

using namespace mfc;
using namespace mfc::onnx;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bounds that limit nothing.
static std::pair<double, double> fullRange(ElementType element) {
  if (isFloat(element))
    return {-kInfinity, kInfinity};
  return {static_cast<double>(elementMin(element)), static_cast<double>(elementMax(element))};
}

static void convertRelu(NodeContext &ctx) {
  Value *x = ctx.input(0);
  if (!x)
    return;
  if (x->type.quant) {
    ctx.unsupported(0)
        << "Relu of the stored values of a quantized tensor, wanted a DequantizeLinear before it";
    return;
  }
  ctx.setResult(0, ctx.b.clamp(x, 0, fullRange(x->type.element).second));
}

/// Clip of opset 6 to 10: bounds are attributes.
static void convertClipAttrs(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  double low = ctx.hasAttr("min") ? ctx.floatAttr("min", 0) : -kInfinity;
  double high = ctx.hasAttr("max") ? ctx.floatAttr("max", 0) : kInfinity;
  if (x && !ctx.failed())
    ctx.setResult(0, ctx.b.clamp(x, low, high));
}

/// Clip from opset 11 on: bounds are operands. On a quantized tensor they are stored values, as in
/// the graph.
static void convertClip(NodeContext &ctx) {
  Value *x = ctx.input(0);
  if (!x)
    return;
  auto [low, high] = fullRange(x->type.element);
  for (size_t i = 1; i <= 2; ++i) {
    if (!ctx.hasInput(i))
      continue;
    const Value *bound = ctx.optionalInput(i);
    if (bound && bound->type.element != x->type.element) {
      ctx.bad(static_cast<int>(i))
          << "Clip of " << dataTypeName(x->type.element) << " with a bound of "
          << dataTypeName(bound->type.element) << ", wanted the same type";
      return;
    }
    std::optional<double> number = ctx.number(i, i == 1 ? "lower bound" : "upper bound");
    if (!number)
      return;
    (i == 1 ? low : high) = *number;
  }
  ctx.setResult(0, ctx.b.clamp(x, std::min(low, high), high)); // ONNX: the upper bound wins
}

static void convertLeakyRelu(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  auto alpha = static_cast<float>(ctx.floatAttr("alpha", 0.01f));
  if (x && !ctx.failed())
    ctx.setResult(0, ctx.b.add(OpKind::LeakyRelu, {x}, LeakyReluAttrs{alpha, Rounding::HalfEven}));
}

/// max(x, 0) + slope * min(x, 0); the slope may be any tensor that broadcasts.
static void convertPRelu(NodeContext &ctx) {
  Value *x = ctx.floatInput(0), *slope = ctx.floatInput(1);
  if (!x || !slope)
    return;
  Builder &b = ctx.b;
  Value *negative = b.binary(OpKind::Mul, b.clamp(x, -kInfinity, 0), slope);
  ctx.setResult(0, b.binary(OpKind::Add, b.clamp(x, 0, kInfinity), negative));
}

template <OpKind kind> static void convertTable(NodeContext &ctx) {
  if (Value *x = ctx.floatInput(0))
    ctx.setResult(0, ctx.b.add(kind, {x}, RoundingAttrs{Rounding::HalfEven}));
}

static Value *hardSigmoid(Builder &b, Value *x, float alpha, float beta) {
  Value *line = b.binary(OpKind::Add, b.binary(OpKind::Mul, x, b.scalar(alpha)), b.scalar(beta));
  return b.clamp(line, 0, 1);
}

static void convertHardSigmoid(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  auto alpha = static_cast<float>(ctx.floatAttr("alpha", 0.2f)),
       beta = static_cast<float>(ctx.floatAttr("beta", 0.5f));
  if (x && !ctx.failed())
    ctx.setResult(0, hardSigmoid(ctx.b, x, alpha, beta));
}

static void convertHardSwish(NodeContext &ctx) {
  if (Value *x = ctx.floatInput(0))
    ctx.setResult(0, ctx.b.binary(OpKind::Mul, x, hardSigmoid(ctx.b, x, 1.0f / 6, 0.5f)));
}

/// gamma * (max(x, 0) + alpha * (exp(min(x, 0) * inner) - 1)): the shape of Elu, Selu and Celu.
static Value *exponentialUnit(Builder &b, Value *x, float alpha, float gamma, float inner) {
  Value *low = b.clamp(x, -kInfinity, 0);
  if (inner != 1)
    low = b.binary(OpKind::Mul, low, b.scalar(inner));
  Value *curve = b.binary(OpKind::Sub, b.add(OpKind::Exp, {low}, NoAttrs{}), b.scalar(1));
  if (alpha != 1)
    curve = b.binary(OpKind::Mul, curve, b.scalar(alpha));
  Value *y = b.binary(OpKind::Add, b.clamp(x, 0, kInfinity), curve);
  return gamma == 1 ? y : b.binary(OpKind::Mul, y, b.scalar(gamma));
}

static void convertElu(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  auto alpha = static_cast<float>(ctx.floatAttr("alpha", 1));
  if (x && !ctx.failed())
    ctx.setResult(0, exponentialUnit(ctx.b, x, alpha, 1, 1));
}

static void convertSelu(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  // Defaults of the ONNX operator text.
  auto alpha = static_cast<float>(ctx.floatAttr("alpha", 1.67326319217681884765625f));
  auto gamma = static_cast<float>(ctx.floatAttr("gamma", 1.05070102214813232421875f));
  if (x && !ctx.failed())
    ctx.setResult(0, exponentialUnit(ctx.b, x, alpha, gamma, 1));
}

static void convertCelu(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  auto alpha = static_cast<float>(ctx.floatAttr("alpha", 1));
  if (x && alpha == 0)
    ctx.bad() << "Celu with alpha 0, wanted another number";
  if (x && !ctx.failed())
    ctx.setResult(0, exponentialUnit(ctx.b, x, alpha, 1, 1 / alpha));
}

static void convertSoftsign(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  if (!x)
    return;
  Builder &b = ctx.b;
  Value *size = b.add(OpKind::Abs, {x}, RoundingAttrs{Rounding::HalfEven});
  ctx.setResult(0, b.binary(OpKind::Div, x, b.binary(OpKind::Add, size, b.scalar(1))));
}

llvm::ArrayRef<ConverterRow> onnx::activationConverters() {
  static const ConverterRow rows[] = {
      {"Celu", convertCelu},
      {"Clip", convertClipAttrs, 1, 10},
      {"Clip", convertClip, 11},
      {"Elu", convertElu},
      {"HardSigmoid", convertHardSigmoid},
      {"HardSwish", convertHardSwish},
      {"LeakyRelu", convertLeakyRelu},
      {"PRelu", convertPRelu},
      {"Relu", convertRelu},
      {"Selu", convertSelu},
      {"Sigmoid", convertTable<OpKind::Logistic>},
      {"Softsign", convertSoftsign},
      {"Tanh", convertTable<OpKind::Tanh>},
  };
  return rows;
}
