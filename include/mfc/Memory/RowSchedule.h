// The order in which the kernels of a group run their steps, and what follows from it: the rows that each ring has to
// keep, and how far a result may lie over an operand.
//
// The last kernel drives: before each of its steps the kernels that it reads run the steps that are missing, and so
// on up to the group's inputs. So every kernel but the last has one caller: its reader that is ahead of the others, or a
// kernel beside it that reads the same rows.
//
//   step(k, s):  for every kernel c that k calls, in execution order:
//                  while done(c) < end(c, s): step(c, done(c)), ++done(c)
//                run k's step s
//
// The schedule is found by doing this once, with counters instead of code (after the line buffers of Halide's sliding
// windows: Ragan-Kelley et al., PLDI 2013, section 4.2).
#ifndef MFC_MEMORY_ROWSCHEDULE_H
#define MFC_MEMORY_ROWSCHEDULE_H

#include "mfc/Ops/RowAccess.h"

#include <optional>

namespace mfc {

/// A kernel of the group, in execution order.
struct RowMember {
  KernelRows rows;
  std::optional<size_t> caller; ///< index of the kernel whose steps ask for this one's; none for the last
  llvm::SmallVector<Window, 2> demand; ///< the caller's windows over this kernel's result
  int64_t steps = 0;            ///< run in all; rows that nobody reads are not made

  /// Steps that have to be done before the caller's step s.
  int64_t end(int64_t callerStep) const;
};

/// A tensor that is written and read inside the group only.
struct RingUse {
  const Value *value = nullptr;
  unsigned rows = 0;      ///< that are kept
  bool passing = false;   ///< empty whenever a kernel outside of [writer, last reader] runs
};

/// `output` may begin `distance` bytes in front of `input` (0: at the same place), both whole tensors: no row is
/// written over one that is still read.
struct RowOverlap {
  const Value *input = nullptr;
  const Value *output = nullptr;
  uint64_t distance = 0;
};

struct RowSchedule {
  std::vector<RowMember> members;
  std::vector<RingUse> rings;       ///< in execution order
  std::vector<RowOverlap> overlaps; ///< of operands read by this group with results that are whole tensors

  const RingUse *ring(const Value *value) const;
};

/// `kept`: results that must be whole tensors besides the last one (read outside of the group, or a model's output).
/// Nothing if there is no such order; `why` then says the reason.
std::optional<RowSchedule> scheduleRows(const std::vector<Kernel> &kernels, llvm::ArrayRef<const Value *> kept,
                                        std::string &why);

/// Of a group in a plan that is known to have one: what is placed in a ring is not kept.
RowSchedule scheduleGroup(const Group &group, const Plan &plan);

/// Pixels that a kernel may read before it stores the first of them, when it runs over all pixels without regard of
/// rows (1x1 windows of stride 1). A promise of Lowering.
constexpr int64_t kPixelsAtOnce = 8;

/// Of one kernel that runs whole: results may overlap operands by the same rule.
std::vector<RowOverlap> wholeOverlaps(const Kernel &kernel);

} // namespace mfc
#endif
