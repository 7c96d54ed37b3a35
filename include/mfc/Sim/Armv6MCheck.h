// Proof that machine code is Armv6-M only: every instruction of every code section is decoded with
// nothing but that architecture enabled.
//
// QEMU has no Cortex-M0+, so Armv6-M images run on a Cortex-M3, which would execute more.
#ifndef MFC_SIM_ARMV6MCHECK_H
#define MFC_SIM_ARMV6MCHECK_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mfc {

/// Checks an object, an executable or a static library. The error names the member, section, offset and
/// the bytes of the first instruction that an Armv6-M core does not have.
llvm::Error checkArmv6MOnly(llvm::MemoryBufferRef file);
llvm::Error checkArmv6MOnly(llvm::StringRef path);

} // namespace mfc
#endif
