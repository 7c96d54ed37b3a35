// A TFLite file after the checks that need no operator knowledge: every index is in range, every tensor has a type.
//
// Filled by ReadModel.cpp, ReadTensors.cpp and CheckOrder.cpp; read by Importer.cpp and the converters.
#ifndef MFC_LIB_IMPORT_TFLITE_MODEL_H
#define MFC_LIB_IMPORT_TFLITE_MODEL_H

#include "mfc/IR/Type.h"
#include "mfc/Support/Diagnostic.h"
#include "tflite_generated.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mfc::tflite {

struct TensorInfo {
  std::string name;        ///< "#7" if the file gives none
  TensorType type;         ///< dynamic dimensions as the file's `shape` has them: 1
  bool usable = false;     ///< false: broken or unsupported, already reported or reported on first use
  std::string unsupported; ///< why mfc cannot use it; reported when something does
  bool isConstant = false;
  llvm::ArrayRef<uint8_t> data; ///< of constants; in the file's memory
  bool isVariable = false;
  std::vector<int64_t> dynamicDims; ///< dimensions that shape_signature leaves open
};

struct OperatorInfo {
  int index = 0;
  int code = -1;         ///< the format's operator number; -1: broken, already reported
  std::string typeName;  ///< "CONV_2D"; "CUSTOM 'name'" for custom operators
  int version = 1;
  std::vector<int> inputs;  ///< tensor indices; -1: optional input left out
  std::vector<int> outputs; ///< tensor indices
  const fb::Operator *table = nullptr;
};

struct ModelInfo {
  std::string file;
  std::vector<TensorInfo> tensors;
  std::vector<OperatorInfo> operators;
  std::vector<int> inputs, outputs; ///< tensor indices
};

/// Reads and checks the whole file; reports every problem. Nothing when the structure is too broken to go on; after
/// lesser errors the engine has them and the model holds what is sound.
std::optional<ModelInfo> readModel(llvm::MemoryBufferRef buffer, DiagnosticEngine &diag);

/// Tensors of subgraph 0 with their types, quantization and contents.
void readTensors(const fb::Model &model, llvm::MemoryBufferRef buffer, ModelInfo &info, DiagnosticEngine &diag);

/// Who writes and reads each tensor: single writers, execution order, inputs and outputs.
void checkOrder(const ModelInfo &info, DiagnosticEngine &diag);

/// The format's name of an operator number, "operator 4711" for numbers it has not.
std::string operatorName(int code);

Location fileLocation(const ModelInfo &info);
Location tensorLocation(const ModelInfo &info, int tensor);
/// The node's name is its operator type: TFLite operators have no names of their own.
Location operatorLocation(const ModelInfo &info, const OperatorInfo &op);

} // namespace mfc::tflite
#endif
