// Numbers for people: --stats, --time-passes, -v.
#ifndef MFC_LIB_DRIVER_STATISTICS_H
#define MFC_LIB_DRIVER_STATISTICS_H

#include "llvm/Support/raw_ostream.h"

namespace mfc {

struct CompiledModel;

void printStatistics(const CompiledModel &compiled, llvm::raw_ostream &os);
void printTimes(const CompiledModel &compiled, llvm::raw_ostream &os);
/// -v: what came out, and what the library needs from outside.
void printSummary(const CompiledModel &compiled, llvm::raw_ostream &os);

} // namespace mfc
#endif
