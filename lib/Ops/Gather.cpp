// gather: slices along one dimension, picked by indices.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferGather(const ShapeQuery &query) {
  llvm::Expected<int64_t> axis = normalAxis(query.attrs<AxisAttrs>().axis, query.operands[0].rank());
  if (!axis)
    return axis.takeError();
  const Shape &data = query.shape(0), &indices = query.shape(1);
  Shape result(data.begin(), data.begin() + *axis);
  result.insert(result.end(), indices.begin(), indices.end());
  result.insert(result.end(), data.begin() + *axis + 1, data.end());
  return result;
}
