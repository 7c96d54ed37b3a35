// Checks and building blocks that the converters share.
#include "Node.h"

#include "mfc/IR/Tensor.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mfc;
using namespace mfc::tflite;

Value *ImportState::value(int tensor, const OperatorInfo *user) {
  size_t i = static_cast<size_t>(tensor);
  if (values[i])
    return values[i];
  const TensorInfo &t = info.tensors[i];
  if (!t.unsupported.empty() && !reported[i]) {
    Location loc = user ? operatorLocation(info, *user) : fileLocation(info);
    loc.tensor = t.name;
    diag.error(ErrorClass::Unsupported, loc) << t.unsupported;
    reported[i] = true;
  }
  if (t.usable && t.isConstant)
    values[i] = graph.addConstant(t.type, t.data.vec(), t.name);
  return values[i];
}

void ImportState::substitute(int tensor) {
  size_t i = static_cast<size_t>(tensor);
  const TensorInfo &t = info.tensors[i];
  if (!values[i] && t.usable && !t.isConstant)
    values[i] = graph.addInput(t.type, t.name);
}

DiagnosticBuilder Node::badInput(size_t i) const {
  Location where = loc;
  if (hasInput(i))
    where.tensor = state.info.tensors[static_cast<size_t>(op.inputs[i])].name;
  return state.diag.error(ErrorClass::BadModel, where);
}

bool Node::wantType(size_t i, std::initializer_list<ElementType> types) const {
  ElementType found = input(i)->type.element;
  if (std::find(types.begin(), types.end(), found) != types.end())
    return true;
  std::string wanted;
  for (ElementType type : types)
    wanted += (wanted.empty() ? "" : ", ") + elementName(type).str();
  return unsupported() << "input " << i << " has element type " << elementName(found) << "; supported are " << wanted;
}

bool Node::wantSameElement(size_t from, size_t result) const {
  ElementType in = input(from)->type.element, out = outputType(result).element;
  if (in == out)
    return true;
  return unsupported() << "input " << from << " has element type " << elementName(in) << " and output " << result
                       << " has " << elementName(out) << "; supported is one type for both";
}

bool Node::wantSameType(size_t i, size_t result) const {
  if (!wantSameElement(i, result))
    return false;
  const TensorType &in = input(i)->type, &out = outputType(result);
  if (in.quant == out.quant || !in.quant || !out.quant)
    return true;
  TensorType inType{in.element, {}, in.quant}, outType{out.element, {}, out.quant};
  return unsupported() << "operator only moves values, but its input is quantized as " << typeText(inType)
                       << " and its output as " << typeText(outType);
}

bool Node::wantQuantized(const Value &value) const {
  ElementType element = value.type.element;
  if (isFloat(element) || element == ElementType::I32 || element == ElementType::I64 || value.type.isQuantized())
    return true;
  Location where = loc;
  where.tensor = value.name;
  return state.diag.error(ErrorClass::BadModel, where)
         << elementName(element) << " tensor has no quantization; wanted a scale and a zero point";
}

std::optional<std::vector<int64_t>> Node::constantIntegers(size_t i) const {
  const Value *value = hasInput(i) ? input(i) : nullptr;
  if (!value) {
    bad() << "input " << i << " is missing";
    return std::nullopt;
  }
  std::optional<Tensor> tensor = constantValue(*value);
  Location where = loc;
  where.tensor = value->name;
  if (!tensor) {
    state.diag.error(ErrorClass::Unsupported, where) << "is computed at run time; input " << i << " must be constant";
    return std::nullopt;
  }
  if (tensor->type.element != ElementType::I32 && tensor->type.element != ElementType::I64) {
    state.diag.error(ErrorClass::BadModel, where)
        << "has element type " << elementName(tensor->type.element) << "; wanted i32 or i64";
    return std::nullopt;
  }
  std::vector<int64_t> result(static_cast<size_t>(tensor->type.count()));
  for (size_t k = 0; k < result.size(); ++k)
    result[k] = tensor->getInteger(static_cast<int64_t>(k));
  return result;
}

std::optional<int64_t> Node::axis(int64_t axis, int64_t rank) const {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  bad() << "axis is " << axis << ", but the tensor has " << rank << " dimensions";
  return std::nullopt;
}

Value *Node::constant(TensorType type, std::vector<uint8_t> bytes) const {
  return state.graph.addConstant(std::move(type), std::move(bytes), {});
}

Value *Node::retyped(size_t i, TensorType type) const {
  Value *from = input(i);
  if (from->type == type)
    return from;
  return state.graph.addConstant(std::move(type), from->constantData(), from->name);
}

Value *Node::add(OpKind kind, std::vector<Value *> operands, Attributes attributes, const TensorType &like) const {
  std::vector<TensorType> types;
  for (Value *operand : operands) {
    if (!operand)
      return nullptr;
    types.push_back(operand->type);
  }
  llvm::Expected<Shape> shape = inferShape(kind, types, attributes, &like);
  if (!shape) {
    reportError(state.diag, loc, shape.takeError());
    return nullptr;
  }
  return state.graph.add(kind, operands, std::move(attributes), {like.element, std::move(*shape), like.quant}, loc);
}

Value *Node::reshape(Value *value, Shape shape) const {
  if (!value || value->type.shape == shape)
    return value;
  TensorType type = value->type;
  type.shape = std::move(shape);
  return add(OpKind::Reshape, {value}, NoAttrs{}, type);
}

/// The stored value of a real bound. TFLite divides in float and rounds half away from zero.
static double storedBound(double real, const Quantization &quant) {
  return quant.zeroPoint() + std::round(double(float(real) / quant.scale()));
}

/// Real bounds of an activation that is a clamp.
static std::optional<std::pair<double, double>> activationBounds(fb::Activation activation) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (activation) {
  case fb::Activation::None:
    return std::pair(-infinity, infinity);
  case fb::Activation::Relu:
    return std::pair(0.0, infinity);
  case fb::Activation::ReluN1To1:
    return std::pair(-1.0, 1.0);
  case fb::Activation::Relu6:
    return std::pair(0.0, 6.0);
  case fb::Activation::Tanh:
  case fb::Activation::SignBit:
    break;
  }
  return std::nullopt; // a number past the enum ends here too
}

Value *Node::activate(Value *value, fb::Activation activation) const {
  if (!value || activation == fb::Activation::None)
    return value;
  auto bounds = activationBounds(activation);
  if (!bounds) {
    unsupported() << "fused activation number " << int(activation)
                  << " is not supported; supported are relu, relu6 and relu_n1_to_1";
    return nullptr;
  }
  auto [min, max] = *bounds;
  const TensorType type = value->type;
  if (!isFloat(type.element)) {
    double lowest = double(elementMin(type.element)), highest = double(elementMax(type.element));
    if (type.isQuantized()) {
      min = storedBound(min, *type.quant);
      max = storedBound(max, *type.quant);
    }
    min = std::clamp(min, lowest, highest);
    max = std::clamp(max, lowest, highest);
    if (min == lowest && max == highest)
      return value;
  }
  return add(OpKind::Clamp, {value}, ClampAttrs{min, max}, type);
}

bool Node::finish(Value *value, size_t i) const {
  if (!value)
    return false; // reported where it became null
  const TensorInfo &out = outputInfo(i);
  Location where = loc;
  where.tensor = out.name;
  if (value->type.element != out.type.element)
    return state.diag.error(ErrorClass::BadModel, where)
           << "operator gives element type " << elementName(value->type.element) << ", but the tensor has "
           << elementName(out.type.element);
  if (!state.reshaped && out.dynamicDims.empty() && value->type.shape != out.type.shape)
    return state.diag.error(ErrorClass::BadModel, where)
           << "operator gives shape " << shapeText(value->type.shape) << ", but the tensor has "
           << shapeText(out.type.shape);
  // One value, one name: a converter that passes its operand through needs an operation to carry the name.
  if (value->kind() != Value::Kind::Result || !value->name.empty())
    value = add(OpKind::Identity, {value}, NoAttrs{}, value->type);
  if (!value)
    return false;
  value->name = out.name;
  state.values[static_cast<size_t>(op.outputs[i])] = value;
  return true;
}
