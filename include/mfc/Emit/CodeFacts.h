// Sizes, spills, frames and symbols: read back from what was really compiled.
#ifndef MFC_EMIT_CODEFACTS_H
#define MFC_EMIT_CODEFACTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace mfc {

struct ModelInfo;
struct ObjectCode;

/// Who calls whom and who reads which constants, by symbol. Taken from the module before code
/// generation, which is free to rename and merge constants.
struct CodeUses {
  std::map<std::string, std::vector<std::string>> callees; ///< defined functions only, each once
  std::map<std::string, uint64_t> constantBytes; ///< read-only globals that the function refers to
};
CodeUses collectUses(const llvm::Module &module);

/// Fills layers, totals and undefined symbols. Internal errors: recursion, a function without a
/// record, an integer model that needs a symbol from outside, a float model that needs more than
/// the soft-float helpers of its target.
llvm::Error addCodeFacts(ModelInfo &info, const CodeUses &uses,
                         llvm::ArrayRef<const ObjectCode *> objects);

/// True for the run-time ABI's arithmetic helpers: __aeabi_f*, __aeabi_*2f (Arm), __mulsf3 ...
/// (RISC-V).
bool isSoftFloatHelper(llvm::StringRef symbol);

} // namespace mfc
#endif
