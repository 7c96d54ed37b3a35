// Puts modelled cycles into the records of a compiled object.
#ifndef MFC_LIB_CODEGEN_MODELLEDCYCLES_H
#define MFC_LIB_CODEGEN_MODELLEDCYCLES_H

#include "MachineFlow.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mfc {
struct ObjectCode;
struct TargetInfo;
} // namespace mfc

namespace mfc::codegen {

/// Fills execution counts and modelled cycles of the functions. Takes the block address maps, which
/// the counts need, out of the object again.
llvm::Error addModelledCycles(ObjectCode &object, llvm::ArrayRef<FunctionFlow> flows,
                              const TargetInfo &target);

} // namespace mfc::codegen
#endif
