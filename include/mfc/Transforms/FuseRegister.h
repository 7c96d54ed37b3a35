// The first form of fusion: which operations share a kernel by rules alone (`register` placement).
//
//   before: %0 = conv2d ...  %1 = add %0, %r  %2 = clamp %1     (three kernels, two tensors stored between them)
//   after:  k0_conv2d = conv2d + add + clamp                    (one kernel, %0 and %1 never stored)
//
// The graph is not changed: the result is a plan with one group per kernel, and a placement for every value.
#ifndef MFC_TRANSFORMS_FUSEREGISTER_H
#define MFC_TRANSFORMS_FUSEREGISTER_H

#include "mfc/IR/Plan.h"
#include "mfc/Transforms/Pass.h"

#include <functional>
#include <map>

namespace mfc {

/// Whether the kernel family of the anchor can apply this element-wise operation to each result before its store, or can
/// store its results through this transpose.
using TailPredicate = std::function<bool(const Operation &anchor, const Operation &tail, const TargetInfo *target)>;

/// Whether the kernel family of the anchor can read its first operand through `head`, an index remap in front of it (a
/// transpose at the border of the graph), so that the moved tensor is never stored.
using HeadPredicate = std::function<bool(const Operation &head, const Operation &anchor)>;

/// Element-wise operations that are not fused with what is in front of them, each with the reason.
using SeparateTails = std::map<const Operation *, std::string>;

struct FuseOptions {
  bool fuse = true;      ///< false (-O0): every operation is a kernel of its own
  bool callerIO = false; ///< --io=caller: inputs and outputs are the caller's buffers
  /// Empty: every element-wise tail is accepted and no transpose. Lowering knows better.
  TailPredicate canFuseTail;
  /// Empty: no remap is folded.
  HeadPredicate canFuseHead;
  SeparateTails separate; ///< decided by measurement
};

/// Sets plan.groups and plan.placements (offsets stay 0: they are Memory's). Every yes and no is a remark of pass
/// "fuse". The graph must verify. With callerIO, an output that is a view of an input, a constant or another output
/// gets a kernel whose anchor is that view: it copies.
void fuseRegister(Graph &graph, Plan &plan, PassContext &ctx, const FuseOptions &options);

} // namespace mfc
#endif
