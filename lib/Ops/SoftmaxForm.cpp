// The integer form of softmax: the table of exponentials and the way to the output.
#include "mfc/IR/Graph.h"
#include "mfc/Numerics/FixedPoint.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>
#include <limits>

using namespace mfc;

static constexpr int kDiffIntegerBits = 5; ///< Q5.26 argument of exp, as in TFLite's kernel

/// TFLite: differences scaled to Q5.26 (PreprocessSoftmaxScaling), those below diff_min (CalculateInputRadius) count as 0.
static void fillTfliteTable(SoftmaxForm &form, double beta, double scale) {
  double real = std::min(beta * scale * (1 << (31 - kDiffIntegerBits)), double(std::numeric_limits<int32_t>::max()));
  FixedMultiplier multiplier = quantizeMultiplier(real);
  // The kernel demands a multiplier above 1; scales below 2^-26 continue the same formula with a right shift.
  double radius = std::floor(std::ldexp(double((1 << kDiffIntegerBits) - 1), 31 - kDiffIntegerBits - multiplier.shift));
  for (int d = 0; d < 256; ++d)
    if (d <= radius)
      form.expTable[static_cast<size_t>(d)] =
          fixedExpOfNegative(multiplyTfliteDouble(-d, multiplier), kDiffIntegerBits);
}

static void fillRealTable(SoftmaxForm &form, double beta, double scale) {
  for (int d = 0; d < 256; ++d)
    form.expTable[static_cast<size_t>(d)] = roundHalfEven(std::ldexp(std::exp(-d * beta * scale), 31));
}

SoftmaxForm mfc::softmaxForm(const Operation &op) {
  const auto &attrs = op.attrs<SoftmaxAttrs>();
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  SoftmaxForm form;
  form.rounding = attrs.rounding;
  form.out = storedRange(out);
  form.tfliteOutput = attrs.rounding != Rounding::HalfEven && out.element == ElementType::I8 &&
                      out.quant->scale() == 1.0f / 256 && out.quant->zeroPoint() == -128;
  if (form.tfliteOutput) {
    fillTfliteTable(form, attrs.beta, in.quant->scale());
    return form;
  }
  fillRealTable(form, attrs.beta, in.quant->scale());
  form.output = quantizeMultiplier(std::ldexp(1.0 / out.quant->scale(), -31));
  return form;
}

int32_t SoftmaxForm::apply(int32_t d, int32_t reciprocalValue, int bitsOverUnit) const {
  int32_t e = expTable[static_cast<size_t>(d)];
  int32_t p = saturatingRoundingDoublingHighMul(reciprocalValue, e);
  if (!tfliteOutput) {
    FixedMultiplier scaled = output;
    scaled.shift -= bitsOverUnit;
    return scaled.shift < -31 ? out.store(0) : out.store(multiplyRounded(p, scaled, rounding));
  }
  int shift = 23 + bitsOverUnit; // TFLite's kernel aborts above 31, where the probability is below half an output step
  return out.store(shift > 31 ? 0 : roundingDivideByPOT(p, shift));
}
