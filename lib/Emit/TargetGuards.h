// The part of X.h that stops a compiler for another processor.
#ifndef MFC_LIB_EMIT_TARGETGUARDS_H
#define MFC_LIB_EMIT_TARGETGUARDS_H

#include "llvm/Support/raw_ostream.h"

namespace mfc {

struct ModelInfo;

/// #error lines for every macro that the firmware's compiler must or must not define.
void writeTargetGuards(llvm::raw_ostream &os, const ModelInfo &info);

/// #defines MFC_X_ABI_(name): appends the float ABI that the firmware is compiled for. Nothing for
/// integer models, which go with every ABI.
void writeAbiMacro(llvm::raw_ostream &os, const ModelInfo &info);

} // namespace mfc
#endif
