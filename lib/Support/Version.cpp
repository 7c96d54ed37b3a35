#include "mfc/Support/Version.h"

llvm::StringRef mfc::mfcVersion() { return MFC_VERSION; }
