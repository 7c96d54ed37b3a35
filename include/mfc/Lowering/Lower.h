// From plan to LLVM IR: one function per kernel, and one driver that calls them in order.
//
// Kernels are emitted in their final form, straight through IRBuilder; no IR optimisation pipeline follows (it undoes
// register blocking). Targets differ only by TargetInfo fields and by TargetHooks.
#ifndef MFC_LOWERING_LOWER_H
#define MFC_LOWERING_LOWER_H

#include "mfc/IR/Plan.h"

#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mfc {
struct TargetInfo;

struct LoweringOptions {
  std::string modelName;    ///< X: a C identifier; symbols are mfc_X_..., sections .rodata.mfc.X....
  bool smallScratch = false; ///< schedules with less scratch memory that cost a little time
  bool layerTaps = false;    ///< the driver shows inputs and every layer's result to mfc_X_layer_tap
};

/// Gives every kernel the schedule that rules of thumb say, and the scratch memory that goes with it. Before planning.
void prepareKernels(const Graph &graph, Plan &plan, const TargetInfo &target, const LoweringOptions &options);

/// The same for one kernel, as it runs (Kernel::byRows).
void prepareKernel(Kernel &kernel, const TargetInfo &target, const LoweringOptions &options);

/// The menu of a kernel that has its schedule by rule of thumb, which comes first: other blockings and weight layouts,
/// each with the parts of the code generator that its rule of thumb says.
std::vector<Schedule> blockings(const Kernel &kernel, const TargetInfo &target);
/// What else may vary around one of them: the parts of the code generator, how far loops are unrolled.
std::vector<Schedule> refinements(const Kernel &kernel, const Schedule &blocking);

/// Another schedule for a kernel: sets Kernel::schedule, scratchBytes and scratchAlign.
void setSchedule(Kernel &kernel, Schedule schedule, const TargetInfo &target);

/// Whether the kernel of `anchor` can apply `tail` to its result while it is still in registers, or store its result through
/// `tail`, a transpose. Asked by fusion.
bool canFuseTail(const Operation &anchor, const Operation &tail, const TargetInfo *target);

/// Whether the kernel of `anchor` can read its input through `head` (an index remap), instead of a stored copy.
bool canFuseHead(const Operation &head, const Operation &anchor);

/// Whether a kernel for the operation exists at all; `why` says what is wanted instead.
bool canLower(const Operation &op, std::string &why);

/// The module: internal functions mfc_X_<kernel>, constants in sections .rodata.mfc.X.<name>, and the hidden driver
///   void mfc_X_run(ptr arena of each region)              default
///   void mfc_X_run(ptr arena .., ptr in0.., ptr out0..)   when tensors are placed PlacementKind::Caller
/// The driver assumes that arenas are aligned to their regions' alignment; the checked entry points are Emit's.
llvm::Expected<std::unique_ptr<llvm::Module>> lowerModel(llvm::LLVMContext &context, const Graph &graph,
                                                         const Plan &plan, const TargetInfo &target,
                                                         const LoweringOptions &options);

/// A module with the external function of one kernel, and what that needs, alone. `kernel` is one of the plan's or a copy
/// with another schedule.
llvm::Expected<std::unique_ptr<llvm::Module>> lowerKernel(llvm::LLVMContext &context, const Graph &graph,
                                                          const Plan &plan, const Kernel &kernel,
                                                          const TargetInfo &target, const LoweringOptions &options);

/// Symbol of a kernel's function and of the driver.
std::string kernelSymbol(llvm::StringRef modelName, const Kernel &kernel);
std::string driverSymbol(llvm::StringRef modelName);
/// The weak function that a library with layer taps calls:
///   void mfc_X_layer_tap(int32_t layer, const void *data, uint32_t bytes)
/// with -1 - i for the i-th input before the first layer, then with each layer's number and result.
std::string layerTapSymbol(llvm::StringRef modelName);

} // namespace mfc
#endif
