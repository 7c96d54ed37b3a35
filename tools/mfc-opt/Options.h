// The command line of mfc-opt.
#ifndef MFC_TOOLS_MFCOPT_OPTIONS_H
#define MFC_TOOLS_MFCOPT_OPTIONS_H

#include "mfc/Support/Diagnostic.h"
#include "mfc/Transforms/Pass.h"

#include <set>
#include <string>

namespace mfc {

struct OptOptions {
  std::string input = "-";
  std::string output = "-";
  std::string passes;           ///< as given, without fuse and plan-memory
  bool fuse = false;            ///< print the plan of register fusion instead of the graph
  bool planMemory = false;      ///< with offsets
  bool fusionOff = false;       ///< -O0
  bool callerIO = false;        ///< --io=caller
  bool preserveInputs = false;
  bool verifyEach = true;
  bool elideConstants = false;
  bool remarks = false;
  bool json = false;            ///< --diagnostics-format=json
  bool printChanged = false;
  std::set<std::string> printAfter;
  std::string stopAfter;
  PassOptions passOptions;

  enum class Action { Run, Help, Version, ListPasses, DumpOps, DumpPasses } action = Action::Run;
};

/// False after an error of class Usage.
bool parseOptions(llvm::ArrayRef<const char *> arguments, OptOptions &options, DiagnosticEngine &diag);

extern const char *const kOptHelp;

} // namespace mfc
#endif
