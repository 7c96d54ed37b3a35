// Compiles every kernel alone and as a member of a group by rows, and lets the search choose the groups.
#ifndef MFC_LIB_DRIVER_CHOOSEGROUPS_H
#define MFC_LIB_DRIVER_CHOOSEGROUPS_H

#include "mfc/Fusion/GroupSearch.h"
#include "mfc/Lowering/Lower.h"

#include "llvm/Support/Error.h"

namespace mfc {
struct TargetInfo;

/// Forms the groups of a prepared plan with one kernel a group; members are prepared too. Placement in memory comes after.
llvm::Error chooseGroups(const Graph &graph, Plan &plan, const TargetInfo &target, const LoweringOptions &lowering,
                         const SearchOptions &options, RemarkList &remarks);

} // namespace mfc
#endif
