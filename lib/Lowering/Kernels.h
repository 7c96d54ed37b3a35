// The kernel families: one emitter a family, in the file of its name. Each emits the body of kb.fn up to, but not
// including, the return.
#ifndef MFC_LIB_LOWERING_KERNELS_H
#define MFC_LIB_LOWERING_KERNELS_H

#include "KernelIO.h"

namespace mfc {

void emitConv2D(KernelIO &io);
void emitDepthwiseConv2D(KernelIO &io);
void emitDense(KernelIO &io);
void emitPool(KernelIO &io);          ///< max_pool2d, avg_pool2d
void emitReduceMean(KernelIO &io);
void emitSoftmax(KernelIO &io);
void emitElementwiseKernel(KernelIO &io); ///< chains without an anchor
void emitViewCopy(KernelIO &io); ///< reshape and identity whose result has memory of its own
void emitTranspose(KernelIO &io);
void emitConcat(KernelIO &io);
void emitSlice(KernelIO &io);
void emitPad(KernelIO &io);
void emitGather(KernelIO &io);

/// The schedule by rule of thumb, then (`all`) the family's other blockings; some may be in the list twice.
std::vector<Schedule> denseSchedules(const Kernel &kernel, const TargetInfo &target, bool all);
std::vector<Schedule> convSchedules(const Kernel &kernel, const TargetInfo &target, bool all);
std::vector<Schedule> depthwiseSchedules(const Kernel &kernel, const TargetInfo &target);

/// Working memory of a kernel with its schedule, bytes (aligned to 16).
uint64_t denseScratchBytes(const Kernel &kernel);
uint64_t convScratchBytes(const Kernel &kernel, const TargetInfo &target);
uint64_t poolScratchBytes(const Kernel &kernel, const TargetInfo &target);
uint64_t depthwiseScratchBytes(const Kernel &kernel, const TargetInfo &target);

} // namespace mfc
#endif
