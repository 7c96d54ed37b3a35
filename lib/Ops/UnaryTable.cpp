// Operators with one 8-bit operand and an 8-bit result as tables of 256 entries.
#include "mfc/IR/Graph.h"
#include "mfc/Numerics/FixedPoint.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cassert>
#include <cmath>

using namespace mfc;

bool mfc::hasUnaryTable(const Operation &op) {
  switch (op.kind()) {
  case OpKind::Requantize:
  case OpKind::Clamp:
  case OpKind::LeakyRelu:
  case OpKind::Logistic:
  case OpKind::Tanh:
  case OpKind::Neg:
  case OpKind::Abs:
    break;
  case OpKind::Conv2D:
  case OpKind::DepthwiseConv2D:
  case OpKind::Dense:
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
  case OpKind::ReduceMean:
  case OpKind::Softmax:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Maximum:
  case OpKind::Minimum:
  case OpKind::Exp:
  case OpKind::Sqrt:
  case OpKind::Quantize:
  case OpKind::Dequantize:
  case OpKind::Cast:
  case OpKind::BatchNorm:
  case OpKind::Reshape:
  case OpKind::Transpose:
  case OpKind::Concat:
  case OpKind::Slice:
  case OpKind::Pad:
  case OpKind::Gather:
  case OpKind::Identity:
    return false;
  }
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  return in.isQuantized() && out.isQuantized() && in.quant->isPerTensor() && out.quant->isPerTensor() &&
         elementBytes(in.element) == 1 && elementBytes(out.element) == 1;
}

/// logistic and tanh. TFLite's fixed-point kernel (Q4.27 argument, saturated outside its radius) where its fixed output
/// quantization is met, else the function of the real value, rounded.
static int32_t sigmoidStored(const Operation &op, int32_t q) {
  bool isTanh = op.kind() == OpKind::Tanh;
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  StoredRange range = storedRange(out);
  Rounding rounding = op.attrs<RoundingAttrs>().rounding;
  double scale = in.quant->scale(), outScale = out.quant->scale();
  int32_t x = q - in.quant->zeroPoint();
  bool fixedOutput = out.element == ElementType::I8 && outScale == (isTanh ? 1.0 / 128 : 1.0 / 256) &&
                     range.zeroPoint == (isTanh ? 0 : -128);
  if (rounding == Rounding::HalfEven || !fixedOutput) {
    double real = isTanh ? std::tanh(x * scale) : 1 / (1 + std::exp(-x * scale));
    return range.store(rounding == Rounding::HalfEven ? roundHalfEven(real / outScale) : roundHalfAway(real / outScale));
  }
  constexpr int integerBits = 4;
  FixedMultiplier multiplier = quantizeMultiplier(std::ldexp(scale, 31 - integerBits));
  double radius = std::floor(std::ldexp(double((1 << integerBits) - 1), 31 - integerBits - multiplier.shift));
  if (x <= -radius)
    return range.min;
  if (x >= radius)
    return range.max;
  int32_t argument = multiplyTfliteDouble(x, multiplier);
  int32_t y = isTanh ? roundingDivideByPOT(fixedTanh(argument, integerBits), 24)
                     : roundingDivideByPOT(fixedLogistic(argument, integerBits), 23);
  return range.store(y);
}

static int32_t unaryStored(const Operation &op, int32_t q) {
  OpKind kind = op.kind();
  if (kind == OpKind::Clamp) {
    const auto &attrs = op.attrs<ClampAttrs>();
    return static_cast<int32_t>(std::clamp(double(q), attrs.min, attrs.max));
  }
  if (kind == OpKind::LeakyRelu)
    return leakyReluForm(op).apply(q);
  if (kind == OpKind::Logistic || kind == OpKind::Tanh)
    return sigmoidStored(op, q);
  RequantForm form = requantForm(op);
  int32_t x = q - form.inputZeroPoint;
  return form.apply(kind == OpKind::Neg ? -x : kind == OpKind::Abs ? std::abs(x) : x);
}

std::array<int8_t, 256> mfc::unaryTable(const Operation &op) {
  assert(hasUnaryTable(op));
  const TensorType &in = op.operand(0)->type;
  std::array<int8_t, 256> table;
  for (int64_t q = elementMin(in.element); q <= elementMax(in.element); ++q)
    table[static_cast<uint8_t>(q)] = static_cast<int8_t>(unaryStored(op, static_cast<int32_t>(q)));
  return table;
}
