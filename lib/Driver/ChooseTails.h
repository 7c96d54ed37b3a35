// The price of register fusion: which element-wise operations share a kernel with the anchor in front of them is decided by
// rules first (Transforms/FuseRegister.h), and then by compiling both.
#ifndef MFC_LIB_DRIVER_CHOOSETAILS_H
#define MFC_LIB_DRIVER_CHOOSETAILS_H

#include "mfc/Lowering/Lower.h"
#include "mfc/Memory/Lifetime.h"
#include "mfc/Transforms/FuseRegister.h"

#include "llvm/Support/Error.h"
#include <functional>

namespace mfc {

struct TailLimits {
  uint64_t mostGrowth = 2048; ///< bytes of code by which a fused kernel may exceed its parts
  bool heads = true;          ///< remaps in front of an anchor are asked about too: apart they need a copy in memory
};

/// Operations that stay kernels of their own although the rules would fuse them: apart they need fewer modelled cycles and
/// no more arena, or fused too much code. `plan`: with all of them fused, prepared. `fuseWithout` gives a prepared plan in
/// which the listed operations are not fused. The reasons name both sides' figures.
llvm::Expected<SeparateTails> chooseTails(const Graph &graph, const Plan &plan, const TargetInfo &target,
                                          const LoweringOptions &lowering, const MemoryOptions &memory,
                                          const TailLimits &limits,
                                          const std::function<Plan(const SeparateTails &)> &fuseWithout);

} // namespace mfc
#endif
