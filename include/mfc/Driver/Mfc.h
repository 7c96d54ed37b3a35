// The mfc command: from options to files and an exit code.
#ifndef MFC_DRIVER_MFC_H
#define MFC_DRIVER_MFC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mfc {

/// Arguments without the program's name. `out` gets --help, --version and lists; `err` diagnostics,
/// remarks and dumps.
int runMfc(llvm::ArrayRef<std::string> arguments, llvm::raw_ostream &out, llvm::raw_ostream &err);

} // namespace mfc
#endif
