// Which kernels share a loop over rows: the cuts of the execution order that serve the objective best.
//
// A piece of the order is one kernel, or a group. Its memory is that of the tensors that are alive while it runs, packed; its
// modelled cycles are those of its kernels, measured both ways. The memory of a plan is the largest of its pieces, its
// cycles are their sum: the search goes along the order and keeps, for every place to cut, the combinations of (memory,
// cycles) that no other one beats in both.
#ifndef MFC_FUSION_GROUPSEARCH_H
#define MFC_FUSION_GROUPSEARCH_H

#include "mfc/Fusion/RowGroups.h"
#include "mfc/Memory/Lifetime.h"
#include "mfc/Support/Remark.h"

namespace mfc {

enum class Objective { Cycles, Sram, Flash, Balanced };

/// What a kernel costs alone and as a member of a group, really compiled.
struct KernelCost {
  double wholeCycles = 0;          ///< modelled
  std::optional<double> rowCycles; ///< all of its steps, its share of the driver's loops included
  uint64_t wholeBytes = 0, rowBytes = 0; ///< code
};

struct SearchOptions {
  Objective objective = Objective::Cycles;
  double mostCycles = 1.1;      ///< Objective::Sram without a limit on cycles: of the fastest plan's, at most
  std::optional<double> cycleLimit;  ///< modelled cycles, Objective::Sram: the smallest plan within it
  std::optional<uint64_t> sramLimit; ///< bytes of arena, other objectives: the best plan within it
  size_t longestGroup = 24;     ///< kernels (--max-fuse-depth)
  int64_t mostGrowth = 2048;    ///< bytes of code by which a group may exceed its kernels alone (--max-fuse-growth)
  MemoryOptions memory;
};

struct GroupChoice {
  std::vector<KernelRange> groups; ///< of two or more kernels
  uint64_t sramBytes = 0;          ///< after planning
  double modelledCycles = 0;       ///< by the measured costs
};

/// `plan`: one kernel a group, prepared. `members`: see withGroups(). Costs in execution order. Remarks of pass "fuse" say
/// what was decided.
GroupChoice searchGroups(const Graph &graph, const Plan &plan, llvm::ArrayRef<Kernel> members,
                         llvm::ArrayRef<KernelCost> costs, const SearchOptions &options, RemarkList *remarks = nullptr);

} // namespace mfc
#endif
