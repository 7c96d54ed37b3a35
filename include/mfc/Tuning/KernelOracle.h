// The oracle that compiles: a kernel with a schedule goes alone through lowering and the code generator.
#ifndef MFC_TUNING_KERNELORACLE_H
#define MFC_TUNING_KERNELORACLE_H

#include "mfc/Cost/CostOracle.h"
#include "mfc/Cost/RecordCache.h"
#include "mfc/Lowering/Lower.h"
#include <condition_variable>
#include <map>
#include <mutex>

namespace mfc {

/// Records of single kernels: code bytes and registers are the kernel's own, constant bytes those of the constants that
/// it refers to and of its pools, cycles are with the functions that it calls (not with soft-float helpers). A candidate
/// that the code generator cannot compile has a record with a problem.
///
/// Every candidate is lowered to have its text, which has the whole code but not the contents of constants: kernels that
/// differ in those only are compiled once, and found in the cache by whichever model has one.
class KernelOracle : public CostOracle {
public:
  /// `plan` and `graph` are those that the candidates' kernels belong to. `threads`: at least 1; answers do not depend on it.
  KernelOracle(const Graph &graph, const Plan &plan, const TargetInfo &target, RecordCache &cache, unsigned threads);

  llvm::Expected<CostRecord> measure(const Candidate &candidate) override;
  llvm::Expected<std::vector<CostRecord>> measureAll(llvm::ArrayRef<Candidate> candidates) override;

  struct Counts {
    unsigned asked = 0;    ///< candidates
    unsigned found = 0;    ///< records from the cache
    unsigned compiled = 0; ///< the rest had the text of another one
  };
  const Counts &counts() const { return count; }

private:
  llvm::Expected<CostRecord> answer(const Candidate &candidate);
  CostRecord findOrCompile(const std::string &key, llvm::Module &module);
  CostRecord compile(llvm::Module &module) const;

  const Graph &graph;
  const Plan &plan;
  const TargetInfo &target;
  LoweringOptions options;
  std::string row; ///< of the target, for keys
  RecordCache &cache;
  unsigned threads;

  std::mutex mutex; ///< of what follows
  std::condition_variable ready;
  std::map<std::string, std::optional<CostRecord>> answers; ///< by key; nothing while a thread is at it
  Counts count;
};

} // namespace mfc
#endif
