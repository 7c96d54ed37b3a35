// The version of mfc, from the project() line of the top CMakeLists.txt.
#ifndef MFC_SUPPORT_VERSION_H
#define MFC_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace mfc {

/// "0.1.0". Part of every output and of the keys of all caches.
llvm::StringRef mfcVersion();

} // namespace mfc
#endif
