// The command line of mfc-run.
#ifndef MFC_TOOLS_MFC_RUN_OPTIONS_H
#define MFC_TOOLS_MFC_RUN_OPTIONS_H

#include "mfc/Import/Import.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mfc {

struct RunOptions {
  std::string model;
  std::vector<std::string> inputs; ///< files, in graph order
  std::string outputDir;
  ImportOptions import;
  bool quantizedIO = false; ///< --io=quantized
  bool transform = true;    ///< false: --as-imported
  bool writeNpy = false;    ///< --npy
  bool dumpTensors = false; ///< --dump-tensors
  bool dumpContents = false; ///< --dump-contents
  bool json = false;        ///< --diagnostics-format=json
  bool help = false;
  bool version = false;
};

/// Arguments without the program's name. Errors are of class Usage.
llvm::Expected<RunOptions> parseRunOptions(llvm::ArrayRef<std::string> arguments);

/// What --help prints.
llvm::StringRef runHelp();

} // namespace mfc
#endif
