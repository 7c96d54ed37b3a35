// Parts of tensors: SLICE, STRIDED_SLICE, SPLIT, SPLIT_V.
#include "OperatorTable.h"

#include <algorithm>

using namespace mfc;
using namespace mfc::tflite;

static Value *addSlice(const Node &node, Value *from, SliceAttrs attrs, Shape size) {
  TensorType type = from->type;
  type.shape = std::move(size);
  return node.add(OpKind::Slice, {from}, std::move(attrs), type);
}

bool tflite::convertSlice(const Node &node) {
  std::optional<std::vector<int64_t>> begin = node.constantIntegers(1), size = node.constantIntegers(2);
  if (!begin || !size || !node.wantSameType(0))
    return false;
  const Shape &in = node.input(0)->type.shape;
  if (begin->size() != in.size() || size->size() != in.size())
    return node.bad() << "has " << begin->size() << " begins and " << size->size() << " sizes; wanted one for each of "
                      << in.size() << " dimensions";
  for (size_t i = 0; i < in.size(); ++i)
    if ((*size)[i] == -1)
      (*size)[i] = in[i] - (*begin)[i];
  SliceAttrs attrs{*begin, std::vector<int64_t>(in.size(), 1)};
  return node.finish(addSlice(node, node.input(0), attrs, *size));
}

namespace {
/// One dimension of a strided slice after masks and negative indices are resolved.
struct Range {
  int64_t begin = 0, stride = 1, size = 0;
};
} // namespace

/// TFLite's rules (strided_slice_logic.h): negative indices count from the end, then both ends are clamped to
/// [0, dim] going up and [-1, dim - 1] going down.
static Range resolveRange(int64_t begin, int64_t end, int64_t stride, int64_t dim, bool openBegin, bool openEnd,
                          bool endIsOffset) {
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
  int64_t first = begin < 0 ? begin + dim : begin;
  int64_t last = endIsOffset ? first + end : end < 0 ? end + dim : end;
  first = openBegin ? (stride > 0 ? low : high) : std::clamp(first, low, high);
  last = openEnd ? (stride > 0 ? high : low) : std::clamp(last, low, high);
  int64_t span = stride > 0 ? last - first : first - last;
  int64_t step = stride > 0 ? stride : -stride;
  return {first, stride, span <= 0 ? 0 : (span + step - 1) / step};
}

bool tflite::convertStridedSlice(const Node &node) {
  auto options = node.options<fb::StridedSliceOptions>();
  std::optional<std::vector<int64_t>> begin = node.constantIntegers(1), end = node.constantIntegers(2),
                                      stride = node.constantIntegers(3);
  if (!begin || !end || !stride || !node.wantSameType(0))
    return false;
  if (options.ellipsis_mask || options.new_axis_mask)
    return node.unsupported() << "strided slice with an ellipsis or a new axis is not supported";
  const Shape &in = node.input(0)->type.shape;
  if (begin->size() > in.size() || end->size() != begin->size() || stride->size() != begin->size())
    return node.bad() << "has " << begin->size() << " begins, " << end->size() << " ends and " << stride->size()
                      << " strides for " << in.size() << " dimensions; wanted as many of each";
  SliceAttrs attrs;
  Shape size, shape;
  for (size_t i = 0; i < in.size(); ++i) {
    Range range{0, 1, in[i]};
    bool given = i < begin->size();
    bool shrink = given && ((options.shrink_axis_mask >> i) & 1);
    if (given && ((*stride)[i] == 0 || (*stride)[i] < INT32_MIN || (*stride)[i] > INT32_MAX))
      return node.bad() << "stride " << i << " is " << (*stride)[i] << "; wanted a number other than 0";
    if (shrink) {
      int64_t index = (*begin)[i] < 0 ? (*begin)[i] + in[i] : (*begin)[i];
      range = {index, 1, 1};
    } else if (given) {
      range = resolveRange((*begin)[i], (*end)[i], (*stride)[i], in[i], (options.begin_mask >> i) & 1,
                           (options.end_mask >> i) & 1, options.offset);
    }
    if (range.size == 0)
      return node.bad() << "slice of dimension " << i << " of " << shapeText(in) << " is empty";
    attrs.begin.push_back(range.begin);
    attrs.stride.push_back(range.stride);
    size.push_back(range.size);
    if (!shrink)
      shape.push_back(range.size);
  }
  return node.finish(node.reshape(addSlice(node, node.input(0), attrs, size), shape));
}

/// Cuts `from` along an axis into parts of these sizes, one a result.
static bool cut(const Node &node, Value *from, int64_t axis, llvm::ArrayRef<int64_t> sizes) {
  bool complete = true;
  int64_t position = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    SliceAttrs attrs{std::vector<int64_t>(from->type.shape.size(), 0),
                     std::vector<int64_t>(from->type.shape.size(), 1)};
    attrs.begin[static_cast<size_t>(axis)] = position;
    Shape size = from->type.shape;
    size[static_cast<size_t>(axis)] = sizes[i];
    complete &= node.finish(addSlice(node, from, attrs, size), i);
    position += sizes[i];
  }
  return complete;
}

static std::optional<int64_t> splitAxis(const Node &node, size_t operand, const Value &from) {
  std::optional<std::vector<int64_t>> axes = node.constantIntegers(operand);
  if (!axes)
    return std::nullopt;
  if (axes->size() != 1) {
    node.bad() << "has " << axes->size() << " axes; wanted one";
    return std::nullopt;
  }
  return node.axis((*axes)[0], from.type.rank());
}

bool tflite::convertSplit(const Node &node) {
  Value *from = node.input(1);
  std::optional<int64_t> axis = splitAxis(node, 0, *from);
  if (!axis)
    return false;
  int64_t parts = static_cast<int64_t>(node.outputCount()), dim = from->type.dim(*axis);
  if (dim % parts != 0)
    return node.bad() << "dimension " << *axis << " of " << shapeText(from->type.shape) << " does not split into "
                      << parts << " equal parts";
  for (size_t i = 0; i < node.outputCount(); ++i)
    if (!node.wantSameType(1, i))
      return false;
  return cut(node, from, *axis, std::vector<int64_t>(node.outputCount(), dim / parts));
}

bool tflite::convertSplitV(const Node &node) {
  Value *from = node.input(0);
  std::optional<std::vector<int64_t>> sizes = node.constantIntegers(1);
  std::optional<int64_t> axis = splitAxis(node, 2, *from);
  if (!sizes || !axis)
    return false;
  int64_t dim = from->type.dim(*axis), rest = dim;
  if (sizes->size() != node.outputCount())
    return node.bad() << "has " << sizes->size() << " sizes for " << node.outputCount() << " outputs";
  int64_t *open = nullptr;
  for (int64_t &size : *sizes) {
    if (size == -1 && !open)
      open = &size;
    else if (size < 1 || size > rest)
      return node.bad() << "sizes do not cut dimension " << *axis << " of " << shapeText(from->type.shape);
    else
      rest -= size;
  }
  if (open ? rest < 1 : rest != 0)
    return node.bad() << "sizes do not cut dimension " << *axis << " of " << shapeText(from->type.shape);
  if (open)
    *open = rest;
  for (size_t i = 0; i < node.outputCount(); ++i)
    if (!node.wantSameType(0, i))
      return false;
  return cut(node, from, *axis, *sizes);
}
