// mfc --list-fusion: what was fused, for people.
#ifndef MFC_LIB_DRIVER_LISTFUSION_H
#define MFC_LIB_DRIVER_LISTFUSION_H

#include "llvm/Support/raw_ostream.h"

namespace mfc {

struct CompiledModel;

/// Groups in execution order, the kernels of each with their operators and figures, and the place of every tensor.
void listFusion(const CompiledModel &compiled, llvm::raw_ostream &os);

} // namespace mfc
#endif
