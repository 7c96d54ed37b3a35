// Lifetimes from the kernels' input and output lists.
#include "mfc/Memory/Lifetime.h"

#include "mfc/Memory/InPlace.h"
#include "mfc/Memory/RowSchedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
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
      : graph(graph), plan(plan), options(options), memoryOf(plan) {}

  Lifetimes build() {
    unsigned end = static_cast<unsigned>(plan.kernels().size()) + 1;
    result.steps = end + 1;
    for (const Value *input : graph.inputs())
      define(input, 0);
    unsigned step = 1;
    for (const Group &group : plan.groups) {
      group.kernels.size() == 1 ? addKernel(group.kernels[0], step) : addGroup(group, step);
      step += static_cast<unsigned>(group.kernels.size());
    }
    for (const GraphOutput &output : graph.outputs())
      keepUntil(output.value, end);
    for (const Value *input : graph.inputs())
      if (options.preserveInputs)
        keepUntil(input, end);
    llvm::erase_if(result.overlaps, [&](const BufferOverlap &overlap) { return !isFree(overlap); });
    return std::move(result);
  }

private:
  const Graph &graph;
  const Plan &plan;
  const MemoryOptions &options;
  MemoryOf memoryOf;
  llvm::DenseMap<const Value *, size_t> indexOf;
  Lifetimes result;

  void addKernel(const Kernel &kernel, unsigned step) {
    for (const Value *input : kernel.inputs)
      keepUntil(input, step);
    define(kernel.output, step);
    addScratch(kernel, step, step);
    if (!options.inPlace)
      return;
    std::vector<RowOverlap> byRows = wholeOverlaps(kernel);
    for (const Value *input : kernel.inputs) {
      auto it = llvm::find_if(byRows, [&](const RowOverlap &overlap) { return overlap.input == input; });
      bool samePlace = mayOverwrite(kernel, input);
      if (samePlace && storesInOrder(kernel))
        addOverlap(input, kernel.output, 0, samePlace);
      else if (samePlace || it != byRows.end())
        addOverlap(input, kernel.output, it != byRows.end() ? it->distance : kernel.output->type.bytes(), samePlace);
    }
  }

  void addGroup(const Group &group, unsigned first) {
    unsigned last = first + static_cast<unsigned>(group.kernels.size()) - 1;
    RowSchedule schedule = scheduleGroup(group, plan);
    for (size_t k = 0; k < group.kernels.size(); ++k) {
      const Kernel &kernel = group.kernels[k];
      unsigned step = first + static_cast<unsigned>(k);
      const RingUse *ring = schedule.ring(kernel.output);
      for (const Value *input : kernel.inputs) {
        const RingUse *source = schedule.ring(input);
        keepUntil(input, source && source->passing ? step : last);
      }
      if (ring)
        addRing(*ring, ring->passing ? step : first, ring->passing ? step : last);
      else
        define(kernel.output, first);
      bool keeps = schedule.members[k].rows.accumulates;
      addScratch(kernel, keeps ? first : step, keeps ? last : step);
    }
    if (options.inPlace)
      for (const RowOverlap &overlap : schedule.overlaps)
        addOverlap(overlap.input, overlap.output, overlap.distance, false);
  }

  void define(const Value *value, unsigned step) {
    const Placement *placement = plan.placementOf(value);
    if (!placement || placement->kind != PlacementKind::Arena)
      return;
    indexOf[value] = result.buffers.size();
    result.buffers.push_back({value, nullptr, value->type.bytes(), options.align, step, step});
  }

  void addRing(const RingUse &ring, unsigned first, unsigned last) {
    indexOf[ring.value] = result.buffers.size();
    uint64_t rowBytes = ring.value->type.bytes() / static_cast<uint64_t>(ring.value->type.dim(1));
    result.buffers.push_back({ring.value, nullptr, ring.rows * rowBytes, options.align, first, last});
  }

  void addScratch(const Kernel &kernel, unsigned first, unsigned last) {
    if (kernel.scratchBytes != 0)
      result.buffers.push_back({nullptr, &kernel, kernel.scratchBytes, std::max(kernel.scratchAlign, options.align),
                                first, last});
  }

  void keepUntil(const Value *value, unsigned step) {
    auto it = indexOf.find(memoryOf(value));
    if (it != indexOf.end())
      result.buffers[it->second].last = std::max(result.buffers[it->second].last, step);
  }

  void addOverlap(const Value *input, const Value *output, uint64_t distance, bool samePlace) {
    auto from = indexOf.find(memoryOf(input)), to = indexOf.find(output);
    if (from == indexOf.end() || to == indexOf.end())
      return;
    uint64_t aligned = (distance + options.align - 1) / options.align * options.align;
    result.overlaps.push_back({from->second, to->second, aligned, samePlace});
  }

  /// The operand is not needed behind the kernels that write the result. Then it ends where they end.
  bool isFree(const BufferOverlap &overlap) const {
    const Buffer &input = result.buffers[overlap.input], &output = result.buffers[overlap.output];
    unsigned step = 1;
    for (const Group &group : plan.groups) {
      auto count = static_cast<unsigned>(group.kernels.size());
      if (output.first >= step && output.first < step + count)
        return input.last < step + count;
      step += count;
    }
    return false;
  }
};

} // namespace

Lifetimes mfc::computeLifetimes(const Graph &graph, const Plan &plan, const MemoryOptions &options) {
  return LifetimeBuilder(graph, plan, options).build();
}
