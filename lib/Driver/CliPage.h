#ifndef MFC_LIB_DRIVER_CLIPAGE_H
#define MFC_LIB_DRIVER_CLIPAGE_H

#include "llvm/Support/raw_ostream.h"

namespace mfc {

class OptionParser;

/// docs/cli.md: what is said by hand here, and the option tables.
void printCliPage(const OptionParser &parser, llvm::raw_ostream &os);

} // namespace mfc
#endif
