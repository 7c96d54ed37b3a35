// Limits on what a build may need: --budget and --budget-file, and the check against ModelInfo.
//
// docs/budgets.md has the syntax, the schema of the file, and what the messages say. A build over a
// limit is an error of class Budget: no output is written but the reports asked for by name.
#ifndef MFC_DRIVER_BUDGETS_H
#define MFC_DRIVER_BUDGETS_H

#include "mfc/Support/Diagnostic.h"

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mfc {

struct ModelInfo;

/// One limit; a later one of the same name replaces an earlier one.
struct Budget {
  std::string name; ///< a metric ("flash") or "region:NAME"; before resolving also the bare name of
                    ///< a region
  double limit = 0; ///< bytes, or modelled cycles
};

using BudgetList = std::vector<Budget>;

/// The value of --budget=: "flash=128K,sram=48K,dtcm=64K". Adds to `list`.
llvm::Error parseBudgets(llvm::StringRef text, BudgetList &list);

/// What a budget file says about a model: the defaults, replaced by those of the model. Errors name
/// the file.
llvm::Expected<BudgetList> readBudgetFile(llvm::StringRef path, llvm::StringRef model);

/// `second` on top of `first`.
BudgetList mergeBudgets(BudgetList first, const BudgetList &second);

/// Fills info.budgets. An error of class Usage for names that are neither metrics nor regions of
/// the model, and for a limit on modelled cycles when none are known.
llvm::Error applyBudgets(const BudgetList &list, ModelInfo &info);

/// Reports every limit that is exceeded, with the layers that need most. False if there was any.
bool checkBudgets(const ModelInfo &info, llvm::StringRef file, DiagnosticEngine &diag);

} // namespace mfc
#endif
