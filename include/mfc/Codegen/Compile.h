// LLVM IR to object bytes or assembly in process, with the register allocator's record per function.
//
// The kernels arrive in their final form: no IR optimisation pipeline runs here (it would undo the
// register blocking that the lowering chose), only LLVM's code generator. Calls may run in several threads
// at once, each with its own LLVMContext; equal input gives equal bytes.
#ifndef MFC_CODEGEN_COMPILE_H
#define MFC_CODEGEN_COMPILE_H

#include "mfc/Cost/CostRecord.h"
#include "mfc/Cost/ExecutionProfile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mfc {

struct TargetInfo;

/// Back-end choices that are measured, not fixed: which is better depends on the kernel and the core.
struct CodegenSwitches {
  bool machineScheduler = true;   ///< pre-RA scheduler; off often avoids spills on M0+, M4, RV32
  bool loopStrengthReduce = true; ///< off keeps immediate-offset addressing and counts down to zero
  bool cleanup = false;           ///< EarlyCSE, InstSimplify, SimplifyCFG before the code generator

  bool operator==(const CodegenSwitches &) const = default;
};

/// Calls of one function by one call of another.
struct CalleeCount {
  std::string callee; ///< in this object or undefined in it
  uint64_t count = 0;
};

struct FunctionRecord {
  std::string name;
  CostRecord cost; ///< constBytes: constant pools and jump tables outside the function's code
  /// Of one call, known from trip counts, without the functions that it calls. Addresses are offsets from
  /// the function's start. Empty, like cost.modelledCycles, for the host.
  ExecutionProfile executions;
  uint64_t instructions = 0; ///< executed by one call
  uint64_t steps = 0; ///< not 0: "one call" above means that many calls, one for each step (kStepsAttribute)
  std::vector<CalleeCount> calls; ///< by the first call in code order
  bool exactCounts = false;  ///< no count depends on data; else the longer way was assumed
};

/// A read-only global of the object.
struct ConstantRecord {
  std::string name;
  uint64_t bytes = 0;
};

struct ObjectCode {
  llvm::SmallVector<char, 0> bytes;
  std::vector<FunctionRecord> functions; ///< in module order
  std::vector<ConstantRecord> constants; ///< in symbol order
  std::vector<std::string> notes; ///< for people: which functions have no modelled cycles, and why
  uint64_t readOnlyBytes = 0; ///< all read-only data sections: constants, pools and padding

  const FunctionRecord *find(llvm::StringRef name) const;
  /// All functions as one record, with the read-only data of the object as constBytes.
  CostRecord total() const;
};

/// Sets triple, data layout, the attributes of every function (CPU, features, nounwind, no unwind tables)
/// and, on Arm, the "links with every float ABI" attribute of modules without floating point. Idempotent;
/// compileTo*() calls it, the lowering may call it early to have the data layout.
llvm::Error prepareModule(llvm::Module &module, const TargetInfo &target);

/// True if any value, signature or global of the module has a floating-point type.
bool usesFloatingPoint(const llvm::Module &module);

/// Compiles the module. The module is changed on the way (the code generator prepares its IR in place):
/// print it before, not after. Debug metadata of the module becomes DWARF. Errors of the code generator
/// that would end the process come back as errors of class Internal.
llvm::Expected<ObjectCode> compileToObject(llvm::Module &module, const TargetInfo &target,
                                           const CodegenSwitches &switches = {});
llvm::Expected<std::string> compileToAssembly(llvm::Module &module, const TargetInfo &target,
                                              const CodegenSwitches &switches = {});

/// The back end for a target; null only if LLVM was built without it.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const TargetInfo &target);

} // namespace mfc
#endif
