// X.json back into ModelInfo: what writeReport() wrote, for tools that compare builds.
#ifndef MFC_EMIT_REPORTREADER_H
#define MFC_EMIT_REPORTREADER_H

#include "mfc/Emit/ModelInfo.h"

#include "llvm/Support/Error.h"

namespace mfc {

/// The figures of a build as its X.json has them.
struct ReadReport {
  ModelInfo info; ///< name, id, target (name, arch, cpu), regions, layers, totals; the rest is not read
  std::string mfcVersion;
};

/// Strict: a schema that is not ours, a missing key, a wrong type, a negative size, totals that
/// contradict each other and a file that ends early are errors of class Usage that name the file.
/// Unknown keys are allowed: later releases may add some.
llvm::Expected<ReadReport> readReportFile(llvm::StringRef path);
llvm::Expected<ReadReport> parseReport(llvm::StringRef json, llvm::StringRef fileName);

} // namespace mfc
#endif
