// The text form of a plan, for tests, --print-after and cache keys. It is written, never read.
#ifndef MFC_IR_PLANPRINTER_H
#define MFC_IR_PLANPRINTER_H

#include "mfc/IR/Plan.h"
#include "llvm/Support/raw_ostream.h"

namespace mfc {

/// Kernels in execution order with their operations, then the placement of every value in the order of the graph's
/// text. Offsets are there once plan.regions is.
void printPlan(const Graph &graph, const Plan &plan, llvm::raw_ostream &os);

} // namespace mfc
#endif
