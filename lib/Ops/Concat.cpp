// concat: joins along one dimension.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferConcat(const ShapeQuery &query) {
  llvm::Expected<int64_t> axis = normalAxis(query.attrs<AxisAttrs>().axis, query.operands[0].rank());
  if (!axis)
    return axis.takeError();
  auto along = static_cast<size_t>(*axis);
  Shape result = query.shape(0);
  result[along] = 0;
  for (size_t i = 0; i < query.operands.size(); ++i) {
    Shape other = query.shape(i);
    if (other.size() != result.size())
      return badShape("operand " + llvm::Twine(i) + " has shape " + shapeText(other) + ", wanted the rank of " +
                      shapeText(query.shape(0)));
    result[along] += other[along];
    other[along] = result[along];
    if (other != result)
      return badShape("operand " + llvm::Twine(i) + " has shape " + shapeText(query.shape(i)) + ", wanted that of " +
                      shapeText(query.shape(0)) + " except in dimension " + llvm::Twine(*axis));
  }
  return result;
}
