// Generated documentation: docs/ops.md and docs/passes.md.
#ifndef MFC_TOOLS_MFCOPT_DOCS_H
#define MFC_TOOLS_MFCOPT_DOCS_H

#include "llvm/Support/raw_ostream.h"

namespace mfc {

void dumpOperatorDocs(llvm::raw_ostream &os);
void dumpPassDocs(llvm::raw_ostream &os);

} // namespace mfc
#endif
