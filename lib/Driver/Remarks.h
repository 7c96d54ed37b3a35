// Remarks for people (-Rpass=) and for tools (-fsave-optimization-record).
#ifndef MFC_LIB_DRIVER_REMARKS_H
#define MFC_LIB_DRIVER_REMARKS_H

#include "mfc/Driver/CompileOptions.h"
#include "mfc/Support/Remark.h"

namespace mfc {

/// Adds the remarks that -Rpass, -Rpass-missed and -Rpass-analysis ask for to the diagnostics.
void reportRemarks(const RemarkList &remarks, const CompileOptions &options,
                   DiagnosticEngine &diag);

/// LLVM's YAML remark format, one document a remark; `model` stands for the function.
std::string remarksYaml(const RemarkList &remarks, llvm::StringRef model);

} // namespace mfc
#endif
