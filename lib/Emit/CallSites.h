// Where the driver calls each layer's kernel: how a profile tells layers apart that share a
// function.
#ifndef MFC_LIB_EMIT_CALLSITES_H
#define MFC_LIB_EMIT_CALLSITES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mfc {

struct ModelInfo;

/// Fills LayerInfo::callSites from the relocations of the driver's section. The driver calls the
/// layers in order, so the n-th call of a function belongs to the n-th layer that uses it.
llvm::Error findCallSites(ModelInfo &info, const std::string &driver, llvm::ArrayRef<char> object);

} // namespace mfc
#endif
