// Checks a finished plan without knowing how it was made: kernels against the graph, lifetimes worked out again from
// the kernels, and then every pair of tensors that are alive together.
#ifndef MFC_MEMORY_VERIFIER_H
#define MFC_MEMORY_VERIFIER_H

#include "mfc/Memory/Lifetime.h"

namespace mfc {

/// Faults are reported as errors of class Internal (a plan is mfc's own work); a region that is too small for its
/// contents as one of class Budget. False if there was any.
bool verifyPlan(const Graph &graph, const Plan &plan, const MemoryOptions &options, DiagnosticEngine &diag);

} // namespace mfc
#endif
