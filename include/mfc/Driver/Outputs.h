// Which files a compile writes, under which names, and the set of them.
#ifndef MFC_DRIVER_OUTPUTS_H
#define MFC_DRIVER_OUTPUTS_H

#include "mfc/Driver/CompileOptions.h"
#include "mfc/Support/OutputFiles.h"

namespace mfc {

struct CompiledModel;

struct OutputNames {
  std::string model;                          ///< X
  std::string primary;                        ///< the archive, or the one file of --emit
  std::string header, linkerFragment, report; ///< empty unless the archive is written
  std::string source;                         ///< X.mfcir, with -g
  std::string depfile, record;                ///< empty when not asked for
  std::string htmlReport, jsonReport;         ///< --report and --json, the same
  std::string stem;                           ///< folder/X: beginning of the --save-temps files

  /// Everything that will be written, in order; the temporaries are not known before the compile.
  std::vector<std::string> files() const;
};

/// The names; an error of class Usage when they make no sense (no C identifier, four files to "-").
llvm::Expected<OutputNames> outputNames(const CompileOptions &options);

/// Refuses what can be refused before the expensive part.
llvm::Error checkOutputs(const CompileOptions &options, const OutputNames &names);

/// The reports that were asked for by name: what is written of a build that is over its budget.
OutputFiles collectReports(const CompileOptions &options, const OutputNames &names,
                           const CompiledModel &compiled);

/// All outputs of a compile as one set, not yet written. The primary file is the last one.
llvm::Expected<OutputFiles> collectOutputs(const CompileOptions &options, const OutputNames &names,
                                           const CompiledModel &compiled);

} // namespace mfc
#endif
