// The driver: calls every kernel with the addresses that the plan chose.
#ifndef MFC_LIB_LOWERING_DRIVER_H
#define MFC_LIB_LOWERING_DRIVER_H

#include "LoweringContext.h"

namespace mfc {

/// Adds the driver to the module. `functions`: one a kernel, in the order of plan.kernels().
void emitDriver(LoweringContext &cx, llvm::ArrayRef<llvm::Function *> functions);

} // namespace mfc
#endif
