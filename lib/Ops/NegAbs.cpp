// neg and abs.
#include "Elements.h"
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>
#include <type_traits>

using namespace mfc;

llvm::Expected<Shape> mfc::inferNeg(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferAbs(const ShapeQuery &query) { return inferSameShape(query); }

/// f on floats, on plain integers (wrapping) and, with requantization, on quantized ones.
template <typename F> static void evalSigned(const EvalArgs &args, F &&f) {
  if (hasUnaryTable(args.op))
    return evalUnaryTable(args);
  if (args.resultType().isQuantized()) { // 16 bits
    RequantForm form = requantForm(args.op);
    return applyUnary<int16_t, int16_t>(
        args, [&](int16_t x) { return static_cast<int16_t>(form.apply(f(int64_t(x) - form.inputZeroPoint))); });
  }
  dispatchElement(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    applyUnary<T, T>(args, [&](T x) {
      if constexpr (std::is_same_v<T, float>)
        return f(x);
      else
        return static_cast<T>(f(static_cast<int64_t>(x)));
    });
  });
}

void mfc::evalNeg(const EvalArgs &args) {
  evalSigned(args, [](auto x) {
    if constexpr (std::is_same_v<decltype(x), float>)
      return -x;
    else
      return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
  });
}

void mfc::evalAbs(const EvalArgs &args) {
  evalSigned(args, [](auto x) {
    if constexpr (std::is_same_v<decltype(x), float>)
      return std::fabs(x);
    else
      return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
  });
}

void mfc::verifyNeg(OpVerifier &v) {
  // neg_c1: f32, a signed integer type, or quantized.
  constexpr const char *wanted = "f32, a signed integer type, or quantized i8, u8 or i16, on both sides";
  if (verifyArithmetic(v, wanted) == ArithmeticKind::Integer && !isSignedInteger(v.result().element))
    v.unsupportedTypes(wanted);
}

void mfc::verifyAbs(OpVerifier &v) { verifyNeg(v); }
