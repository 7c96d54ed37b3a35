#include "ONNXBuilder.h"

#include "mfc/Interp/Interpreter.h"
#include "llvm/ADT/STLExtras.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;
using onnxpb::AttributeProto;

static AttributeProto *addAttribute(onnxpb::NodeProto *node, const std::string &name, int type) {
  AttributeProto *attr = node->add_attribute();
  attr->set_name(name);
  attr->set_type(type);
  return attr;
}

NodeRef &NodeRef::name(const std::string &text) {
  node->set_name(text);
  return *this;
}

NodeRef &NodeRef::domain(const std::string &text) {
  node->set_domain(text);
  return *this;
}

NodeRef &NodeRef::set(const std::string &name, int64_t value) {
  addAttribute(node, name, AttributeProto::INT)->set_i(value);
  return *this;
}

NodeRef &NodeRef::set(const std::string &name, float value) {
  addAttribute(node, name, AttributeProto::FLOAT)->set_f(value);
  return *this;
}

NodeRef &NodeRef::set(const std::string &name, const char *value) {
  addAttribute(node, name, AttributeProto::STRING)->set_s(value);
  return *this;
}

NodeRef &NodeRef::set(const std::string &name, std::vector<int64_t> values) {
  AttributeProto *attr = addAttribute(node, name, AttributeProto::INTS);
  for (int64_t value : values)
    attr->add_ints(value);
  return *this;
}

NodeRef &NodeRef::setFloats(const std::string &name, std::vector<float> values) {
  AttributeProto *attr = addAttribute(node, name, AttributeProto::FLOATS);
  for (float value : values)
    attr->add_floats(value);
  return *this;
}

NodeRef &NodeRef::set(const std::string &name, const TensorProto &value) {
  *addAttribute(node, name, AttributeProto::TENSOR)->mutable_t() = value;
  return *this;
}

NodeRef &NodeRef::set(const std::string &name, const onnxpb::GraphProto &value) {
  *addAttribute(node, name, AttributeProto::GRAPH)->mutable_g() = value;
  return *this;
}

TensorProto mfc::test::floats(std::vector<int64_t> dims, std::vector<float> data) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::FLOAT);
  for (int64_t d : dims)
    tensor.add_dims(d);
  for (float x : data)
    tensor.add_float_data(x);
  return tensor;
}

TensorProto mfc::test::ints(std::vector<int64_t> dims, std::vector<int64_t> data, int type) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (int64_t d : dims)
    tensor.add_dims(d);
  for (int64_t x : data) {
    if (type == TensorProto::INT64)
      tensor.add_int64_data(x);
    else
      tensor.add_int32_data(static_cast<int32_t>(x));
  }
  return tensor;
}

GraphMaker &GraphMaker::input(const std::string &name, std::initializer_list<Dim> dims, int type) {
  onnxpb::ValueInfoProto *info = graph->add_input();
  info->set_name(name);
  auto *tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (const Dim &d : dims) {
    auto *dim = tensor->mutable_shape()->add_dim();
    if (d.symbol.empty())
      dim->set_dim_value(d.value);
    else
      dim->set_dim_param(d.symbol);
  }
  return *this;
}

GraphMaker &GraphMaker::output(const std::string &name, int type) {
  onnxpb::ValueInfoProto *info = graph->add_output();
  info->set_name(name);
  if (type)
    info->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return *this;
}

GraphMaker &GraphMaker::init(const std::string &name, TensorProto tensor) {
  tensor.set_name(name);
  *graph->add_initializer() = std::move(tensor);
  return *this;
}

NodeRef GraphMaker::node(const std::string &op, std::vector<std::string> inputs,
                         std::vector<std::string> outputs) {
  onnxpb::NodeProto *node = graph->add_node();
  node->set_op_type(op);
  for (const std::string &input : inputs)
    node->add_input(input);
  for (const std::string &output : outputs)
    node->add_output(output);
  return NodeRef(node);
}

Model::Model(int64_t opset) : GraphMaker(nullptr) {
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(opset);
  graph = proto.mutable_graph();
}

std::string Model::bytes() const { return proto.SerializeAsString(); }

std::optional<Graph> Model::import(ImportOptions options, const std::string &file) {
  diag.clear();
  std::string buffer = bytes();
  return importONNX(llvm::MemoryBufferRef(buffer, file), options, diag);
}

std::vector<Tensor> Model::run(std::vector<Tensor> inputs) {
  std::optional<Graph> graph = import();
  for (const Diagnostic &d : diag.diagnostics())
    UNSCOPED_INFO(formatDiagnostic(d));
  REQUIRE(graph);
  llvm::Expected<std::vector<Tensor>> outputs = interpret(*graph, inputs);
  if (!outputs)
    FAIL(llvm::toString(outputs.takeError()));
  return std::move(*outputs);
}

std::vector<float> Model::runFloats(std::vector<Tensor> inputs) {
  std::vector<Tensor> outputs = run(std::move(inputs));
  REQUIRE(outputs.size() == 1);
  return floatsOf(outputs[0]);
}

std::string Model::errors(ErrorClass errorClass, ImportOptions options) {
  std::optional<Graph> graph = import(std::move(options));
  CHECK(!graph);
  std::string text;
  for (const Diagnostic &d : diag.diagnostics())
    text += formatDiagnostic(d) + "\n";
  INFO(text);
  CHECK(diag.exitCode() == static_cast<int>(errorClass));
  return text;
}

Tensor mfc::test::floatTensor(Shape shape, std::vector<float> data) {
  Tensor tensor(TensorType{ElementType::F32, std::move(shape), {}});
  REQUIRE(static_cast<size_t>(tensor.type.count()) == data.size());
  std::memcpy(tensor.bytes.data(), data.data(), tensor.bytes.size());
  return tensor;
}

Tensor mfc::test::byteTensor(ElementType element, Shape shape, std::vector<int> data) {
  Tensor tensor(TensorType{element, std::move(shape), {}});
  REQUIRE(static_cast<size_t>(tensor.type.count()) == data.size());
  for (size_t i = 0; i < data.size(); ++i)
    tensor.setInteger(static_cast<int64_t>(i), data[i]);
  return tensor;
}

std::vector<float> mfc::test::floatsOf(const Tensor &tensor) {
  REQUIRE(tensor.type.element == ElementType::F32);
  std::vector<float> list(static_cast<size_t>(tensor.type.count()));
  std::memcpy(list.data(), tensor.bytes.data(), tensor.bytes.size());
  return list;
}

std::vector<int64_t> mfc::test::integersOf(const Tensor &tensor) {
  std::vector<int64_t> list;
  for (int64_t i = 0, n = tensor.type.count(); i < n; ++i)
    list.push_back(tensor.getInteger(i));
  return list;
}

std::vector<float> mfc::test::ramp(size_t count, float step, float start) {
  std::vector<float> list(count);
  for (size_t i = 0; i < count; ++i)
    list[i] = start + step * static_cast<float>(i);
  return list;
}

size_t mfc::test::countOps(const Graph &graph, OpKind kind) {
  return static_cast<size_t>(
      llvm::count_if(graph.ops(), [&](const Operation *op) { return op->kind() == kind; }));
}

const Operation *mfc::test::findOp(const Graph &graph, OpKind kind) {
  for (const Operation *op : graph.ops())
    if (op->kind() == kind)
      return op;
  return nullptr;
}
