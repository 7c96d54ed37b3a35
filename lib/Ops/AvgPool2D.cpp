// avg_pool2d: mean of each NHWC window.
#include "PoolEval.h"
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferAvgPool2D(const ShapeQuery &query) { return inferMaxPool2D(query); }

void mfc::evalAvgPool2D(const EvalArgs &args) {
  const auto &attrs = args.op.attrs<PoolAttrs>();
  const int64_t whole = attrs.kernel[0] * attrs.kernel[1];
  if (isFloat(args.resultType().element)) {
    runPool<float>(
        args, 0.0f, [](float sum, float x) { return sum + x; },
        [&](float sum, int64_t inside) { return sum / static_cast<float>(attrs.countIncludePad ? whole : inside); });
    return;
  }
  PoolForm form = poolForm(args.op);
  dispatchQuantized(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    runPool<T>(
        args, int32_t(0), [](int32_t sum, T x) { return sum + x; },
        [&](int32_t sum, int64_t inside) {
          if (attrs.countIncludePad) // padding holds the zero point
            return static_cast<T>(form.apply(sum + static_cast<int32_t>(whole - inside) * form.inputZeroPoint, whole));
          return static_cast<T>(form.apply(sum, inside));
        });
  });
}

void mfc::verifyAvgPool2D(OpVerifier &v) {
  const auto &attrs = v.op.attrs<PoolAttrs>();
  // avg_pool2d_c1: f32, or one quantized element type with one scale a tensor.
  bool isReal = v.sameElements() && v.nothingQuantized() && isFloat(v.result().element);
  bool quantized = v.sameElements() && v.allQuantized() && isActivationElement(v.result().element);
  if (!isReal && !quantized) {
    v.unsupportedTypes("f32 for both, or both quantized to one of i8, u8 and i16");
    return;
  }
  bool windows = verifyWindows(v);
  if (isReal || !v.perTensor(*v.op.operand(0)) || !v.perTensor(*v.op.result()))
    return;
  // avg_pool2d_c2: TFLite's kernel does not rescale.
  if (attrs.rounding != Rounding::HalfEven)
    v.resultLikeOperand("TFLite's average pool does not rescale");
  // avg_pool2d_c3: sums fit in 32 bits.
  int64_t largest = std::max(largestStoredOffset(v.operand(0)), -elementMin(v.operand(0).element));
  if (windows && attrs.kernel[0] * attrs.kernel[1] > INT32_MAX / largest)
    v.bad() << "window of " << attrs.kernel[0] << "x" << attrs.kernel[1] << " elements can overflow a 32-bit sum";
}
