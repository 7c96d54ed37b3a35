// Debug information (-g): the textual graph X.mfcir is the source file, the line of an operation is
// the line of the code of its kernel.
#ifndef MFC_EMIT_DEBUGINFO_H
#define MFC_EMIT_DEBUGINFO_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace mfc {

class Graph;
struct ModelInfo;
struct Plan;

/// Gives every function of the module a subprogram and every instruction a location. `graphText` is
/// the graph as printed into X.mfcir: one statement a line. Paths are relative, so that equal
/// models give equal bytes.
void addDebugInfo(llvm::Module &module, const ModelInfo &info, const Graph &graph, const Plan &plan,
                  llvm::StringRef graphText);

} // namespace mfc
#endif
