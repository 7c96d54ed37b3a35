// Kinds of files that people hand to a compiler by mistake.
#ifndef MFC_LIB_IMPORT_DETECT_H
#define MFC_LIB_IMPORT_DETECT_H

#include "llvm/ADT/StringRef.h"

namespace mfc {

/// What a file that is no model seems to be, and what to do about it; empty if unknown.
llvm::StringRef describeForeignContent(llvm::StringRef content);

} // namespace mfc
#endif
