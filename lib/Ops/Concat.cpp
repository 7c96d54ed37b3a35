// concat: joins along one dimension.
#include "Elements.h"
#include "Verifier.h"

#include <algorithm>
#include <cstring>

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

void mfc::evalConcat(const EvalArgs &args) {
  const TensorType &type = args.resultType();
  int64_t axis = args.op.attrs<AxisAttrs>().axis;
  axis = axis < 0 ? axis + type.rank() : axis;
  size_t inner = elementBytes(type.element); // bytes of one index along the axis
  for (int64_t d = axis + 1; d < type.rank(); ++d)
    inner *= static_cast<size_t>(type.dim(d));
  const size_t row = inner * static_cast<size_t>(type.dim(axis)), rows = args.result.bytes.size() / row;
  size_t offset = 0;
  for (const Tensor *operand : args.operands) {
    const size_t part = operand->bytes.size() / rows;
    for (size_t r = 0; r < rows; ++r)
      std::memcpy(args.result.bytes.data() + r * row + offset, operand->bytes.data() + r * part, part);
    offset += part;
  }
}

void mfc::verifyConcat(OpVerifier &v) { verifyMovement(v); }
