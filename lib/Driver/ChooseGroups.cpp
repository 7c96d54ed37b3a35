#include "ChooseGroups.h"

#include "MeasurePlan.h"
#include "mfc/Memory/Planner.h"

using namespace mfc;

namespace {

class GroupChooser {
public:
  GroupChooser(const Graph &graph, Plan &plan, const TargetInfo &target, const LoweringOptions &lowering,
               const SearchOptions &options)
      : graph(graph), plan(plan), target(target), lowering(lowering), options(options) {}

  llvm::Error run(RemarkList &remarks) {
    std::vector<KernelRange> longest = longestRanges(graph, plan);
    if (longest.empty() || fitsAsItIs())
      return llvm::Error::success();
    for (const Kernel *kernel : plan.kernels()) {
      members.push_back(*kernel);
      std::string why;
      if (kernelRows(*kernel, why)) {
        members.back().byRows = true;
        prepareKernel(members.back(), target, lowering);
      }
    }
    costs.resize(members.size());
    if (llvm::Error error = measure(plan, {}))
      return error;
    Plan grouped = withGroups(graph, plan, members, longest);
    if (llvm::Error error = measure(grouped, longest))
      return error;
    GroupChoice choice = searchGroups(graph, plan, members, costs, options, &remarks);
    if (!choice.groups.empty())
      plan = withGroups(graph, plan, members, choice.groups);
    return llvm::Error::success();
  }

private:
  const Graph &graph;
  Plan &plan;
  const TargetInfo &target;
  const LoweringOptions &lowering;
  const SearchOptions &options;
  std::vector<Kernel> members;
  std::vector<KernelCost> costs;

  /// The fastest plan that fits is the one without groups.
  bool fitsAsItIs() const {
    return options.objective == Objective::Cycles &&
           packedBytes(computeLifetimes(graph, plan, options.memory)) <= options.sramLimit.value_or(UINT64_MAX);
  }

  /// What the driver itself needs, its loops over rows, is shared out among the kernels that run by rows.
  llvm::Error measure(const Plan &candidate, llvm::ArrayRef<KernelRange> groups) {
    llvm::Expected<ModelInfo> info = measurePlan(graph, candidate, target, lowering, options.memory);
    if (!info)
      return info.takeError();
    double driver = info->totals.modelledCycles.value_or(0);
    size_t inGroups = 0;
    for (size_t k = 0; k < costs.size(); ++k)
      driver -= info->layers[k].modelledCycles.value_or(0);
    for (const KernelRange &range : groups)
      inGroups += range.size();
    if (groups.empty())
      for (size_t k = 0; k < costs.size(); ++k) {
        costs[k].wholeCycles = info->layers[k].modelledCycles.value_or(0);
        costs[k].wholeBytes = info->layers[k].codeBytes;
      }
    for (const KernelRange &range : groups)
      for (size_t k = range.first; k < range.end; ++k) {
        costs[k].rowCycles = info->layers[k].modelledCycles.value_or(0) + driver / static_cast<double>(inGroups);
        costs[k].rowBytes = info->layers[k].codeBytes;
      }
    return llvm::Error::success();
  }
};

} // namespace

llvm::Error mfc::chooseGroups(const Graph &graph, Plan &plan, const TargetInfo &target,
                              const LoweringOptions &lowering, const SearchOptions &options, RemarkList &remarks) {
  return GroupChooser(graph, plan, target, lowering, options).run(remarks);
}
