// The integer form of avg_pool2d: which counts occur and what each divides by.
#include "OpFunctions.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cassert>
#include <set>

using namespace mfc;

/// Distinct numbers of taps inside the input along one dimension.
static std::set<int64_t> tapCounts(int64_t input, const Window &window) {
  std::set<int64_t> counts;
  forEachWindowKind(input, window, [&](int64_t o) { counts.insert(tapsInside(o, input, window).size()); });
  return counts;
}

PoolForm mfc::poolForm(const Operation &op) {
  const auto &attrs = op.attrs<PoolAttrs>();
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  PoolForm form;
  form.divides = attrs.rounding != Rounding::HalfEven;
  form.inputZeroPoint = in.quant->zeroPoint();
  form.out = storedRange(out);
  std::set<int64_t> counts;
  if (attrs.countIncludePad)
    counts.insert(attrs.kernel[0] * attrs.kernel[1]);
  else
    for (int64_t y : tapCounts(in.dim(1), poolWindow(attrs, 0)))
      for (int64_t x : tapCounts(in.dim(2), poolWindow(attrs, 1)))
        counts.insert(y * x);
  for (int64_t count : counts) {
    FixedMultiplier multiplier;
    if (!form.divides)
      multiplier = quantizeMultiplier(double(in.quant->scale()) /
                                      (double(out.quant->scale()) * static_cast<double>(count)));
    form.counts.push_back({count, multiplier});
  }
  return form;
}

FixedMultiplier PoolForm::multiplier(int64_t count) const {
  for (const auto &[c, m] : counts)
    if (c == count)
      return m;
  assert(false && "count occurs in this pool");
  return {};
}

int32_t PoolForm::apply(int32_t sum, int64_t count) const {
  if (divides) {
    int64_t half = count / 2; // quotients truncate toward zero
    int64_t mean = sum > 0 ? (sum + half) / count : (sum - half) / count;
    return static_cast<int32_t>(std::clamp<int64_t>(mean, out.min, out.max));
  }
  return out.store(multiplyHalfEven(sum - count * inputZeroPoint, multiplier(count)));
}
