// div: quotient of broadcast operands.
#include "BinaryEval.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferDiv(const ShapeQuery &query) { return inferBroadcast(query); }

template <typename T> static T divide(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    return a / b;
  } else {
    if (b == 0)
      return 0; // defined, so that hostile models cannot trap
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return static_cast<T>(0 - static_cast<uint64_t>(a)); // the smallest number wraps to itself
    return static_cast<T>(a / b);
  }
}

void mfc::evalDiv(const EvalArgs &args) {
  dispatchElement(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    applyBroadcast<T, T, T>(args, [](T a, T b) { return divide(a, b); });
  });
}

void mfc::verifyDiv(OpVerifier &v) {
  // div_c1: f32 or one plain integer type.
  constexpr const char *wanted = "all f32 or all of one integer type without scale";
  if (verifyArithmetic(v, wanted) == ArithmeticKind::Quantized)
    v.unsupportedTypes(wanted);
}
