// batch_norm: y = scale * (x - mean) / sqrt(variance + epsilon) + bias along one dimension.
#include "OpFunctions.h"

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
