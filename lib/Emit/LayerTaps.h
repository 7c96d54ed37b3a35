// The part of X.h about layer taps.
#ifndef MFC_LIB_EMIT_LAYERTAPS_H
#define MFC_LIB_EMIT_LAYERTAPS_H

#include "llvm/Support/raw_ostream.h"

namespace mfc {

struct ModelInfo;

void writeLayerTaps(llvm::raw_ostream &os, const ModelInfo &info);

} // namespace mfc
#endif
