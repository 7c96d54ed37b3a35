// Lifetimes from the kernels' input and output lists.
#include "mfc/Memory/Lifetime.h"

#include "llvm/ADT/DenseMap.h"
#include <algorithm>

using namespace mfc;

MemoryOf::MemoryOf(const Plan &plan) {
  for (const Kernel *kernel : plan.kernels())
    stored.insert(kernel->output);
}

const Value *MemoryOf::operator()(const Value *value) const {
  while (!stored.contains(value) && value->producer() && hasTrait(value->producer()->kind(), OpTrait::View))
    value = value->producer()->operand(0);
  return value;
}

namespace {

class LifetimeBuilder {
public:
  LifetimeBuilder(const Graph &graph, const Plan &plan, const MemoryOptions &options)
      : graph(graph), plan(plan), options(options), kernels(plan.kernels()), memoryOf(plan) {}

  Lifetimes build() {
    unsigned end = static_cast<unsigned>(kernels.size()) + 1;
    result.steps = end + 1;
    for (const Value *input : graph.inputs())
      define(input, 0);
    for (unsigned k = 0; k < kernels.size(); ++k) {
      for (const Value *input : kernels[k]->inputs)
        keepUntil(input, k + 1);
      define(kernels[k]->output, k + 1);
      if (kernels[k]->scratchBytes != 0)
        result.buffers.push_back({nullptr, kernels[k], kernels[k]->scratchBytes,
                                  std::max(kernels[k]->scratchAlign, options.align), k + 1, k + 1});
    }
    for (const GraphOutput &output : graph.outputs())
      keepUntil(output.value, end);
    for (const Value *input : graph.inputs())
      if (options.preserveInputs)
        keepUntil(input, end);
    return std::move(result);
  }

private:
  const Graph &graph;
  const Plan &plan;
  const MemoryOptions &options;
  std::vector<const Kernel *> kernels;
  MemoryOf memoryOf;
  llvm::DenseMap<const Value *, size_t> indexOf;
  Lifetimes result;

  void define(const Value *value, unsigned step) {
    const Placement *placement = plan.placementOf(value);
    if (!placement || placement->kind != PlacementKind::Arena)
      return;
    indexOf[value] = result.buffers.size();
    result.buffers.push_back({value, nullptr, value->type.bytes(), options.align, step, step});
  }

  void keepUntil(const Value *value, unsigned step) {
    auto it = indexOf.find(memoryOf(value));
    if (it != indexOf.end())
      result.buffers[it->second].last = std::max(result.buffers[it->second].last, step);
  }
};

} // namespace

Lifetimes mfc::computeLifetimes(const Graph &graph, const Plan &plan, const MemoryOptions &options) {
  return LifetimeBuilder(graph, plan, options).build();
}
