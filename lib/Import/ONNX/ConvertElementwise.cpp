// Arithmetic with numpy broadcasting, and what is a short composition of it.
#include "Converters.h"
#include "Types.h"

using namespace mfc;
using namespace mfc::onnx;

/// An operand of arithmetic. Stored values of quantized tensors are not numbers to calculate with.
static Value *arithmeticInput(NodeContext &ctx, size_t i) {
  Value *x = ctx.input(i);
  if (!x || !x->type.quant)
    return x;
  ctx.unsupported(static_cast<int>(i))
      << ctx.opType() << " of the stored values of a quantized tensor, wanted a "
      << "DequantizeLinear before it";
  return nullptr;
}

static bool sameTypes(NodeContext &ctx, const Value *a, const Value *b) {
  if (a->type.element == b->type.element)
    return true;
  ctx.bad() << ctx.opType() << " of " << dataTypeName(a->type.element) << " and "
            << dataTypeName(b->type.element) << ", wanted the same type";
  return false;
}

/// Applies a binary operator from left to right.
static Value *foldLeft(NodeContext &ctx, OpKind kind) {
  if (ctx.inputCount() == 0) {
    ctx.bad() << ctx.opType() << " has no operands";
    return nullptr;
  }
  Value *result = arithmeticInput(ctx, 0);
  for (size_t i = 1; result && i < ctx.inputCount(); ++i) {
    Value *next = arithmeticInput(ctx, i);
    if (!next || !sameTypes(ctx, result, next))
      return nullptr;
    result = ctx.b.binary(kind, result, next);
  }
  return result;
}

template <OpKind kind> static void convertBinary(NodeContext &ctx) {
  if (ctx.inputCount() != 2) {
    ctx.bad() << ctx.opType() << " has " << ctx.inputCount() << " operands, wanted 2";
    return;
  }
  ctx.setResult(0, foldLeft(ctx, kind));
}

template <OpKind kind> static void convertVariadic(NodeContext &ctx) {
  ctx.setResult(0, foldLeft(ctx, kind));
}

static void convertMean(NodeContext &ctx) {
  Value *sum = ctx.floatInput(0) ? foldLeft(ctx, OpKind::Add) : nullptr;
  if (sum)
    ctx.setResult(
        0, ctx.b.binary(OpKind::Div, sum, ctx.b.scalar(static_cast<float>(ctx.inputCount()))));
}

template <OpKind kind> static void convertUnary(NodeContext &ctx) {
  if (Value *x = arithmeticInput(ctx, 0))
    ctx.setResult(0, ctx.b.add(kind, {x}, opInfo(kind).defaultAttrs));
}

template <OpKind kind> static void convertSign(NodeContext &ctx) {
  if (Value *x = arithmeticInput(ctx, 0))
    ctx.setResult(0, ctx.b.add(kind, {x}, RoundingAttrs{Rounding::HalfEven}));
}

static void convertReciprocal(NodeContext &ctx) {
  if (Value *x = ctx.floatInput(0))
    ctx.setResult(0, ctx.b.binary(OpKind::Div, ctx.b.scalar(1), x));
}

/// Small constant exponents; others need a logarithm.
static void convertPow(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  std::optional<double> exponent = x ? ctx.number(1, "exponent") : std::nullopt;
  if (!exponent)
    return;
  Builder &b = ctx.b;
  if (*exponent == 2)
    ctx.setResult(0, b.binary(OpKind::Mul, x, x));
  else if (*exponent == 3)
    ctx.setResult(0, b.binary(OpKind::Mul, b.binary(OpKind::Mul, x, x), x));
  else if (*exponent == 1)
    ctx.setResult(0, x);
  else if (*exponent == 0.5)
    ctx.setResult(0, b.add(OpKind::Sqrt, {x}, NoAttrs{}));
  else if (*exponent == -1)
    ctx.setResult(0, b.binary(OpKind::Div, b.scalar(1), x));
  else
    ctx.unsupported() << "Pow with exponent " << *exponent << ", wanted -1, 0.5, 1, 2 or 3";
}

llvm::ArrayRef<ConverterRow> onnx::elementwiseConverters() {
  static const ConverterRow rows[] = {
      {"Abs", convertSign<OpKind::Abs>},         {"Add", convertBinary<OpKind::Add>},
      {"Div", convertBinary<OpKind::Div>},       {"Exp", convertUnary<OpKind::Exp>},
      {"Max", convertVariadic<OpKind::Maximum>}, {"Mean", convertMean},
      {"Min", convertVariadic<OpKind::Minimum>}, {"Mul", convertBinary<OpKind::Mul>},
      {"Neg", convertSign<OpKind::Neg>},         {"Pow", convertPow},
      {"Reciprocal", convertReciprocal},         {"Sqrt", convertUnary<OpKind::Sqrt>},
      {"Sub", convertBinary<OpKind::Sub>},       {"Sum", convertVariadic<OpKind::Add>},
  };
  return rows;
}
