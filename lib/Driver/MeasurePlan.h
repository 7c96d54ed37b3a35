// What a whole plan costs when it is really compiled, without writing anything.
#ifndef MFC_LIB_DRIVER_MEASUREPLAN_H
#define MFC_LIB_DRIVER_MEASUREPLAN_H

#include "mfc/Emit/ModelInfo.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Memory/Lifetime.h"

#include "llvm/Support/Error.h"

namespace mfc {

/// Places, lowers and compiles a prepared plan; layers in execution order, with code bytes, spills and modelled cycles.
llvm::Expected<ModelInfo> measurePlan(const Graph &graph, Plan plan, const TargetInfo &target,
                                      const LoweringOptions &lowering, const MemoryOptions &memory);

} // namespace mfc
#endif
