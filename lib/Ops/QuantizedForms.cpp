// Derivation of the integer forms; the header says what each number means.
#include "mfc/Ops/QuantizedForms.h"

#include "mfc/IR/Graph.h"
#include "mfc/Numerics/FixedPoint.h"
#include <cassert>
#include <cmath>
#include <limits>

using namespace mfc;

int32_t mfc::multiplyRounded(int64_t x, FixedMultiplier multiplier, Rounding rounding) {
  switch (rounding) {
  case Rounding::TfliteDouble:
    return multiplyTfliteDouble(static_cast<int32_t>(x), multiplier);
  case Rounding::TfliteSingle:
    return multiplyTfliteSingle(static_cast<int32_t>(x), multiplier);
  case Rounding::HalfEven:
    return multiplyHalfEven(x, multiplier);
  }
  __builtin_unreachable();
}

StoredRange mfc::storedRange(const TensorType &type) {
  return {type.quant->zeroPoint(), static_cast<int32_t>(elementMin(type.element)),
          static_cast<int32_t>(elementMax(type.element))};
}

static double scaleOf(const TensorType &type, size_t i = 0) { return type.quant->scale(i); }

static int32_t zeroPointOf(const Value *value) { return value->type.quant->zeroPoint(); }

/// Largest |q - zeroPoint| of the type.
static int64_t largestOffset(const TensorType &type) {
  int64_t z = type.quant->zeroPoint();
  return std::max(elementMax(type.element) - z, z - elementMin(type.element));
}

/// One multiplier per weight scale. TFLite's fully_connected with one scale multiplies the two scales in float
/// (GetQuantizedConvolutionMultipler); everything else in double.
static std::vector<FixedMultiplier> weightMultipliers(const Operation &op, Rounding rounding) {
  const TensorType &in = op.operand(0)->type, &weights = op.operand(1)->type, &out = op.result()->type;
  std::vector<FixedMultiplier> list;
  bool floatProduct = op.kind() == OpKind::Dense && rounding != Rounding::HalfEven && weights.quant->isPerTensor();
  for (float scale : weights.quant->scales) {
    float inScale = in.quant->scale();
    double product = floatProduct ? double(inScale * scale) : double(inScale) * double(scale);
    list.push_back(quantizeMultiplier(product / scaleOf(out)));
  }
  return list;
}

/// The mean of `count` elements. TFLite (QuantizedMeanOrSum) takes the quantized multiplier of scaleIn / scaleOut and divides its
/// integer by count, after shifting in as many bits as count has.
static FixedMultiplier meanMultiplier(double scaleRatio, int64_t count, Rounding rounding) {
  if (rounding == Rounding::HalfEven)
    return quantizeMultiplier(scaleRatio / static_cast<double>(count));
  FixedMultiplier m = quantizeMultiplier(scaleRatio);
  int bits = 63 - __builtin_clzll(static_cast<unsigned long long>(count));
  bits = std::min({bits, 32, 31 + m.shift});
  return {static_cast<int32_t>((int64_t(m.value) << bits) / count), m.shift - bits};
}

RequantForm mfc::requantForm(const Operation &op) {
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  RequantForm form;
  form.inputZeroPoint = in.quant->zeroPoint();
  form.out = storedRange(out);
  double ratio = scaleOf(in) / scaleOf(out);
  if (const auto *conv = std::get_if<ConvAttrs>(&op.attributes)) {
    form.rounding = conv->rounding;
    form.multipliers = weightMultipliers(op, conv->rounding);
  } else if (const auto *reduce = std::get_if<ReduceAttrs>(&op.attributes)) {
    form.rounding = reduce->rounding;
    int64_t count = in.count() / out.count();
    form.multipliers = {meanMultiplier(ratio, count, reduce->rounding)};
  } else {
    form.rounding = op.attrs<RoundingAttrs>().rounding;
    if (op.kind() == OpKind::Dense)
      form.multipliers = weightMultipliers(op, form.rounding);
    else
      form.multipliers = {quantizeMultiplier(ratio)};
  }
  return form;
}

/// The TFLite roundings of add (doubles) and sub (whose kernel computes the ratios in float).
static void deriveTfliteAdd(AddForm &form, const TensorType &a, const TensorType &b, const TensorType &out) {
  form.leftShift = elementBytes(out.element) == 2 ? 15 : 20;
  float s1 = a.quant->scale(), s2 = b.quant->scale(), so = out.quant->scale();
  double ratio1, ratio2, ratioOut;
  if (form.subtract) {
    float twice = 2 * std::max(s1, s2);
    ratio1 = s1 / twice;
    ratio2 = s2 / twice;
    ratioOut = twice / (static_cast<float>(1 << form.leftShift) * so);
  } else {
    double twice = 2 * double(std::max(s1, s2));
    ratio1 = s1 / twice;
    ratio2 = s2 / twice;
    ratioOut = twice / ((1 << form.leftShift) * double(so));
  }
  form.input1 = quantizeMultiplier(ratio1);
  form.input2 = quantizeMultiplier(ratio2);
  form.output = quantizeMultiplier(ratioOut);
}

static void deriveHalfEvenAdd(AddForm &form, const TensorType &a, const TensorType &b, const TensorType &out) {
  double ratio1 = scaleOf(a) / scaleOf(out), ratio2 = scaleOf(b) / scaleOf(out);
  form.wide = elementBytes(out.element) > 1;
  form.lowBits = form.wide ? 0 : 10;
  const double limit = form.wide ? std::ldexp(1.0, 46) : 2147483647.0;
  const auto reach1 = static_cast<double>(largestOffset(a)), reach2 = static_cast<double>(largestOffset(b));
  for (form.shift = 30; form.shift > 1; --form.shift) {
    // one more than the factor covers its rounding and what the low parts carry over
    double f1 = std::ldexp(ratio1, form.shift) + 1, f2 = std::ldexp(ratio2, form.shift) + 1;
    double largest = f1 * reach1 + f2 * reach2 + std::ldexp(1.0, form.shift - 1);
    if (largest <= limit && std::max(f1, f2) <= 2147483647.0)
      break;
  }
  auto whole = [&](double ratio) { return std::llround(std::ldexp(ratio, form.shift + form.lowBits)); };
  int64_t f1 = whole(ratio1), f2 = form.subtract ? -whole(ratio2) : whole(ratio2);
  const int64_t mask = (int64_t(1) << form.lowBits) - 1;
  form.factor1 = static_cast<int32_t>(f1 >> form.lowBits);
  form.factor2 = static_cast<int32_t>(f2 >> form.lowBits);
  form.low1 = static_cast<int32_t>(f1 & mask);
  form.low2 = static_cast<int32_t>(f2 & mask);
}

AddForm mfc::addForm(const Operation &op) {
  const TensorType &a = op.operand(0)->type, &b = op.operand(1)->type, &out = op.result()->type;
  AddForm form;
  form.rounding = op.attrs<RoundingAttrs>().rounding;
  form.subtract = op.kind() == OpKind::Sub;
  form.zeroPoint1 = zeroPointOf(op.operand(0));
  form.zeroPoint2 = zeroPointOf(op.operand(1));
  form.out = storedRange(out);
  if (form.rounding == Rounding::HalfEven)
    deriveHalfEvenAdd(form, a, b, out);
  else
    deriveTfliteAdd(form, a, b, out);
  return form;
}

int32_t AddForm::apply(int32_t a, int32_t b) const {
  a -= zeroPoint1;
  b -= zeroPoint2;
  if (rounding == Rounding::HalfEven) {
    int64_t high = int64_t(a) * factor1 + int64_t(b) * factor2, low = int64_t(a) * low1 + int64_t(b) * low2;
    return out.store(shiftRightHalfEven(high * (int64_t(1) << lowBits) + low, shift + lowBits));
  }
  int32_t t1 = multiplyRounded(a * (1 << leftShift), input1, rounding);
  int32_t t2 = multiplyRounded(b * (1 << leftShift), input2, rounding);
  return out.store(multiplyRounded(subtract ? t1 - t2 : t1 + t2, output, rounding));
}

MulForm mfc::mulForm(const Operation &op) {
  const TensorType &a = op.operand(0)->type, &b = op.operand(1)->type, &out = op.result()->type;
  MulForm form;
  form.zeroPoint1 = zeroPointOf(op.operand(0));
  form.zeroPoint2 = zeroPointOf(op.operand(1));
  form.requant.rounding = op.attrs<RoundingAttrs>().rounding;
  form.requant.out = storedRange(out);
  form.requant.multipliers = {quantizeMultiplier(scaleOf(a) * scaleOf(b) / scaleOf(out))};
  return form;
}

LeakyReluForm mfc::leakyReluForm(const Operation &op) {
  const auto &attrs = op.attrs<LeakyReluAttrs>();
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  LeakyReluForm form;
  form.rounding = attrs.rounding;
  form.inputZeroPoint = in.quant->zeroPoint();
  form.out = storedRange(out);
  float si = in.quant->scale(), so = out.quant->scale();
  double identity, alpha;
  if (attrs.rounding == Rounding::HalfEven) {
    identity = double(si) / so;
    alpha = double(si) * attrs.alpha / so;
  } else { // TFLite's leaky_relu computes both in float
    identity = si / so;
    alpha = si * attrs.alpha / so;
  }
  form.identity = quantizeMultiplier(identity);
  form.alpha = quantizeMultiplier(std::abs(alpha));
  if (alpha < 0)
    form.alpha.value = -form.alpha.value;
  return form;
}

int32_t mfc::quantizeReal(float x, float scale, StoredRange out, Rounding rounding) {
  float quotient = x / scale;
  return out.store(rounding == Rounding::HalfEven ? roundHalfEven(quotient) : roundHalfAway(quotient));
}

float mfc::dequantizeStored(int64_t q, float scale, int32_t zeroPoint) {
  return static_cast<float>(double(scale) * static_cast<double>(q - zeroPoint));
}
