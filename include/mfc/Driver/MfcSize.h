// The mfc-size command: the sizes in an X.json, the difference of two, and gates on it.
#ifndef MFC_DRIVER_MFCSIZE_H
#define MFC_DRIVER_MFCSIZE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mfc {

/// Arguments without the program's name. The tables go to `out` (or -o), problems and exceeded
/// thresholds to `err`.
int runMfcSize(llvm::ArrayRef<std::string> arguments, llvm::raw_ostream &out,
               llvm::raw_ostream &err);

} // namespace mfc
#endif
