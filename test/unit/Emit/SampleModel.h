// A model made by hand, small enough to know every byte: out[i] = in[i] + constant[i] for four
// elements. Goes through everything that Emit does, without importers, passes and lowering.
#ifndef MFC_TEST_SAMPLEMODEL_H
#define MFC_TEST_SAMPLEMODEL_H

#include "mfc/Emit/BuildLibrary.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/IR/Plan.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace mfc::test {

struct SampleOptions {
  std::string name = "tiny";
  std::string cpu = "cortex-m4"; ///< or "rv32imc" (an -march=), or "host"
  std::string floatAbi;
  bool isFloat = false;
  bool callerIO = false;
  bool preserveInputs = false;
  int firstConstant = 1; ///< another value is another model with the same interface
  std::string inputName = "in", outputName = "out";
};

struct SampleModel {
  llvm::LLVMContext context;
  TargetInfo target;
  Graph graph;
  Plan plan;
  ModelInfo info;
  std::unique_ptr<llvm::Module> module;
  std::vector<LibraryObject> objects;

  /// Graph, plan, ModelInfo and lowered module.
  explicit SampleModel(const SampleOptions &options);
  /// The rest of the way: finished module and objects.
  llvm::Error build();
};

} // namespace mfc::test
#endif
