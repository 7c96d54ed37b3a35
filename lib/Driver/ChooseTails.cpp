#include "ChooseTails.h"

#include "MeasurePlan.h"
#include "mfc/Memory/Planner.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mfc;

namespace {

/// What a set of kernels costs together.
struct Cost {
  double cycles = 0;
  uint64_t bytes = 0;
  unsigned spills = 0;

  void add(const LayerInfo &layer) {
    cycles += layer.modelledCycles.value_or(0);
    bytes += layer.codeBytes;
    spills += layer.spills + layer.reloads;
  }
};

/// The operations beside the anchor that are worth a question: a remap in front of it, and what is behind it but for a
/// clamp, which is a comparison or two in the requantization.
std::vector<const Operation *> askedOperations(const Kernel &kernel, bool heads) {
  std::vector<const Operation *> asked;
  bool behind = false;
  for (const Operation *op : kernel.ops) {
    bool plain = hasTrait(op->kind(), OpTrait::View) || op->kind() == OpKind::Clamp || op->kind() == OpKind::Transpose;
    bool head = op->kind() == OpKind::Transpose && op == kernel.ops.front() && op != kernel.anchor;
    if ((behind && !plain) || (head && heads))
      asked.push_back(op);
    behind |= op == kernel.anchor;
  }
  return asked;
}

class TailChooser {
public:
  TailChooser(const Graph &graph, const TargetInfo &target, const LoweringOptions &lowering,
              const MemoryOptions &memory)
      : graph(graph), target(target), lowering(lowering), memory(memory) {}

  llvm::Expected<SeparateTails> run(const Plan &plan, const TailLimits &limits,
                                    const std::function<Plan(const SeparateTails &)> &fuseWithout) {
    SeparateTails asked;
    for (const Kernel *kernel : plan.kernels())
      for (const Operation *op : askedOperations(*kernel, limits.heads))
        asked[op] = "";
    if (asked.empty())
      return asked;
    Plan apart = fuseWithout(asked);
    auto fusedInfo = measurePlan(graph, plan, target, lowering, memory);
    if (!fusedInfo)
      return fusedInfo.takeError();
    auto apartInfo = measurePlan(graph, apart, target, lowering, memory);
    if (!apartInfo)
      return apartInfo.takeError();
    SeparateTails separate = compare(plan, *fusedInfo, apart, *apartInfo, limits);
    auto grows = [&] { return !separate.empty() && arena(fuseWithout(separate)) > arena(plan); };
    if (grows()) // a remap's copy is a whole input more
      for (auto it = separate.begin(); it != separate.end();)
        it = it->first->kind() == OpKind::Transpose ? separate.erase(it) : std::next(it);
    return grows() ? SeparateTails() : separate;
  }

private:
  const Graph &graph;
  const TargetInfo &target;
  const LoweringOptions &lowering;
  const MemoryOptions &memory;

  uint64_t arena(const Plan &plan) const { return packedBytes(computeLifetimes(graph, plan, memory)); }

  static llvm::DenseMap<const Operation *, size_t> kernelsByOperation(const Plan &plan) {
    llvm::DenseMap<const Operation *, size_t> number;
    std::vector<const Kernel *> kernels = plan.kernels();
    for (size_t k = 0; k < kernels.size(); ++k)
      for (const Operation *op : kernels[k]->ops)
        number[op] = k;
    return number;
  }

  static SeparateTails compare(const Plan &plan, const ModelInfo &fusedInfo, const Plan &apart,
                               const ModelInfo &apartInfo, const TailLimits &limits) {
    SeparateTails separate;
    llvm::DenseMap<const Operation *, size_t> number = kernelsByOperation(apart);
    std::vector<const Kernel *> kernels = plan.kernels();
    for (size_t k = 0; k < kernels.size(); ++k) {
      std::vector<const Operation *> tails = askedOperations(*kernels[k], limits.heads);
      if (tails.empty())
        continue;
      Cost fused, parts;
      fused.add(fusedInfo.layers[k]);
      std::vector<size_t> counted;
      for (const Operation *op : kernels[k]->ops)
        if (auto it = number.find(op); it != number.end() && !llvm::is_contained(counted, it->second)) {
          counted.push_back(it->second);
          parts.add(apartInfo.layers[it->second]);
        }
      std::string reason = whyApart(fused, parts, limits);
      for (const Operation *op : tails)
        if (!reason.empty())
          separate[op] = reason;
    }
    return separate;
  }

  /// Empty: fused is right.
  static std::string whyApart(const Cost &fused, const Cost &parts, const TailLimits &limits) {
    std::string figures = llvm::formatv("fused {0:f0} modelled cycles, {1} B of code, {2} spills and reloads; apart {3:f0}, "
                                        "{4} B, {5}",
                                        fused.cycles, fused.bytes, fused.spills, parts.cycles, parts.bytes, parts.spills);
    if (fused.bytes > parts.bytes + limits.mostGrowth)
      return llvm::formatv("code grows by more than {0} B: {1}", limits.mostGrowth, figures);
    return parts.cycles < fused.cycles ? figures : "";
  }
};

} // namespace

llvm::Expected<SeparateTails> mfc::chooseTails(const Graph &graph, const Plan &plan, const TargetInfo &target,
                                               const LoweringOptions &lowering, const MemoryOptions &memory,
                                               const TailLimits &limits,
                                               const std::function<Plan(const SeparateTails &)> &fuseWithout) {
  return TailChooser(graph, target, lowering, memory).run(plan, limits, fuseWithout);
}
