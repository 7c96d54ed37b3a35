// gather: slices along one dimension, picked by indices.
#include "Elements.h"
#include "Verifier.h"

#include <algorithm>
#include <cstring>

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

void mfc::evalGather(const EvalArgs &args) {
  const TensorType &type = args.operandType(0);
  int64_t axis = args.op.attrs<AxisAttrs>().axis;
  axis = axis < 0 ? axis + type.rank() : axis;
  const int64_t size = type.dim(axis), picks = args.operandType(1).count();
  size_t inner = elementBytes(type.element); // bytes of one slice
  for (int64_t d = axis + 1; d < type.rank(); ++d)
    inner *= static_cast<size_t>(type.dim(d));
  const size_t outer = args.operands[0]->bytes.size() / (inner * static_cast<size_t>(size));
  uint8_t *out = args.result.bytes.data();
  for (size_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < picks; ++i, out += inner) {
      int64_t index = args.operands[1]->getInteger(i);
      index = std::clamp<int64_t>(index < 0 ? index + size : index, 0, size - 1);
      std::memcpy(out, args.operands[0]->bytes.data() + (o * static_cast<size_t>(size) + static_cast<size_t>(index)) * inner,
                  inner);
    }
}

void mfc::verifyGather(OpVerifier &v) {
  // gather_c1: the data keeps its type, indices are integers.
  ElementType index = v.operand(1).element;
  if (v.operand(0).element != v.result().element || (index != ElementType::I32 && index != ElementType::I64)) {
    v.unsupportedTypes("i32 or i64 indices and the data's type as result");
    return;
  }
  if (v.operand(0).quant != v.result().quant)
    v.bad(*v.op.result()) << "result is " << typeText(v.result()) << ", wanted the data's quantization "
                          << typeText(v.operand(0));
  // gather_c2: constant indices are inside the dimension, from -size to size - 1.
  std::optional<llvm::ArrayRef<uint8_t>> bytes = v.constants(*v.op.operand(1));
  if (!bytes)
    return;
  int64_t size = v.operand(0).dim(v.op.attrs<AxisAttrs>().axis);
  Tensor indices(v.operand(1), *bytes);
  for (int64_t i = 0, n = v.operand(1).count(); i < n; ++i)
    if (int64_t x = indices.getInteger(i); x < -size || x >= size) {
      v.bad(*v.op.operand(1)) << "index " << x << " is outside a dimension of " << size;
      return;
    }
}
