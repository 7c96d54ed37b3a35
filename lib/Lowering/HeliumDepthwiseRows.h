// An int8 depthwise convolution with a small window on Helium, along the rows of the input.
//
// A vector holds 16 channels of one pixel (a last block begins 16 channels in front of the end, so that blocks
// overlap and nothing is masked), or with fewer channels and stride 1 as many neighbouring pixels as fit.
#ifndef MFC_LIB_LOWERING_HELIUMDEPTHWISEROWS_H
#define MFC_LIB_LOWERING_HELIUMDEPTHWISEROWS_H

#include "DepthwiseLanes.h"
#include "WindowRows.h"

namespace mfc {

/// Whether the kernel takes this way.
bool depthwiseByRows(const Kernel &kernel, const TargetInfo &target);

/// The whole kernel.
void emitDepthwiseRows(KernelIO &io);
uint64_t depthwiseRowsScratchBytes(const Kernel &kernel);

} // namespace mfc
#endif
