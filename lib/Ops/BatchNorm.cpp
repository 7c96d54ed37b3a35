// batch_norm: y = scale * (x - mean) / sqrt(variance + epsilon) + bias along one dimension.
#include "Elements.h"
#include "Verifier.h"

#include <cmath>

using namespace mfc;

llvm::Expected<Shape> mfc::inferBatchNorm(const ShapeQuery &query) {
  static const char *const names[] = {"input", "scale", "bias", "mean", "variance"};
  llvm::Expected<int64_t> axis = normalAxis(query.attrs<BatchNormAttrs>().axis, query.operands[0].rank());
  if (!axis)
    return axis.takeError();
  int64_t channels = query.operands[0].dim(*axis);
  for (size_t i = 1; i < 5; ++i)
    if (query.shape(i) != Shape{channels})
      return badShape(llvm::Twine(names[i]) + " has shape " + shapeText(query.shape(i)) + ", wanted " +
                      llvm::Twine(channels) + " for dimension " + llvm::Twine(*axis) + " of the input");
  return query.shape(0);
}

void mfc::evalBatchNorm(const EvalArgs &args) {
  const auto &attrs = args.op.attrs<BatchNormAttrs>();
  const TensorType &type = args.resultType();
  const int64_t axis = attrs.axis < 0 ? attrs.axis + type.rank() : attrs.axis;
  int64_t inner = 1;
  for (int64_t d = axis + 1; d < type.rank(); ++d)
    inner *= type.dim(d);
  const float *x = elements<float>(*args.operands[0]), *scale = elements<float>(*args.operands[1]),
              *bias = elements<float>(*args.operands[2]), *mean = elements<float>(*args.operands[3]),
              *variance = elements<float>(*args.operands[4]);
  for (int64_t i = 0, n = type.count(); i < n; ++i) {
    const int64_t c = i / inner % type.dim(axis);
    const float factor = scale[c] / std::sqrt(variance[c] + attrs.epsilon);
    elements<float>(args.result)[i] = (x[i] - mean[c]) * factor + bias[c];
  }
}

void mfc::verifyBatchNorm(OpVerifier &v) {
  // batch_norm_c1: f32.
  if (!v.sameElements() || !isFloat(v.result().element))
    v.unsupportedTypes("f32");
  // batch_norm_c2: epsilon is not negative.
  if (!(v.op.attrs<BatchNormAttrs>().epsilon >= 0))
    v.bad() << "epsilon is " << v.op.attrs<BatchNormAttrs>().epsilon << ", wanted a number that is not negative";
}
