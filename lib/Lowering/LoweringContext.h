// What all kernels of one module share: the module, constants, helper functions, target hooks.
#ifndef MFC_LIB_LOWERING_LOWERINGCONTEXT_H
#define MFC_LIB_LOWERING_LOWERINGCONTEXT_H

#include "mfc/IR/Plan.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Target/TargetInfo.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <map>
#include <memory>

namespace mfc {
class TargetHooks;

class LoweringContext {
public:
  LoweringContext(llvm::Module &module, const Graph &graph, const Plan &plan, const TargetInfo &target,
                  const LoweringOptions &options);
  ~LoweringContext();

  llvm::Module &module;
  llvm::LLVMContext &llvm;
  const Graph &graph;
  const Plan &plan;
  const TargetInfo &target;
  const LoweringOptions &options;
  const TargetHooks &hooks() const { return *targetHooks; }

  /// A read-only global in its own section .rodata.mfc.X.<name>; equal contents with equal alignment are emitted once.
  llvm::GlobalVariable *constant(llvm::StringRef name, llvm::ArrayRef<uint8_t> bytes, unsigned align);
  llvm::GlobalVariable *constant(llvm::StringRef name, llvm::ArrayRef<int8_t> values, unsigned align = 1);
  llvm::GlobalVariable *constant(llvm::StringRef name, llvm::ArrayRef<int16_t> values);
  llvm::GlobalVariable *constant(llvm::StringRef name, llvm::ArrayRef<int32_t> values);
  llvm::GlobalVariable *constant(llvm::StringRef name, llvm::ArrayRef<float> values);

  /// An internal function in its own section, or the existing one of that name (then `created` is false).
  llvm::Function *function(llvm::StringRef name, llvm::FunctionType *type, bool &created);

  /// "mfc_X_<suffix>"
  std::string symbol(llvm::StringRef suffix) const;

private:
  std::unique_ptr<TargetHooks> targetHooks;
  std::map<std::pair<uint64_t, unsigned>, llvm::GlobalVariable *> pool; ///< by content hash and alignment
};

} // namespace mfc
#endif
