// Chooses the schedule of every kernel by what its candidates really cost.
#ifndef MFC_TUNING_SCHEDULESEARCH_H
#define MFC_TUNING_SCHEDULESEARCH_H

#include "mfc/Cost/CostOracle.h"
#include "mfc/IR/Plan.h"
#include "mfc/Memory/Lifetime.h"
#include "mfc/Support/Remark.h"

namespace mfc {
struct TargetInfo;

/// What the best candidate is.
enum class Goal {
  Cycles,   ///< fewest modelled cycles; bytes decide between candidates that hardly differ
  Balanced, ///< bytes first: a percent more of them must save kCyclesPerByte percent of the cycles
  Bytes,    ///< fewest bytes of code and constants, then fewest cycles
};
constexpr double kCyclesPerByte = 4;
/// Candidates hardly differ while the slower one costs not more of the kernel's cycles, or of the whole model's, than this.
constexpr double kTiePercent = 0.3, kModelTiePercent = 0.02;

/// The best of at least one record; of equal ones the first. Records with a problem, or without modelled cycles where others
/// have some, are out of the question; where none has any (no estimate of the kernel is possible) bytes decide.
/// `modelCycles`: of all kernels of the model, 0 while that is not known.
size_t bestRecord(llvm::ArrayRef<CostRecord> records, Goal goal, double modelCycles = 0);

/// Replaces the schedules by rule of thumb (prepareKernels) by the best of each kernel's menu: first among the blockings,
/// then among the refinements of the best one. No choice makes the arena larger. One remark of pass "schedule" a kernel. Errors are those of the oracle.
llvm::Error chooseSchedules(const Graph &graph, Plan &plan, const TargetInfo &target, Goal goal,
                            const MemoryOptions &memory, CostOracle &oracle, RemarkList *remarks);

/// Gives every kernel the number-th entry of its menu, counted around: for tests that run all of them.
void takeSchedules(Plan &plan, const TargetInfo &target, unsigned number);

} // namespace mfc
#endif
