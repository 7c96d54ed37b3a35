// Groups in a plan: several kernels in a row of the execution order that run by rows, with rings between them.
#ifndef MFC_FUSION_ROWGROUPS_H
#define MFC_FUSION_ROWGROUPS_H

#include "mfc/Memory/RowSchedule.h"

#include <string>
#include <vector>

namespace mfc {

/// Kernels [first, end) of the execution order.
struct KernelRange {
  size_t first = 0, end = 0;
  size_t size() const { return end - first; }
  bool operator==(const KernelRange &) const = default;
};

/// Whether these kernels can be one group; if not, `why` says what stands against it. `plan`: one kernel a group.
std::optional<RowSchedule> scheduleRange(const Graph &graph, const Plan &plan, KernelRange range, std::string &why);

/// The plan with these ranges as groups; kernels in none of them stay groups of their own. Ranges do not overlap, and
/// each of more than one kernel has a schedule. `members`: the kernels in execution order as they are in a group, prepared
/// (Lowering). Tensors that only their group knows become rings; offsets have to be found anew.
Plan withGroups(const Graph &graph, const Plan &plan, llvm::ArrayRef<Kernel> members, llvm::ArrayRef<KernelRange> ranges);

/// Ranges as long as possible from the first kernel on: every kernel that can run by rows with a neighbour does.
std::vector<KernelRange> longestRanges(const Graph &graph, const Plan &plan);

} // namespace mfc
#endif
