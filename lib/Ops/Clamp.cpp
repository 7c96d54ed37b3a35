// clamp: limits to [min, max].
#include "Elements.h"
#include "Verifier.h"

#include <cmath>

using namespace mfc;

llvm::Expected<Shape> mfc::inferClamp(const ShapeQuery &query) { return inferSameShape(query); }

void mfc::evalClamp(const EvalArgs &args) {
  const auto &attrs = args.op.attrs<ClampAttrs>();
  dispatchElement(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    const T low = storedAttribute<T>(attrs.min), high = storedAttribute<T>(attrs.max);
    applyUnary<T, T>(args, [&](T x) { return x < low ? low : x > high ? high : x; }); // NaN stays
  });
}

void mfc::verifyClamp(OpVerifier &v) {
  const auto &attrs = v.op.attrs<ClampAttrs>();
  ElementType element = v.result().element;
  v.resultLikeOperand("clamp keeps the type");
  // clamp_c1: min <= max.
  if (!(attrs.min <= attrs.max)) {
    v.bad() << "clamp to [" << attrs.min << ", " << attrs.max << "], wanted min <= max";
    return;
  }
  // clamp_c2: bounds of integer tensors are stored values.
  if (isFloat(element))
    return;
  auto isStored = [&](double x) {
    return x == std::floor(x) && x >= static_cast<double>(elementMin(element)) &&
           x <= static_cast<double>(elementMax(element));
  };
  if (!isStored(attrs.min) || !isStored(attrs.max))
    v.bad() << "clamp to [" << attrs.min << ", " << attrs.max << "], wanted stored values of " << elementName(element);
}
