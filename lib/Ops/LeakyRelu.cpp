// leaky_relu: x if x >= 0, else alpha * x.
#include "Elements.h"
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>

using namespace mfc;

llvm::Expected<Shape> mfc::inferLeakyRelu(const ShapeQuery &query) { return inferSameShape(query); }

void mfc::evalLeakyRelu(const EvalArgs &args) {
  if (hasUnaryTable(args.op))
    return evalUnaryTable(args);
  if (isFloat(args.resultType().element)) {
    const float alpha = args.op.attrs<LeakyReluAttrs>().alpha;
    return applyUnary<float, float>(args, [&](float x) { return x >= 0 ? x : x * alpha; });
  }
  LeakyReluForm form = leakyReluForm(args.op);
  applyUnary<int16_t, int16_t>(args, [&](int16_t x) { return static_cast<int16_t>(form.apply(x)); });
}

void mfc::verifyLeakyRelu(OpVerifier &v) {
  // leaky_relu_c1: alpha is finite.
  if (!std::isfinite(v.op.attrs<LeakyReluAttrs>().alpha))
    v.bad() << "alpha is " << v.op.attrs<LeakyReluAttrs>().alpha << ", wanted a finite number";
  // leaky_relu_c2: f32 or quantized.
  constexpr const char *wanted = "f32, or quantized i8, u8 or i16, on both sides";
  if (verifyArithmetic(v, wanted) == ArithmeticKind::Integer)
    v.unsupportedTypes(wanted);
}
