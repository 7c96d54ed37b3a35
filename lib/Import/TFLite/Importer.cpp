// Walks the operators in execution order and converts each through the table.
//
// A failed operator does not stop the walk: its results are replaced by place holders of the stated type, so that one
// run finds the problems of later operators too. Operators without a converter are listed once each, with a count.
#include "OperatorTable.h"

#include "mfc/Import/Import.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mfc;
using namespace mfc::tflite;

namespace mfc::tflite {
class Importer {
public:
  Importer(const ModelInfo &info, const ImportOptions &options, DiagnosticEngine &diag)
      : info(info), options(options), diag(diag), state(info, diag) {}

  std::optional<Graph> run();

private:
  void addInput(int tensor);
  void checkShapeOptions();
  bool convert(const OperatorInfo &op);
  bool prepare(Node &node, const OperatorRow &row);
  void reportUnknown();
  void addOutputs();

  const ModelInfo &info;
  const ImportOptions &options;
  DiagnosticEngine &diag;
  ImportState state;
  /// Operators without a converter: by name and version, their node numbers.
  std::map<std::pair<std::string, int>, std::vector<int>> unknown;
};
} // namespace mfc::tflite

void Importer::checkShapeOptions() {
  for (const auto &[name, shape] : options.inputShapes) {
    bool known = llvm::any_of(info.inputs, [&, &wanted = name](int i) { return info.tensors[size_t(i)].name == wanted; });
    if (known)
      continue;
    std::string names;
    for (int i : info.inputs)
      names += (names.empty() ? "'" : ", '") + info.tensors[static_cast<size_t>(i)].name + "'";
    diag.error(ErrorClass::Usage, fileLocation(info))
        << "--input-shape names '" << name << "', which is no input; the model's inputs are " << names;
  }
}

void Importer::addInput(int tensor) {
  const TensorInfo &t = info.tensors[static_cast<size_t>(tensor)];
  if (state.values[static_cast<size_t>(tensor)] || t.isConstant)
    return; // listed twice or constant: reported by the order check
  if (!t.usable) {
    state.value(tensor, nullptr); // says why
    return;
  }
  TensorType type = t.type;
  auto chosen = llvm::find_if(options.inputShapes, [&](const auto &entry) { return entry.first == t.name; });
  if (chosen != options.inputShapes.end()) {
    const Shape &shape = chosen->second;
    bool positive = llvm::all_of(shape, [](int64_t d) { return d > 0; });
    if (shape.size() != type.shape.size() || !positive || !elementCount(shape)) {
      diag.error(ErrorClass::Usage, tensorLocation(info, tensor))
          << "--input-shape gives " << shapeText(shape) << ", but the input is " << shapeText(type.shape)
          << "; wanted as many dimensions, all positive";
      return;
    }
    state.reshaped |= shape != type.shape;
    type.shape = shape;
  } else {
    for (int64_t dim : t.dynamicDims)
      if (dim != 0)
        diag.error(ErrorClass::Unsupported, tensorLocation(info, tensor))
            << "dimension " << dim << " is dynamic; choose it with --input-shape " << t.name << '='
            << shapeText(type.shape);
  }
  state.values[static_cast<size_t>(tensor)] = state.graph.addInput(type, t.name);
}

/// Input and output counts, and the operands' graph values. False without a message when an operand could not be
/// made: whatever broke it has been reported.
bool Importer::prepare(Node &node, const OperatorRow &row) {
  const OperatorInfo &op = node.op;
  if (op.inputs.size() < row.minInputs || op.inputs.size() > row.maxInputs) {
    auto error = node.bad();
    error << "operator has " << op.inputs.size() << " inputs; wanted " << row.minInputs;
    if (row.maxInputs != row.minInputs)
      error << " or more";
    return false;
  }
  if (op.outputs.empty() || (row.outputs && op.outputs.size() != row.outputs))
    return node.bad() << "operator has " << op.outputs.size() << " outputs; wanted " << std::max(1u, row.outputs);
  bool complete = true;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    bool missing = op.inputs[i] < 0;
    if (missing && i < row.minInputs) {
      node.bad() << "input " << i << " is left out, but the operator needs it";
      complete = false;
    }
    node.inputs.push_back(missing ? nullptr : state.value(op.inputs[i], &op));
    complete &= missing || node.inputs.back();
  }
  for (int output : op.outputs) {
    const TensorInfo &t = info.tensors[static_cast<size_t>(output)];
    if (!t.usable) {
      state.value(output, &op); // says why
      complete = false;
    }
  }
  return complete;
}

bool Importer::convert(const OperatorInfo &op) {
  if (op.code < 0)
    return false;
  const OperatorRow *row = findOperator(op.code);
  if (!row) {
    unknown[{op.typeName, op.version}].push_back(op.index);
    return false;
  }
  Node node(state, op);
  return prepare(node, *row) && row->convert(node);
}

void Importer::reportUnknown() {
  for (const auto &[operatorKey, nodes] : unknown) {
    const auto &[name, version] = operatorKey;
    std::string list;
    for (int node : nodes)
      list += (list.empty() ? "" : ",") + std::to_string(node);
    Location loc = fileLocation(info);
    loc.nodeIndex = nodes.front();
    loc.node = name;
    diag.error(ErrorClass::Unsupported, loc)
            .field("operator", name)
            .field("version", std::to_string(version))
            .field("count", std::to_string(nodes.size()))
            .field("nodes", list)
        << (llvm::StringRef(name).starts_with("operator") ? "" : "operator ") << name << " version " << version << " is not supported (used " << nodes.size()
        << (nodes.size() == 1 ? " time)" : " times)");
  }
}

void Importer::addOutputs() {
  for (int tensor : info.outputs)
    if (Value *value = state.values[static_cast<size_t>(tensor)])
      state.graph.addOutput(value, info.tensors[static_cast<size_t>(tensor)].name);
}

std::optional<Graph> Importer::run() {
  state.graph.file = info.file;
  state.graph.name = "model";
  checkShapeOptions();
  for (int tensor : info.inputs)
    addInput(tensor);
  for (const OperatorInfo &op : info.operators)
    if (!convert(op))
      for (int output : op.outputs)
        state.substitute(output);
  reportUnknown();
  addOutputs();
  if (diag.hasErrors())
    return std::nullopt;
  return std::move(state.graph);
}

std::optional<Graph> mfc::importTFLite(llvm::MemoryBufferRef buffer, const ImportOptions &options,
                                       DiagnosticEngine &diag) {
  std::optional<ModelInfo> info = readModel(buffer, diag);
  if (!info)
    return std::nullopt;
  return Importer(*info, options, diag).run();
}
