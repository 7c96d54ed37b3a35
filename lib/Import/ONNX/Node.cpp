// Access to operands and attributes of a node; see Node.h.
#include "Node.h"

#include "GraphImport.h"
#include "Types.h"
#include "mfc/Ops/Ops.h"
#include "onnx_subset.pb.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;
using namespace mfc::onnx;
using onnxpb::AttributeProto;

NodeContext::NodeContext(const onnxpb::NodeProto &proto, int64_t opset, GraphImport &scope,
                         Builder &builder, std::vector<std::optional<Binding>> operands)
    : b(builder), opset(opset), scope(scope), proto(proto), operands(std::move(operands)),
      resultList(static_cast<size_t>(proto.output_size())) {}

const std::string &NodeContext::opType() const { return proto.op_type(); }

const std::string &NodeContext::inputName(size_t i) const {
  return proto.input(static_cast<int>(i));
}

DiagnosticBuilder NodeContext::error(ErrorClass errorClass, int operand) {
  hasFailed = true;
  Location loc = b.loc;
  if (operand >= 0 && operand < proto.input_size())
    loc.tensor = proto.input(operand);
  return b.diagnostics().error(errorClass, std::move(loc));
}

void NodeContext::refuseOperator(llvm::StringRef reason) {
  hasFailed = true;
  llvm::StringRef domain =
      proto.domain() == "ai.onnx" ? llvm::StringRef() : llvm::StringRef(proto.domain());
  scope.state.unknown.add(domain, opType(), opset, b.loc, reason);
}

bool NodeContext::reads(const Value *value) const {
  return llvm::any_of(operands, [&](const auto &operand) { return operand && operand->value == value; });
}

const onnxpb::TensorProto *NodeContext::foreignInput(size_t i) const {
  return hasInput(i) ? operands[i]->foreign : nullptr;
}

Value *NodeContext::optionalInput(size_t i) {
  if (!hasInput(i))
    return nullptr;
  if (const onnxpb::TensorProto *foreign = operands[i]->foreign) {
    unsupported(static_cast<int>(i))
        << dataTypeName(foreign->data_type()) << " tensor as operand of " << opType()
        << ", wanted float32, int8, uint8, int32, int64 or bool; only Cast can read it";
    return nullptr;
  }
  return operands[i]->value;
}

Value *NodeContext::input(size_t i) {
  if (!hasInput(i)) {
    bad() << opType() << " has no operand " << i << ", wanted one";
    return nullptr;
  }
  return optionalInput(i);
}

Value *NodeContext::floatInput(size_t i) {
  Value *value = input(i);
  if (!value || value->type.element == ElementType::F32)
    return value;
  bad(static_cast<int>(i)) << "operand " << i << " of " << opType() << " is "
                           << dataTypeName(value->type.element) << ", wanted float32";
  return nullptr;
}

/// Why a value is not constant, for messages.
static std::string originText(const Value *value) {
  if (value->isInput())
    return "is a graph input; store it as an initializer";
  return "is computed at run time";
}

Value *NodeContext::constantInput(size_t i, llvm::StringRef what) {
  Value *value = input(i);
  if (!value || value->isConstant() || constantDequantize(value))
    return value;
  if (std::optional<Tensor> tensor = constantValue(*value))
    return b.constant(*tensor, value->name);
  unsupported(static_cast<int>(i))
      << what << " must be constant, but '" << inputName(i) << "' " << originText(value);
  return nullptr;
}

std::optional<Tensor> NodeContext::contents(size_t i, llvm::StringRef what) {
  Value *value = constantInput(i, what);
  if (!value)
    return std::nullopt;
  if (value->isConstant())
    return Tensor(value->type, value->bytes());
  return constantValue(*value);
}

std::optional<std::vector<int64_t>> NodeContext::integers(size_t i, llvm::StringRef what) {
  std::optional<Tensor> tensor = contents(i, what);
  if (!tensor)
    return std::nullopt;
  ElementType element = tensor->type.element;
  if (element != ElementType::I64 && element != ElementType::I32) {
    bad(static_cast<int>(i)) << what << " are " << dataTypeName(element)
                             << ", wanted int64 or int32";
    return std::nullopt;
  }
  if (tensor->type.rank() > 1) {
    bad(static_cast<int>(i)) << what << " have shape " << shapeText(tensor->type.shape)
                             << ", wanted one dimension";
    return std::nullopt;
  }
  std::vector<int64_t> list(static_cast<size_t>(tensor->type.count()));
  for (size_t k = 0; k < list.size(); ++k)
    list[k] = tensor->getInteger(static_cast<int64_t>(k));
  return list;
}

std::optional<double> NodeContext::number(size_t i, llvm::StringRef what) {
  std::optional<Tensor> tensor = contents(i, what);
  if (!tensor)
    return std::nullopt;
  if (tensor->type.count() != 1) {
    bad(static_cast<int>(i)) << what << " has shape " << shapeText(tensor->type.shape)
                             << ", wanted one element";
    return std::nullopt;
  }
  if (isFloat(tensor->type.element))
    return tensor->get<float>(0);
  return static_cast<double>(tensor->getInteger(0));
}

/// The kind of an attribute by what it holds, for files of IR version 1 and 2, which do not say it.
static int typeOf(const AttributeProto &attr) {
  if (attr.type() != AttributeProto::UNDEFINED)
    return attr.type();
  if (attr.has_f())
    return AttributeProto::FLOAT;
  if (attr.has_i())
    return AttributeProto::INT;
  if (attr.has_s())
    return AttributeProto::STRING;
  if (attr.has_t())
    return AttributeProto::TENSOR;
  if (attr.has_g())
    return AttributeProto::GRAPH;
  if (attr.floats_size())
    return AttributeProto::FLOATS;
  return attr.strings_size() ? AttributeProto::STRINGS : AttributeProto::INTS;
}

static std::string attributeTypeName(int type) {
  static const char *names[] = {"undefined", "float",  "int",  "string", "tensor",
                                "graph",     "floats", "ints", "strings"};
  if (type < 0 || static_cast<size_t>(type) >= std::size(names))
    return "kind " + std::to_string(type);
  return names[type];
}

const AttributeProto *NodeContext::find(llvm::StringRef name, int type) {
  known.insert(name.str());
  for (const AttributeProto &attr : proto.attribute()) {
    if (attr.name() != name)
      continue;
    if (attr.has_ref_attr_name() && !attr.ref_attr_name().empty()) {
      bad() << "attribute '" << name << "' refers to function attribute '" << attr.ref_attr_name()
            << "', which only the body of a function can do";
      return nullptr;
    }
    if (typeOf(attr) == type)
      return &attr;
    bad() << "attribute '" << name << "' of " << opType() << " is of kind "
          << attributeTypeName(attr.type()) << ", wanted " << attributeTypeName(type);
    return nullptr;
  }
  return nullptr;
}

bool NodeContext::hasAttr(llvm::StringRef name) {
  known.insert(name.str());
  return llvm::any_of(proto.attribute(),
                      [&](const AttributeProto &attr) { return attr.name() == name; });
}

int64_t NodeContext::intAttr(llvm::StringRef name, int64_t otherwise) {
  const AttributeProto *attr = find(name, AttributeProto::INT);
  return attr ? attr->i() : otherwise;
}

double NodeContext::floatAttr(llvm::StringRef name, float otherwise) {
  const AttributeProto *attr = find(name, AttributeProto::FLOAT);
  return attr ? attr->f() : otherwise;
}

std::string NodeContext::stringAttr(llvm::StringRef name, llvm::StringRef otherwise) {
  const AttributeProto *attr = find(name, AttributeProto::STRING);
  return attr ? attr->s() : otherwise.str();
}

std::vector<int64_t> NodeContext::intsAttr(llvm::StringRef name) {
  const AttributeProto *attr = find(name, AttributeProto::INTS);
  return attr ? std::vector<int64_t>(attr->ints().begin(), attr->ints().end())
              : std::vector<int64_t>();
}

std::vector<float> NodeContext::floatsAttr(llvm::StringRef name) {
  const AttributeProto *attr = find(name, AttributeProto::FLOATS);
  return attr ? std::vector<float>(attr->floats().begin(), attr->floats().end())
              : std::vector<float>();
}

const onnxpb::TensorProto *NodeContext::tensorAttr(llvm::StringRef name) {
  const AttributeProto *attr = find(name, AttributeProto::TENSOR);
  return attr ? &attr->t() : nullptr;
}

const onnxpb::GraphProto *NodeContext::graphAttr(llvm::StringRef name) {
  const AttributeProto *attr = find(name, AttributeProto::GRAPH);
  return attr ? &attr->g() : nullptr;
}

void NodeContext::finishAttributes() {
  if (hasFailed)
    return;
  for (const AttributeProto &attr : proto.attribute())
    if (!known.count(attr.name()))
      bad() << opType() << " of opset " << opset << " has no attribute '" << attr.name() << "'";
}

std::optional<std::vector<int64_t>> NodeContext::intsFrom(llvm::StringRef name, size_t i,
                                                          int64_t since) {
  if (opset < since)
    return hasAttr(name) ? std::optional(intsAttr(name)) : std::nullopt;
  if (!hasInput(i))
    return std::nullopt;
  return integers(i, name);
}

std::optional<int64_t> NodeContext::axis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  bad() << "axis " << axis << " of " << opType() << " is outside a tensor of rank " << rank;
  return std::nullopt;
}

std::optional<std::vector<int64_t>> NodeContext::axes(llvm::ArrayRef<int64_t> list, int64_t rank) {
  std::vector<int64_t> result;
  for (int64_t a : list) {
    std::optional<int64_t> normal = axis(a, rank);
    if (!normal)
      return std::nullopt;
    result.push_back(*normal);
  }
  llvm::sort(result);
  auto repeated = std::adjacent_find(result.begin(), result.end());
  if (repeated == result.end())
    return result;
  bad() << "axis " << *repeated << " is listed twice";
  return std::nullopt;
}

size_t NodeContext::outputCount() const { return static_cast<size_t>(proto.output_size()); }

bool NodeContext::hasOutput(size_t i) const {
  return i < outputCount() && scope.isRead(proto.output(static_cast<int>(i)));
}

void NodeContext::setResult(size_t i, Value *value) {
  if (i < resultList.size())
    resultList[i] = value;
}

bool NodeContext::refuseOutput(size_t i, llvm::StringRef what) {
  if (!hasOutput(i))
    return false;
  unsupported() << "output " << i << " of " << opType() << " (" << what
                << ") is used, only the first is supported";
  return true;
}
