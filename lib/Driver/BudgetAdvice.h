#ifndef MFC_LIB_DRIVER_BUDGETADVICE_H
#define MFC_LIB_DRIVER_BUDGETADVICE_H

#include "mfc/Driver/CompileOptions.h"
#include "mfc/Support/Diagnostic.h"

namespace mfc {

struct ModelInfo;

/// Tries the options that may bring a build back under its limits and notes the ones that do help,
/// with what they give. Every piece of advice was compiled.
void adviseOnBudgets(const CompileOptions &options, const BudgetList &limits, const ModelInfo &info,
                     DiagnosticEngine &diag);

} // namespace mfc
#endif
