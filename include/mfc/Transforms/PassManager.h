// Runs a list of passes over a graph: verifies between them, prints where asked, stops where asked, and times.
#ifndef MFC_TRANSFORMS_PASSMANAGER_H
#define MFC_TRANSFORMS_PASSMANAGER_H

#include "mfc/Transforms/Pass.h"

#include "llvm/Support/Error.h"
#include <functional>
#include <set>
#include <vector>

namespace mfc {

struct PassTiming {
  llvm::StringRef name;
  double seconds = 0;
  bool changed = false;
};

class PassManager {
public:
  void add(const PassInfo &pass) { passes.push_back(&pass); }
  /// A name of the table; asserts that it is there (for pipelines written in code).
  void add(llvm::StringRef name);
  /// "a,b,c" from a command line; the error is of class Usage and lists the known names.
  llvm::Error addList(llvm::StringRef commaSeparated);
  llvm::ArrayRef<const PassInfo *> list() const { return passes; }

  /// verifyGraph before the first pass and after each one that changed something. On in debug builds.
#ifdef NDEBUG
  bool verifyEach = false;
#else
  bool verifyEach = true;
#endif
  std::string stopAfter;            ///< the passes behind the last one of this name do not run
  std::set<std::string> printAfter; ///< names of passes; "all" for every pass
  bool printChangedOnly = false;    ///< with "all": only where the pass changed something
  /// Called where printAfter matches; the caller prints (Transforms does not choose a stream).
  std::function<void(const PassInfo &, const Graph &)> print;

  /// Runs everything; false after the first pass that failed or left a graph that does not verify.
  bool run(Graph &graph, PassContext &ctx);
  /// Of the last run, in order.
  llvm::ArrayRef<PassTiming> timings() const { return times; }

private:
  std::vector<const PassInfo *> passes;
  std::vector<PassTiming> times;
};

} // namespace mfc
#endif
