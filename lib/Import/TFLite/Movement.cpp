// Operators that change shapes or order without computing: RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, PAD, PADV2,
// CONCATENATION, PACK, GATHER.
#include "OperatorTable.h"

#include "mfc/IR/Tensor.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mfc;
using namespace mfc::tflite;

/// Replaces the one -1 of a wanted shape by what the element count leaves for it.
static bool resolveWildcard(const Node &node, Shape &shape, int64_t count) {
  int64_t known = 1;
  int wildcards = 0;
  for (int64_t d : shape) {
    if (d == -1) {
      ++wildcards;
      continue;
    }
    if (d <= 0 || d > count)
      return node.bad() << "shape " << shapeText(shape) << " does not fit " << count << " elements";
    known *= d;
    if (known > count)
      return node.bad() << "shape " << shapeText(shape) << " does not fit " << count << " elements";
  }
  if (wildcards > 1)
    return node.bad() << "shape " << shapeText(shape) << " has more than one open dimension";
  if (wildcards == 1)
    *llvm::find(shape, -1) = count / known;
  if (known * (wildcards ? count / known : 1) != count)
    return node.bad() << "shape " << shapeText(shape) << " does not have " << count << " elements";
  return true;
}

bool tflite::convertReshape(const Node &node) {
  if (!node.wantSameType(0))
    return false;
  Shape shape;
  if (node.hasInput(1)) {
    std::optional<std::vector<int64_t>> wanted = node.constantIntegers(1);
    if (!wanted)
      return false;
    shape = std::move(*wanted);
  } else {
    auto options = node.options<fb::ReshapeOptions>();
    shape.assign(options.new_shape.begin(), options.new_shape.end());
  }
  if (!resolveWildcard(node, shape, node.input(0)->type.count()))
    return false;
  return node.finish(node.reshape(node.input(0), std::move(shape)));
}

bool tflite::convertSqueeze(const Node &node) {
  if (!node.wantSameType(0))
    return false;
  const Shape &in = node.input(0)->type.shape;
  std::vector<bool> drop(in.size(), false);
  auto options = node.options<fb::SqueezeOptions>();
  for (int32_t d : options.squeeze_dims) {
    std::optional<int64_t> axis = node.axis(d, static_cast<int64_t>(in.size()));
    if (!axis)
      return false;
    if (in[static_cast<size_t>(*axis)] != 1)
      return node.bad() << "dimension " << *axis << " of " << shapeText(in) << " is to be squeezed; wanted a size of 1";
    drop[static_cast<size_t>(*axis)] = true;
  }
  Shape shape;
  for (size_t i = 0; i < in.size(); ++i)
    if (options.squeeze_dims.empty() ? in[i] != 1 : !drop[i])
      shape.push_back(in[i]);
  return node.finish(node.reshape(node.input(0), std::move(shape)));
}

bool tflite::convertExpandDims(const Node &node) {
  std::optional<std::vector<int64_t>> axes = node.constantIntegers(1);
  if (!axes || !node.wantSameType(0))
    return false;
  if (axes->size() != 1)
    return node.bad() << "has " << axes->size() << " axes; wanted one";
  Shape shape = node.input(0)->type.shape;
  std::optional<int64_t> axis = node.axis((*axes)[0], static_cast<int64_t>(shape.size()) + 1);
  if (!axis)
    return false;
  shape.insert(shape.begin() + *axis, 1);
  return node.finish(node.reshape(node.input(0), std::move(shape)));
}

bool tflite::convertTranspose(const Node &node) {
  std::optional<std::vector<int64_t>> perm = node.constantIntegers(1);
  if (!perm || !node.wantSameType(0))
    return false;
  std::vector<int64_t> sorted = *perm, positions(node.input(0)->type.shape.size());
  llvm::sort(sorted);
  std::iota(positions.begin(), positions.end(), 0);
  if (sorted != positions)
    return node.badInput(1) << "permutation is no reordering of the " << positions.size() << " dimensions of "
                            << shapeText(node.input(0)->type.shape);
  return node.finish(node.add(OpKind::Transpose, {node.input(0)}, TransposeAttrs{*perm}, node.outputType()));
}

static bool convertPadding(const Node &node, double value) {
  std::optional<std::vector<int64_t>> amounts = node.constantIntegers(1);
  if (!amounts || !node.wantSameType(0))
    return false;
  size_t rank = node.input(0)->type.shape.size();
  if (amounts->size() != 2 * rank)
    return node.badInput(1) << "has " << amounts->size() << " padding amounts; wanted 2 for each of " << rank
                            << " dimensions";
  PadAttrs attrs;
  attrs.value = value;
  for (size_t i = 0; i < rank; ++i) {
    for (size_t side = 0; side < 2; ++side) {
      int64_t amount = (*amounts)[2 * i + side];
      if (amount < 0 || amount > INT32_MAX)
        return node.badInput(1) << "padding amount " << 2 * i + side << " is " << amount << "; wanted 0 or more";
      (side ? attrs.after : attrs.before).push_back(amount);
    }
  }
  return node.finish(node.add(OpKind::Pad, {node.input(0)}, attrs, node.outputType()));
}

bool tflite::convertPad(const Node &node) {
  const TensorType &type = node.input(0)->type;
  return convertPadding(node, type.isQuantized() ? type.quant->zeroPoint() : 0);
}

bool tflite::convertPadV2(const Node &node) {
  const TensorType &type = node.input(0)->type;
  std::optional<Tensor> value = constantValue(*node.input(2));
  if (!value)
    return node.unsupported() << "padding value must be constant, but tensor '" << node.input(2)->name
                              << "' is computed at run time";
  if (value->type.count() != 1 || value->type.element != type.element || value->type.quant != type.quant)
    return node.badInput(2) << "padding value is " << typeText(value->type) << "; wanted one element of the type of "
                            << typeText(type);
  return convertPadding(node, isFloat(type.element) ? double(value->get<float>(0)) : double(value->getInteger(0)));
}

bool tflite::convertConcatenation(const Node &node) {
  auto options = node.options<fb::ConcatenationOptions>();
  std::vector<Value *> operands;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    if (!node.input(i))
      return node.bad() << "input " << i << " is left out; wanted a tensor";
    if (!node.wantSameType(i))
      return false;
    operands.push_back(node.input(i));
  }
  std::optional<int64_t> axis = node.axis(options.axis, node.input(0)->type.rank());
  if (!axis)
    return false;
  return node.finish(
      node.activate(node.add(OpKind::Concat, operands, AxisAttrs{*axis}, node.outputType()), options.fused_activation));
}

/// Joins tensors along a new dimension.
bool tflite::convertPack(const Node &node) {
  auto options = node.options<fb::PackOptions>();
  std::optional<int64_t> axis = node.axis(options.axis, node.input(0)->type.rank() + 1);
  if (!axis)
    return false;
  std::vector<Value *> operands;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    if (!node.input(i))
      return node.bad() << "input " << i << " is left out; wanted a tensor";
    if (!node.wantSameType(i))
      return false;
    Shape shape = node.input(i)->type.shape;
    if (shape != node.input(0)->type.shape)
      return node.badInput(i) << "has shape " << shapeText(shape) << "; wanted that of the first, "
                              << shapeText(node.input(0)->type.shape);
    shape.insert(shape.begin() + *axis, 1);
    operands.push_back(node.reshape(node.input(i), std::move(shape)));
  }
  return node.finish(node.add(OpKind::Concat, operands, AxisAttrs{*axis}, node.outputType()));
}

bool tflite::convertGather(const Node &node) {
  auto options = node.options<fb::GatherOptions>();
  if (options.batch_dims != 0)
    return node.unsupported() << "batch_dims is " << options.batch_dims << "; supported is 0";
  std::optional<int64_t> axis = node.axis(options.axis, node.input(0)->type.rank());
  if (!axis || !node.wantSameType(0) || !node.wantType(1, {ElementType::I32, ElementType::I64}))
    return false;
  if (std::optional<Tensor> indices = constantValue(*node.input(1))) {
    int64_t size = node.input(0)->type.dim(*axis);
    for (int64_t i = 0; i < indices->type.count(); ++i)
      if (int64_t index = indices->getInteger(i); index < 0 || index >= size)
        return node.badInput(1) << "index " << i << " is " << index << ", but the dimension has " << size
                                << " elements";
  }
  return node.finish(node.add(OpKind::Gather, {node.input(0), node.input(1)}, AxisAttrs{*axis}, node.outputType()));
}
