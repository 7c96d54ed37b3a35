// pad: a border of one value.
#include "Elements.h"
#include "Verifier.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mfc;

llvm::Expected<Shape> mfc::inferPad(const ShapeQuery &query) {
  const auto &attrs = query.attrs<PadAttrs>();
  Shape result = query.shape(0);
  if (attrs.before.size() != result.size() || attrs.after.size() != result.size())
    return badShape("pad of " + shapeText(result) + " has " + llvm::Twine(attrs.before.size()) + " and " +
                    llvm::Twine(attrs.after.size()) + " entries, wanted one a dimension");
  constexpr int64_t largest = int64_t(1) << 40;
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t before = attrs.before[i], after = attrs.after[i];
    if (before < 0 || after < 0 || before > largest || after > largest)
      return badShape("pad of dimension " + llvm::Twine(i) + " is " + llvm::Twine(before) + " and " +
                      llvm::Twine(after) + ", wanted non-negative numbers");
    result[i] += before + after;
  }
  return result;
}

void mfc::evalPad(const EvalArgs &args) {
  const auto &attrs = args.op.attrs<PadAttrs>();
  const std::vector<int64_t> strides = rowMajorStrides(args.resultType().shape);
  int64_t base = 0;
  for (size_t i = 0; i < strides.size(); ++i)
    base += attrs.before[i] * strides[i];
  dispatchElement(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    const T *in = elements<T>(*args.operands[0]);
    T *out = elements<T>(args.result);
    std::fill_n(out, args.resultType().count(), storedAttribute<T>(attrs.value));
    walk<1>(args.operandType(0).shape, {strides}, {base},
            [&](int64_t i, const std::array<int64_t, 1> &to) { out[to[0]] = in[i]; });
  });
}

void mfc::verifyPad(OpVerifier &v) {
  verifyMovement(v);
  // pad_c1: the border value of integers is a stored value.
  ElementType element = v.result().element;
  double value = v.op.attrs<PadAttrs>().value;
  if (!isFloat(element) && !(value == std::floor(value) && value >= static_cast<double>(elementMin(element)) &&
                             value <= static_cast<double>(elementMax(element))))
    v.bad() << "pad value is " << value << ", wanted a stored value of " << elementName(element);
}
