// Which sources this mfc was built from.
#ifndef MFC_COST_BUILDID_H
#define MFC_COST_BUILDID_H

#include "llvm/ADT/StringRef.h"

namespace mfc {

/// 16 hexadecimal digits: the hash of all sources that decide the code or the modelled price of a kernel. Part of the
/// keys of caches, and of nothing that a build writes.
llvm::StringRef buildId();

} // namespace mfc
#endif
