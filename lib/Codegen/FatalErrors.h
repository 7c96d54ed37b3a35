// Turns what LLVM does when it cannot go on (report_fatal_error, a crash) into an llvm::Error.
#ifndef MFC_LIB_CODEGEN_FATALERRORS_H
#define MFC_LIB_CODEGEN_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace mfc::codegen {

/// Runs the work. If LLVM reports a fatal error or the work crashes, control comes back here by longjmp:
/// destructors inside the work do not run (its memory is lost), and the module and context that it
/// worked on must not be used for anything but being thrown away. `what` starts the message.
llvm::Error runGuarded(llvm::StringRef what, llvm::function_ref<llvm::Error()> work);

} // namespace mfc::codegen
#endif
