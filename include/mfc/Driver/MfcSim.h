// The mfc-sim command: runs a model (compiled on the spot) or finished firmware in QEMU, or a model on the build machine.
#ifndef MFC_DRIVER_MFCSIM_H
#define MFC_DRIVER_MFCSIM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mfc {

/// Arguments without the program's name.
int runMfcSim(llvm::ArrayRef<std::string> arguments, llvm::raw_ostream &out, llvm::raw_ostream &err);

} // namespace mfc
#endif
