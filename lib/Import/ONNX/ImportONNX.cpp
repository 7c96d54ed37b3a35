// The front door of the ONNX importer: model-level checks, then the graph.
#include "Converters.h"
#include "GraphImport.h"
#include "InputTypes.h"
#include "Parse.h"
#include "Types.h"
#include "mfc/Import/Import.h"
#include "mfc/Ops/Ops.h"
#include "onnx_subset.pb.h"
#include "llvm/ADT/STLExtras.h"

using namespace mfc;
using namespace mfc::onnx;

/// Reads opset_import; false if the default domain has no version that the converters understand.
static bool readOpsets(const onnxpb::ModelProto &model, ModelState &state) {
  for (const auto &entry : model.opset_import()) {
    llvm::StringRef domain = entry.domain() == "ai.onnx" ? "" : llvm::StringRef(entry.domain());
    state.opsets[domain] = entry.version();
  }
  bool usesDefault = llvm::any_of(model.graph().node(), [](const onnxpb::NodeProto &node) {
    return node.domain().empty() || node.domain() == "ai.onnx";
  });
  if (!usesDefault)
    return true;
  auto it = state.opsets.find("");
  if (it == state.opsets.end()) {
    state.diag().error(ErrorClass::BadModel, state.at())
        << "the model imports no operator set of the default domain 'ai.onnx', wanted version "
        << kOldestOpset << " or newer";
    return false;
  }
  if (it->second < kOldestOpset) {
    state.diag()
            .error(ErrorClass::Unsupported, state.at())
            .field("kind", "unsupported-opset")
            .field("domain", "ai.onnx")
            .field("version", std::to_string(it->second))
        << "operator set version (opset) " << it->second
        << " of domain 'ai.onnx' is too old, wanted " << kOldestOpset
        << " or newer; convert the model with the onnx version converter";
    return false;
  }
  if (it->second > kNewestOpset)
    state.diag().warning(state.at())
        << "operator set version (opset) " << it->second << " of domain 'ai.onnx' is newer than "
        << kNewestOpset << ", the newest one known; operators are read as in that one";
  return true;
}

static void checkOptions(const onnxpb::GraphProto &graph, ModelState &state) {
  for (const auto &[name, shape] : state.options.inputShapes)
    if (llvm::none_of(graph.input(),
                      [&, &name = name](const auto &input) { return input.name() == name; })) {
      std::string names;
      for (const auto &input : graph.input())
        names += (names.empty() ? "'" : ", '") + input.name() + "'";
      state.diag().error(ErrorClass::Usage, state.at())
          << "--input-shape names '" << name << "', the model's inputs are " << names;
    }
}

/// Non-tensor outputs and names that are listed twice.
static void checkOutputs(const onnxpb::GraphProto &graph, ModelState &state) {
  if (graph.output_size() == 0)
    state.diag().error(ErrorClass::BadModel, state.at()) << "the graph has no outputs";
  llvm::StringSet<> seen;
  for (const auto &output : graph.output()) {
    Location loc = state.at();
    loc.tensor = output.name();
    if (!seen.insert(output.name()).second)
      state.diag().error(ErrorClass::BadModel, loc) << "graph output is listed twice";
    auto kind = output.type().value_case();
    if (kind != onnxpb::TypeProto::kTensorType && kind != onnxpb::TypeProto::VALUE_NOT_SET)
      state.diag().error(ErrorClass::Unsupported, loc).field("kind", "unsupported-type")
          << "graph output is a " << typeProtoText(output.type()) << ", wanted a tensor";
  }
}

static void addOutput(GraphImport &graph, int index, ModelState &state) {
  const auto &output = graph.proto.output(index);
  Location loc = state.at();
  loc.tensor = output.name();
  Value *value = graph.outputValue(index);
  if (!value)
    return;
  if (value->isInput()) {
    state.diag().error(ErrorClass::Unsupported, loc)
        << "graph output is graph input '" << value->name
        << "' itself; leave it out of the outputs";
    return;
  }
  if (value->isConstant()) {
    state.diag().error(ErrorClass::Unsupported, loc)
        << "graph output is constant, it depends on no input; leave it out of the outputs";
    return;
  }
  int declared = output.type().tensor_type().elem_type();
  if (declared != 0 && elementTypeOf(declared) != value->type.element)
    state.diag().error(ErrorClass::BadModel, loc)
        << "graph output is declared as " << dataTypeName(declared) << ", its node makes "
        << dataTypeName(value->type.element);
  Graph &target = state.builder.target();
  if (target.isOutput(value)) // two names for one tensor, by an Identity node
    value = target.add(OpKind::Identity, {value}, NoAttrs{}, value->type, loc, output.name());
  target.addOutput(value, output.name());
}

static void importGraph(const onnxpb::ModelProto &model, ModelState &state) {
  const onnxpb::GraphProto &proto = model.graph();
  unsigned errorsBefore = state.diag().errorCount();
  if (!readOpsets(model, state))
    return;
  checkOptions(proto, state);
  checkOutputs(proto, state);
  if (proto.node_size() == 0)
    state.diag().error(ErrorClass::BadModel, state.at()) << "the graph has no operators";
  GraphImport graph(state, proto, nullptr, "");
  graph.run();
  state.unknown.report(state.diag());
  if (state.diag().errorCount() != errorsBefore)
    return;
  for (int i = 0; i < proto.output_size(); ++i)
    addOutput(graph, i, state);
}

/// A model that does not fit together with batch 1 may do so with another first dimension.
static void noteAssumedBatches(const onnxpb::GraphProto &graph, ModelState &state, size_t before) {
  llvm::ArrayRef<Diagnostic> found = llvm::ArrayRef(state.diag().diagnostics()).drop_front(before);
  if (llvm::none_of(found, [](const Diagnostic &d) {
        return d.severity == Severity::Error && d.errorClass == ErrorClass::BadModel;
      }))
    return;
  llvm::StringSet<> initialized;
  for (const auto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  for (const auto &input : graph.input()) {
    if (initialized.contains(input.name()) || !hasAssumedBatch(input, state.options))
      continue;
    Location loc = state.at();
    loc.tensor = input.name();
    state.diag().note(loc) << "dimension 0 of the graph input is not fixed and was taken as 1; --input-shape "
                           << input.name() << "=... gives another size";
  }
}

std::optional<Graph> mfc::importONNX(llvm::MemoryBufferRef buffer, const ImportOptions &options,
                                     DiagnosticEngine &diag) {
  unsigned errorsBefore = diag.errorCount();
  std::unique_ptr<onnxpb::ModelProto> model = parseModel(buffer, diag);
  if (!model)
    return std::nullopt;
  Graph graph;
  graph.file = buffer.getBufferIdentifier().str();
  Builder builder(graph, diag);
  ModelState state{graph.file, options, builder, {}, {}};
  size_t before = diag.diagnostics().size();
  importGraph(*model, state);
  if (diag.errorCount() != errorsBefore) {
    noteAssumedBatches(model->graph(), state, before);
    return std::nullopt;
  }
  graph.eraseDead();
  if (!verifyGraph(graph, diag))
    return std::nullopt;
  return graph;
}
