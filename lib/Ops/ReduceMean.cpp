// reduce_mean: mean over the named dimensions.
#include "Elements.h"
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferReduceMean(const ShapeQuery &query) {
  const auto &attrs = query.attrs<ReduceAttrs>();
  const Shape &in = query.shape(0);
  int64_t previous = -1;
  for (int64_t axis : attrs.axes) {
    if (axis <= previous || axis >= static_cast<int64_t>(in.size()))
      return badShape("axis " + llvm::Twine(axis) + " after " + llvm::Twine(previous) + " in a tensor of rank " +
                      llvm::Twine(in.size()) + ", wanted ascending axes below the rank");
    previous = axis;
  }
  Shape result;
  for (size_t i = 0; i < in.size(); ++i) {
    bool reduced = llvm::is_contained(attrs.axes, static_cast<int64_t>(i));
    if (!reduced)
      result.push_back(in[i]);
    else if (attrs.keepDims)
      result.push_back(1);
  }
  return result;
}

/// Sums the operand into one accumulator per result element, in row-major order of the operand.
template <typename T, typename Acc> static std::vector<Acc> sumOver(const EvalArgs &args) {
  const auto &axes = args.op.attrs<ReduceAttrs>().axes;
  const Shape &shape = args.operandType(0).shape;
  Shape kept = shape;
  for (int64_t axis : axes)
    kept[static_cast<size_t>(axis)] = 1;
  std::vector<Acc> sums(static_cast<size_t>(args.resultType().count()));
  const T *in = elements<T>(*args.operands[0]);
  walk<1>(shape, {broadcastStrides(kept, shape)}, {0},
          [&](int64_t i, const std::array<int64_t, 1> &to) { sums[static_cast<size_t>(to[0])] += static_cast<Acc>(in[i]); });
  return sums;
}

void mfc::evalReduceMean(const EvalArgs &args) {
  const int64_t results = args.resultType().count(), count = args.operandType(0).count() / results;
  if (isFloat(args.resultType().element)) {
    std::vector<float> sums = sumOver<float, float>(args);
    for (int64_t i = 0; i < results; ++i)
      elements<float>(args.result)[i] = sums[static_cast<size_t>(i)] / static_cast<float>(count);
    return;
  }
  RequantForm form = requantForm(args.op);
  dispatchQuantized(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    std::vector<int32_t> sums = sumOver<T, int32_t>(args);
    for (int64_t i = 0; i < results; ++i)
      elements<T>(args.result)[i] =
          static_cast<T>(form.apply(sums[static_cast<size_t>(i)] - count * form.inputZeroPoint));
  });
}

void mfc::verifyReduceMean(OpVerifier &v) {
  // reduce_mean_c1: f32, or one quantized element type with one scale a tensor.
  if (v.sameElements() && v.nothingQuantized() && isFloat(v.result().element))
    return;
  if (!v.sameElements() || !v.allQuantized() || !isActivationElement(v.result().element)) {
    v.unsupportedTypes("f32 for both, or both quantized to one of i8, u8 and i16");
    return;
  }
  if (!v.perTensor(*v.op.operand(0)) || !v.perTensor(*v.op.result()))
    return;
  // reduce_mean_c2: sums fit in 32 bits.
  int64_t count = v.operand(0).count() / v.result().count();
  if (count > INT32_MAX / largestStoredOffset(v.operand(0)))
    v.bad() << "a mean of " << count << " elements can overflow a 32-bit sum";
}
