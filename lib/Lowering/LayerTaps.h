// Layer taps: calls in the driver that show the firmware each layer's result (mfc --layer-taps).
#ifndef MFC_LIB_LOWERING_LAYERTAPS_H
#define MFC_LIB_LOWERING_LAYERTAPS_H

#include "KernelBuilder.h"

namespace mfc {

/// Calls the hook: `layer` is the layer's number, or -1 - i for the i-th input of the model.
void emitLayerTap(KernelBuilder &kb, int layer, llvm::Value *address, uint64_t bytes);

} // namespace mfc
#endif
