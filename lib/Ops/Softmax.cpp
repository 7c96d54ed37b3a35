// softmax along one dimension.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferSoftmax(const ShapeQuery &query) {
  llvm::Expected<int64_t> axis = normalAxis(query.attrs<SoftmaxAttrs>().axis, query.operands[0].rank());
  if (!axis)
    return axis.takeError();
  return query.shape(0);
}
