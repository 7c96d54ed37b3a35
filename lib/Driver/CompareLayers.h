// mfc-sim --compare: which layer of a run computed something else than the interpreter.
#ifndef MFC_LIB_DRIVER_COMPARELAYERS_H
#define MFC_LIB_DRIVER_COMPARELAYERS_H

#include "mfc/Driver/Compile.h"
#include "mfc/Support/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

namespace mfc {

/// Computes every layer with the interpreter from the operands that it read in the recorded run, so
/// that the layer named is the one that went wrong and not one behind it. Integers must be equal,
/// floats within 1e-5 of the layer's largest magnitude (docs/numerics.md). The first difference of
/// a run is an error of class RunFailed: layer, index and both values. A summary goes to `out`.
void compareLayers(const CompiledModel &model, llvm::StringRef records, llvm::raw_ostream &out,
                   DiagnosticEngine &diag);

} // namespace mfc
#endif
