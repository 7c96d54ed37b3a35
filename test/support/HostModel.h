// Compiles a graph for the build machine and runs it in this process: for tests that compare compiled code with the
// reference interpreter.
#ifndef MFC_TEST_SUPPORT_HOSTMODEL_H
#define MFC_TEST_SUPPORT_HOSTMODEL_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Plan.h"
#include "mfc/IR/Tensor.h"

#include "llvm/Support/Error.h"
#include <functional>

namespace mfc {
struct TargetInfo;
}

namespace mfc::test {

struct HostOptions {
  bool fuse = true;
  unsigned schedule = 0; ///< entry of every kernel's menu; 0: the rule of thumb
  uint8_t poison = 0xa5; ///< what the arena holds before the inputs are written
  /// Changes the plan between fusion and memory planning: other schedules, groups.
  std::function<void(const Graph &, Plan &, const TargetInfo &)> arrange = {};
  /// Changes it behind memory planning: other offsets.
  std::function<void(const Graph &, Plan &)> place = {};
};

/// The outputs in graph order. The arena stands between an intact front zone and an inaccessible page; a broken front
/// zone is an error, a read or write past the end faults. So is a plan that the verifier refuses.
llvm::Expected<std::vector<Tensor>> runOnHost(Graph &graph, llvm::ArrayRef<Tensor> inputs, const HostOptions &options = {});

/// Deterministic pseudo-random numbers (splitmix64), the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// Uniform in [lo, hi].
  int64_t range(int64_t lo, int64_t hi);
  bool chance(int percent) { return range(0, 99) < percent; }
  double real(double lo, double hi);

private:
  uint64_t state;
};

/// Elements uniform over the type's range (floats in [-1, 1]).
Tensor randomTensor(const TensorType &type, Random &random);

} // namespace mfc::test
#endif
