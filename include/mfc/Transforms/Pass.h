// What a pass is: a function over a graph, with everything it may look at in its context. Nothing is global.
//
// Who decides what: each pass (Passes.h) says before and after; Pipeline.h has the order; the PassManager
// runs, checks, prints and times. The table allPasses() is the one place where names and functions meet, and
// serves `--print-after=`, `--stop-after=` and `mfc-opt --passes=`.
#ifndef MFC_TRANSFORMS_PASS_H
#define MFC_TRANSFORMS_PASS_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/OperationNames.h"
#include "mfc/Support/Remark.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mfc {

class CostOracle;
struct TargetInfo;

/// Choices of the user that passes depend on.
struct PassOptions {
  /// --io=quantized: the border carries stored values, the first quantize and last dequantize leave.
  bool quantizedIO = false;
  /// Operators that stay float in a quantized model are an error, not a remark.
  bool strictInt8 = false;
  /// A constant that folding would create must be smaller than this, or at most `foldGrowth` times its operands.
  uint64_t foldBytes = 64 * 1024;
  uint64_t foldGrowth = 8;
};

struct PassContext {
  DiagnosticEngine &diag;
  RemarkList &remarks;
  PassOptions options = {};
  const TargetInfo *target = nullptr; ///< null: no target chosen (mfc-opt, mfc-run)
  CostOracle *oracle = nullptr;       ///< null: passes that price candidates use the static model

  void remark(RemarkKind kind, llvm::StringRef pass, llvm::StringRef name, const Operation &about,
              std::string message, std::vector<std::pair<std::string, std::string>> args = {});
};

struct PassResult {
  bool changed = false;
  bool failed = false; ///< at least one error was reported; the graph is still well formed
};

using PassFunction = PassResult (*)(Graph &, PassContext &);

struct PassInfo {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  PassFunction run;
};

/// Every pass, in the order of the documentation (docs/passes.md).
llvm::ArrayRef<PassInfo> allPasses();
/// Null if there is none of that name.
const PassInfo *findPass(llvm::StringRef name);

} // namespace mfc
#endif
