// Element-wise operators as code on one element or a short vector, wherever it comes from: tails of anchors and
// kernels of their own use the same function.
#ifndef MFC_LIB_LOWERING_ELEMENTWISE_H
#define MFC_LIB_LOWERING_ELEMENTWISE_H

#include "KernelBuilder.h"

namespace mfc {
class TargetHooks;

/// The result of `op` for operands in the wide domain (all with the same lanes), saturated to the result's type.
llvm::Value *emitElementwise(KernelBuilder &kb, const Operation &op, llvm::ArrayRef<llvm::Value *> operands);

/// Lanes that emitElementwise can work on for this operator; 1 where it needs scalar code.
unsigned elementwiseLanes(const Operation &op, const TargetHooks &hooks);

/// Whether emitElementwise knows the operator with these types.
bool canEmitElementwise(const Operation &op, std::string &why);

} // namespace mfc
#endif
