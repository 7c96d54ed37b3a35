#include "mfc/Cost/BuildId.h"

llvm::StringRef mfc::buildId() {
  return
#include "build_id.inc"
      ;
}
