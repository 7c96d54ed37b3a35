// From bytes to ModelInfo: the flatbuffer's own structure, then subgraph 0's lists.
#include "Model.h"

using namespace mfc;
using namespace mfc::tflite;

Location tflite::fileLocation(const ModelInfo &info) {
  Location loc;
  loc.file = info.file;
  return loc;
}

Location tflite::tensorLocation(const ModelInfo &info, int tensor) {
  Location loc = fileLocation(info);
  loc.tensor = info.tensors[static_cast<size_t>(tensor)].name;
  return loc;
}

Location tflite::operatorLocation(const ModelInfo &info, const OperatorInfo &op) {
  Location loc = fileLocation(info);
  loc.nodeIndex = op.index;
  loc.node = op.typeName;
  return loc;
}

/// Table nesting of a model is 5 deep; the table limit bounds the work on hostile files (real models of this
/// size class have some hundred tables).
static constexpr unsigned kMaxDepth = 64, kMaxTables = 1000000;

static const fb::Model *verifiedModel(llvm::MemoryBufferRef buffer, const ModelInfo &info, DiagnosticEngine &diag) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(buffer.getBufferStart());
  flatbuffers::Verifier verifier(bytes, buffer.getBufferSize(), kMaxDepth, kMaxTables);
  if (!fb::VerifyModelBuffer(verifier)) {
    diag.error(ErrorClass::BadModel, fileLocation(info))
        << "TFLite file is truncated or damaged: its " << buffer.getBufferSize()
        << " bytes are not a complete flatbuffer";
    return nullptr;
  }
  const fb::Model *model = fb::GetModel(bytes);
  if (model->version() != 3) {
    diag.error(ErrorClass::Unsupported, fileLocation(info))
        << "TFLite schema version is " << model->version() << "; wanted 3";
    return nullptr;
  }
  if (!model->subgraphs() || model->subgraphs()->size() == 0 || !model->subgraphs()->Get(0)) {
    diag.error(ErrorClass::BadModel, fileLocation(info)) << "model has no subgraph";
    return nullptr;
  }
  return model;
}

/// Copies an index list. Entries must name a tensor; -1 (left out) passes only where the format allows it.
static std::vector<int> readIndices(const flatbuffers::Vector<int32_t> *list, const ModelInfo &info, Location loc,
                                    llvm::StringRef what, bool optional, DiagnosticEngine &diag) {
  std::vector<int> result;
  if (!list)
    return result;
  int64_t count = static_cast<int64_t>(info.tensors.size());
  for (uint32_t i = 0; i < list->size(); ++i) {
    int32_t index = list->Get(i);
    if (index >= count || index < (optional ? -1 : 0)) {
      diag.error(ErrorClass::BadModel, loc)
          << what << ' ' << i << " is tensor " << index << ", but the model has tensors 0 to " << count - 1;
      index = -1;
      if (!optional)
        continue;
    }
    result.push_back(index);
  }
  return result;
}

namespace {
struct Opcode {
  int code = -1;
  std::string typeName;
  int version = 1;
};
} // namespace

static std::vector<Opcode> readOpcodes(const fb::Model &model, const ModelInfo &info, DiagnosticEngine &diag) {
  std::vector<Opcode> result;
  if (!model.operator_codes())
    return result;
  for (const fb::OperatorCode *entry : *model.operator_codes()) {
    Opcode &opcode = result.emplace_back();
    if (!entry) {
      diag.error(ErrorClass::BadModel, fileLocation(info)) << "operator code " << result.size() - 1 << " is missing";
      continue;
    }
    opcode.code = std::max<int>(entry->deprecated_code(), entry->code());
    opcode.version = entry->version();
    opcode.typeName = operatorName(opcode.code);
    if (opcode.code == static_cast<int>(fb::Builtin::Custom))
      opcode.typeName += " '" + (entry->custom_code() ? entry->custom_code()->str() : std::string()) + "'";
  }
  return result;
}

static void readOperators(const fb::Model &model, ModelInfo &info, DiagnosticEngine &diag) {
  std::vector<Opcode> opcodes = readOpcodes(model, info, diag);
  const auto *operators = model.subgraphs()->Get(0)->operators();
  if (!operators || operators->size() == 0) {
    diag.error(ErrorClass::BadModel, fileLocation(info)) << "model has no operators";
    return;
  }
  for (uint32_t i = 0; i < operators->size(); ++i) {
    const fb::Operator *table = operators->Get(i);
    OperatorInfo op;
    op.index = static_cast<int>(i);
    if (!table || table->opcode_index() >= opcodes.size()) {
      auto error = diag.error(ErrorClass::BadModel, operatorLocation(info, op));
      if (table)
        error << "operator code is number " << table->opcode_index() << " of " << opcodes.size();
      else
        error << "operator is missing";
    } else {
      const Opcode &opcode = opcodes[table->opcode_index()];
      op.code = opcode.code; // -1: reported with the code
      op.typeName = opcode.typeName;
      op.version = opcode.version;
    }
    if (!table)
      continue;
    op.table = table;
    Location loc = operatorLocation(info, op);
    op.inputs = readIndices(table->inputs(), info, loc, "input", /*optional=*/true, diag);
    op.outputs = readIndices(table->outputs(), info, loc, "output", /*optional=*/false, diag);
    info.operators.push_back(std::move(op));
  }
}

std::optional<ModelInfo> tflite::readModel(llvm::MemoryBufferRef buffer, DiagnosticEngine &diag) {
  ModelInfo info;
  info.file = buffer.getBufferIdentifier().str();
  const fb::Model *model = verifiedModel(buffer, info, diag);
  if (!model)
    return std::nullopt;
  const fb::SubGraph &graph = *model->subgraphs()->Get(0);
  readTensors(*model, buffer, info, diag);
  readOperators(*model, info, diag);
  info.inputs = readIndices(graph.inputs(), info, fileLocation(info), "model input", false, diag);
  info.outputs = readIndices(graph.outputs(), info, fileLocation(info), "model output", false, diag);
  if (!graph.outputs() || graph.outputs()->size() == 0)
    diag.error(ErrorClass::BadModel, fileLocation(info)) << "model has no outputs";
  checkOrder(info, diag);
  return info;
}
