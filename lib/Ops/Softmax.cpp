// softmax along one dimension.
#include "Elements.h"
#include "Verifier.h"
#include "mfc/Numerics/FixedPoint.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>
#include <limits>

using namespace mfc;

llvm::Expected<Shape> mfc::inferSoftmax(const ShapeQuery &query) {
  llvm::Expected<int64_t> axis = normalAxis(query.attrs<SoftmaxAttrs>().axis, query.operands[0].rank());
  if (!axis)
    return axis.takeError();
  return query.shape(0);
}

namespace {
/// A row is `size` elements that lie `inner` apart.
struct SoftmaxRow {
  int64_t start, size, inner;
  int64_t at(int64_t k) const { return start + k * inner; }
};
} // namespace

template <typename F> static void forEachRow(const EvalArgs &args, F &&f) {
  const TensorType &type = args.resultType();
  int64_t axis = args.op.attrs<SoftmaxAttrs>().axis;
  axis = axis < 0 ? axis + type.rank() : axis;
  int64_t inner = 1, size = type.dim(axis);
  for (int64_t d = axis + 1; d < type.rank(); ++d)
    inner *= type.dim(d);
  for (int64_t outer = 0, n = type.count() / (size * inner); outer < n; ++outer)
    for (int64_t i = 0; i < inner; ++i)
      f(SoftmaxRow{outer * size * inner + i, size, inner});
}

static void floatRow(const SoftmaxRow &row, const float *in, float *out, float beta) {
  float largest = std::numeric_limits<float>::lowest();
  for (int64_t k = 0; k < row.size; ++k)
    largest = std::max(largest, in[row.at(k)]);
  float sum = 0;
  for (int64_t k = 0; k < row.size; ++k) {
    float argument = (in[row.at(k)] - largest) * beta;
    out[row.at(k)] = static_cast<float>(std::exp(static_cast<double>(argument)));
    sum += out[row.at(k)];
  }
  for (int64_t k = 0; k < row.size; ++k)
    out[row.at(k)] = out[row.at(k)] / sum;
}

template <typename T, typename R>
static void quantizedRow(const SoftmaxRow &row, const T *in, R *out, const SoftmaxForm &form) {
  int32_t largest = in[row.start];
  for (int64_t k = 1; k < row.size; ++k)
    largest = std::max<int32_t>(largest, in[row.at(k)]);
  int32_t sum = 0;
  for (int64_t k = 0; k < row.size; ++k)
    sum += form.addend(largest - in[row.at(k)]);
  FixedReciprocal reciprocal = fixedReciprocal(sum, 12);
  for (int64_t k = 0; k < row.size; ++k)
    out[row.at(k)] =
        static_cast<R>(form.apply(largest - in[row.at(k)], reciprocal.value, reciprocal.bitsOverUnit));
}

void mfc::evalSoftmax(const EvalArgs &args) {
  const Tensor &x = *args.operands[0];
  if (isFloat(args.resultType().element)) {
    float beta = args.op.attrs<SoftmaxAttrs>().beta;
    forEachRow(args, [&](const SoftmaxRow &row) { floatRow(row, elements<float>(x), elements<float>(args.result), beta); });
    return;
  }
  SoftmaxForm form = softmaxForm(args.op);
  dispatchQuantized(args.operandType(0).element, [&](auto in) {
    dispatchQuantized(args.resultType().element, [&](auto out) {
      forEachRow(args, [&](const SoftmaxRow &row) {
        quantizedRow(row, elements<decltype(in)>(x), elements<decltype(out)>(args.result), form);
      });
    });
  });
}

void mfc::verifySoftmax(OpVerifier &v) {
  const auto &attrs = v.op.attrs<SoftmaxAttrs>();
  // softmax_c1: beta is positive and finite.
  if (!(attrs.beta > 0) || !std::isfinite(attrs.beta))
    v.bad() << "beta is " << attrs.beta << ", wanted a positive, finite number";
  // softmax_c2: f32, or 8-bit quantized with one scale a tensor.
  if (v.sameElements() && v.nothingQuantized() && isFloat(v.result().element))
    return;
  auto is8Bit = [](const TensorType &t) { return t.isQuantized() && elementBytes(t.element) == 1; };
  if (!is8Bit(v.operand(0)) || !is8Bit(v.result())) {
    v.unsupportedTypes("f32 for both, or both quantized to i8 or u8");
    return;
  }
  v.perTensor(*v.op.operand(0));
  v.perTensor(*v.op.result());
  // softmax_c3: the fixed-point sum holds 4095 exponentials.
  if (int64_t row = v.operand(0).dim(attrs.axis); row > kSoftmaxLongestRow)
    v.unsupported() << "softmax over " << row << " elements, wanted at most " << kSoftmaxLongestRow;
}
