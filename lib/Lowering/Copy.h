// Copies and fills of memory, as loops of our own: llvm.memcpy would become a call to a library function.
#ifndef MFC_LIB_LOWERING_COPY_H
#define MFC_LIB_LOWERING_COPY_H

#include "KernelBuilder.h"

namespace mfc {

/// Copies `bytes` (i32, may be 0 at run time) from source to destination, which do not overlap. `align` divides
/// both addresses and the byte count.
void emitCopy(KernelBuilder &kb, llvm::Value *destination, llvm::Value *source, llvm::Value *bytes, unsigned align);

/// The same for a known number of bytes: straight code where that is short.
void emitShortCopy(KernelBuilder &kb, llvm::Value *destination, llvm::Value *source, int64_t bytes, unsigned align);

/// Fills `bytes` with copies of an element. `align` as above.
void emitFill(KernelBuilder &kb, llvm::Value *destination, ElementType element, int64_t bits, llvm::Value *bytes,
              unsigned align);

} // namespace mfc
#endif
