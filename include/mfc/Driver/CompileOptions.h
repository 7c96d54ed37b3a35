// What the user asked for, in one struct: filled once by a tool, passed on as const.
#ifndef MFC_DRIVER_COMPILEOPTIONS_H
#define MFC_DRIVER_COMPILEOPTIONS_H

#include "mfc/Driver/Budgets.h"
#include "mfc/Fusion/GroupSearch.h"
#include "mfc/Import/Import.h"
#include "mfc/Target/TargetInfo.h"

#include <string>
#include <vector>

namespace mfc {

class OptionParser;

enum class OptLevel {
  O0, ///< nothing fused, the same kernels
  O1, ///< fusion by rules and the static model
  O2, ///< fusion measured per group
  O3, ///< joint search with schedule variants
  Os, ///< size first
  Oz, ///< size only
};
llvm::StringRef spelling(OptLevel level);

/// Where the schedules of kernels come from.
struct ScheduleOptions {
  enum class Source {
    Level,  ///< searched from -O2 on, else by rule of thumb
    Rule,
    Number, ///< one entry of every menu, for tests
  };
  Source source = Source::Level;
  unsigned number = 0;
  unsigned threads = 2;
  bool cache = true;
  std::string cacheFolder; ///< --cache-dir, empty: the environment says where
};

enum class OutputKind {
  Library, ///< libX.a, X.h, X.ld, X.json
  Graph,   ///< mfc's textual graph after the passes
  LLVM,    ///< textual LLVM IR
  Assembly,
  Object, ///< one relocatable object
};

struct CompileOptions {
  std::string model; ///< path, "-" for the standard input
  TargetOptions target;
  OptLevel level = OptLevel::O2;
  bool debugInfo = false;
  ImportOptions import;
  bool quantizedIO = false;
  bool callerIO = false;
  bool preserveInputs = false;
  bool strictInt8 = false;
  bool layerTaps = false;
  Objective objective = Objective::Cycles; ///< --optimize-for
  uint64_t maxFuseDepth = 24;    ///< kernels in a group
  uint64_t maxFuseGrowth = 2048; ///< bytes of code that a group may be larger than its kernels alone

  ScheduleOptions schedules;
  std::string board; ///< --board: the memories to plan for, a name or a file; empty: one memory without a limit

  OutputKind emit = OutputKind::Library;
  std::string output; ///< -o, empty when not given
  std::string name;   ///< --name
  bool saveTemps = false;
  bool writeDepfile = false;
  std::string depfile; ///< -MF
  std::string htmlReport; ///< --report: a page for people, written over budget too
  std::string jsonReport; ///< --json: a further X.json, written over budget too
  BudgetList budgets;     ///< --budget, then also those of the file
  std::string budgetFile; ///< --budget-file

  std::string remarksPassed, remarksMissed, remarksAnalysis; ///< regular expressions, empty: none
  bool saveRecord = false;
  std::string recordFile;

  std::vector<std::string> printAfter;
  bool printChanged = false;
  std::string stopAfter;
  bool stats = false;
  bool listFusion = false;
  bool timePasses = false;
  bool verbose = false;
  bool dryRun = false; ///< -###
};

/// How a tool reports problems.
struct ReportOptions {
  bool json = false; ///< --diagnostics-format=json
};

/// Options that change the code: target, level, shapes, I/O. For every tool that compiles.
void addCodeOptions(OptionParser &parser, CompileOptions &options);
/// Options about how mfc works: remarks, dumps, statistics. For every tool that compiles.
void addDiagnosticOptions(OptionParser &parser, CompileOptions &options, ReportOptions &report);
/// Limits on the build. For mfc alone.
void addBudgetOptions(OptionParser &parser, CompileOptions &options);
/// Options about what is written where.
void addOutputOptions(OptionParser &parser, CompileOptions &options);

} // namespace mfc
#endif
