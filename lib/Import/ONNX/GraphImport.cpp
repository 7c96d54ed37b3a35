// Names to values and nodes to converters. A node that fails leaves its results unbound; nodes
// behind it are passed over without further messages, but unknown operators among them are still
// listed.
#include "GraphImport.h"

#include "Converters.h"
#include "ExternalData.h"
#include "InputTypes.h"
#include "Order.h"
#include "TensorData.h"
#include "Types.h"
#include "mfc/Support/ClassifiedError.h"
#include "onnx_subset.pb.h"

using namespace mfc;
using namespace mfc::onnx;

GraphImport::GraphImport(ModelState &state, const onnxpb::GraphProto &proto, GraphImport *parent,
                         std::string prefix)
    : state(state), proto(proto), parent(parent), prefix(std::move(prefix)) {
  for (const auto &node : proto.node())
    for (llvm::StringRef name : namesRead(node))
      read.insert(name);
  for (const auto &output : proto.output())
    read.insert(output.name());
}

const Binding *GraphImport::lookup(llvm::StringRef name) const {
  for (const GraphImport *graph = this; graph; graph = graph->parent)
    if (auto it = graph->names.find(name); it != graph->names.end())
      return &it->second;
  return nullptr;
}

std::string GraphImport::nodeName(const onnxpb::NodeProto &node) const {
  return prefix + (node.name().empty() ? node.op_type() : node.name());
}

void GraphImport::bindInitializers() {
  for (const auto &tensor : proto.initializer()) {
    Location loc = state.at();
    loc.tensor = tensor.name();
    if (tensor.name().empty()) {
      state.diag().error(ErrorClass::BadModel, loc) << "initializer without a name";
      continue;
    }
    Binding binding;
    noteExternalData(tensor, state.file, state.options.filesRead);
    if (llvm::Error error = checkTensor(tensor, state.file)) {
      reportError(state.diag(), loc, std::move(error));
    } else if (!elementTypeOf(tensor.data_type())) {
      binding.foreign = &tensor;
    } else if (isRead(tensor.name())) {
      llvm::Expected<Tensor> contents = readTensor(tensor, state.file);
      if (contents)
        binding.value = state.builder.constant(*contents, tensor.name());
      else
        reportError(state.diag(), loc, contents.takeError());
    }
    bind(tensor.name(), binding);
  }
  for (const auto &sparse : proto.sparse_initializer()) {
    Location loc = state.at();
    loc.tensor = sparse.values().name();
    bind(sparse.values().name(), {});
    if (isRead(sparse.values().name()))
      state.diag().error(ErrorClass::Unsupported, loc)
          << "sparse initializers are not supported, store it dense";
  }
}

void GraphImport::bindInput(const onnxpb::ValueInfoProto &info) {
  Location loc = state.at();
  loc.tensor = info.name();
  bind(info.name(), {});
  if (info.name().empty()) {
    state.diag().error(ErrorClass::BadModel, loc) << "graph input without a name";
    return;
  }
  if (parent) {
    state.diag().error(ErrorClass::BadModel, loc) << "a branch of If has an input, wanted none";
    return;
  }
  if (std::optional<TensorType> type = inputType(info, state.options, state.diag(), loc))
    bind(info.name(), {state.builder.target().addInput(std::move(*type), info.name()), nullptr});
}

void GraphImport::bindInputs() {
  llvm::StringSet<>
      initialized; // before IR version 4 every initializer was listed as an input, too
  for (const auto &tensor : proto.initializer())
    initialized.insert(tensor.name());
  for (const auto &input : proto.input())
    if (!initialized.contains(input.name()))
      bindInput(input);
}

void GraphImport::run() {
  auto at = [&](int node) {
    Location loc = state.at();
    if (node >= 0) {
      loc.nodeIndex = parent ? -1 : node;
      loc.node = nodeName(proto.node(node));
    }
    return loc;
  };
  std::optional<std::vector<int>> order = conversionOrder(proto, state.diag(), at);
  if (!order)
    return;
  bindInputs();
  bindInitializers();
  for (int index : *order) {
    Location outside = state.builder.loc;
    state.builder.loc = at(index);
    convert(proto.node(index));
    state.builder.loc = std::move(outside);
  }
}

/// "ai.onnx" is the long name of the default domain.
static llvm::StringRef domainOf(const onnxpb::NodeProto &node) {
  return node.domain() == "ai.onnx" ? llvm::StringRef() : llvm::StringRef(node.domain());
}

/// The row that converts the node; lists the operator as unknown if there is none.
static const ConverterRow *findRow(ModelState &state, const onnxpb::NodeProto &node,
                                   const Location &loc) {
  llvm::StringRef domain = domainOf(node);
  std::optional<int64_t> version;
  if (auto it = state.opsets.find(domain); it != state.opsets.end())
    version = it->second;
  bool known = false;
  if (const ConverterRow *row = findConverter(domain, node.op_type(), version.value_or(1), known))
    return row;
  state.unknown.add(domain, node.op_type(), version, loc,
                    known ? "is not supported in this version" : "is not supported");
  return nullptr;
}

void GraphImport::listUnknown(const onnxpb::GraphProto &graph) {
  for (const auto &node : graph.node()) {
    Location loc = state.at();
    loc.node = nodeName(node);
    findRow(state, node, loc);
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        listUnknown(attribute.g());
  }
}

std::optional<std::vector<std::optional<Binding>>>
GraphImport::operandsOf(const onnxpb::NodeProto &node, bool &poisoned) {
  std::vector<std::optional<Binding>> operands;
  bool defined = true;
  for (const std::string &name : node.input()) {
    operands.emplace_back();
    if (name.empty())
      continue;
    const Binding *binding = lookup(name);
    if (!binding) {
      Location loc = state.builder.loc;
      loc.tensor = name;
      state.diag().error(ErrorClass::BadModel, loc)
          << "operand " << (operands.size() - 1)
          << " is not defined: no input, initializer or node has this name";
      defined = false;
      continue;
    }
    poisoned |= !binding->value && !binding->foreign;
    operands.back() = *binding;
  }
  if (!defined)
    return std::nullopt;
  return operands;
}

/// Remarks that a node with operands became a constant: what it computes costs nothing at run time.
void GraphImport::remarkFolded(const NodeContext &context) {
  if (!state.options.remarks || context.inputCount() == 0 || context.outputCount() == 0)
    return;
  const Value *value = context.result(0).value;
  if (!value || !value->isConstant() || context.reads(value))
    return;
  std::string bytes = std::to_string(value->type.bytes());
  state.options.remarks->push_back({RemarkKind::Passed, "import", "fold-node", nodeName(context.node()),
                                    context.opType() + " is folded into a constant of " +
                                        shapeText(value->type.shape) + " (" + bytes + " B)",
                                    {{"operator", context.opType()}, {"bytes", bytes}}});
}

void GraphImport::convert(const onnxpb::NodeProto &node) {
  for (const std::string &output : node.output())
    if (!output.empty())
      bind(output, {});
  const ConverterRow *row = findRow(state, node, state.builder.loc);
  bool poisoned = false;
  auto operands = operandsOf(node, poisoned);
  if (!row || !operands || poisoned) {
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        listUnknown(attribute.g());
    return;
  }
  auto version = state.opsets.find(row->domain);
  NodeContext context(node, version == state.opsets.end() ? 1 : version->second, *this,
                      state.builder, std::move(*operands));
  unsigned errorsBefore = state.diag().errorCount();
  row->convert(context);
  context.finishAttributes();
  if (context.failed())
    return;
  bindResults(node, context);
  if (state.diag().errorCount() != errorsBefore)
    return;
  remarkFolded(context);
  for (int i = 0; i < node.output_size(); ++i) {
    Binding result = context.result(static_cast<size_t>(i));
    if (context.hasOutput(static_cast<size_t>(i)) && !result.value && !result.foreign)
      state.diag().error(ErrorClass::Internal, state.builder.loc)
          << "converter of '" << node.op_type() << "' made no output " << i
          << " and reported nothing";
  }
}

/// Gives a result its ONNX name, and the same name to what it was computed as in another layout.
static void nameResult(Value *value, const std::string &name) {
  while (value->name.empty()) {
    value->name = name;
    Operation *producer = value->producer();
    if (!producer ||
        !(producer->kind() == OpKind::Transpose || producer->kind() == OpKind::Reshape))
      return;
    value = producer->operand(0);
  }
}

void GraphImport::bindResults(const onnxpb::NodeProto &node, const NodeContext &context) {
  for (int i = 0; i < node.output_size(); ++i) {
    Binding result = context.result(static_cast<size_t>(i));
    if (node.output(i).empty())
      continue;
    if (result.value)
      nameResult(result.value, node.output(i));
    bind(node.output(i), result);
  }
}

Value *GraphImport::outputValue(int i) {
  const std::string &name = proto.output(i).name();
  const Binding *binding = lookup(name);
  Location loc = state.builder.loc;
  loc.tensor = name;
  if (!binding) {
    state.diag().error(ErrorClass::BadModel, loc)
        << "graph output is not defined: no node makes it";
    return nullptr;
  }
  if (binding->foreign)
    state.diag().error(ErrorClass::Unsupported, loc)
        << "graph output is a " << dataTypeName(binding->foreign->data_type()) << " initializer";
  return binding->value;
}
