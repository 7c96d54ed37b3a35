#include "mfc/Fusion/RowGroups.h"

#include "mfc/Memory/Lifetime.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mfc;

namespace {

/// Results of the range that something outside of it reads, or that leave the model.
std::vector<const Value *> keptResults(const Graph &graph, llvm::ArrayRef<const Kernel *> kernels, KernelRange range,
                                       const MemoryOf &memoryOf) {
  llvm::DenseSet<const Value *> readOutside;
  for (size_t k = 0; k < kernels.size(); ++k)
    if (k < range.first || k >= range.end)
      for (const Value *input : kernels[k]->inputs)
        readOutside.insert(memoryOf(input));
  for (const GraphOutput &output : graph.outputs())
    readOutside.insert(memoryOf(output.value));
  std::vector<const Value *> kept;
  for (size_t k = range.first; k < range.end; ++k)
    if (readOutside.contains(kernels[k]->output))
      kept.push_back(kernels[k]->output);
  return kept;
}

/// A kernel that reads another one's result through a view counts elements otherwise than by its rows.
bool readsThroughView(llvm::ArrayRef<const Kernel *> kernels, KernelRange range, const MemoryOf &memoryOf,
                      std::string &why) {
  llvm::DenseSet<const Value *> written;
  for (size_t k = range.first; k < range.end; ++k) {
    for (const Value *input : kernels[k]->inputs)
      if (memoryOf(input) != input && written.contains(memoryOf(input))) {
        why = kernels[k]->name + " reads a result of the group in another shape";
        return true;
      }
    written.insert(kernels[k]->output);
  }
  return false;
}

} // namespace

std::optional<RowSchedule> mfc::scheduleRange(const Graph &graph, const Plan &plan, KernelRange range,
                                              std::string &why) {
  std::vector<const Kernel *> kernels = plan.kernels();
  MemoryOf memoryOf(plan);
  if (readsThroughView(kernels, range, memoryOf, why))
    return std::nullopt;
  std::vector<Kernel> members;
  for (size_t k = range.first; k < range.end; ++k)
    members.push_back(*kernels[k]);
  return scheduleRows(members, keptResults(graph, kernels, range, memoryOf), why);
}

Plan mfc::withGroups(const Graph &graph, const Plan &plan, llvm::ArrayRef<Kernel> members,
                     llvm::ArrayRef<KernelRange> ranges) {
  Plan result = plan;
  result.groups.clear();
  result.scratch.clear();
  std::vector<const Kernel *> kernels = plan.kernels();
  for (size_t k = 0; k < kernels.size();) {
    auto it = llvm::find_if(ranges, [&](const KernelRange &range) { return range.first == k; });
    if (it == ranges.end() || it->size() < 2) {
      result.groups.push_back({{*kernels[k++]}});
      continue;
    }
    std::string why;
    std::optional<RowSchedule> schedule = scheduleRange(graph, plan, *it, why);
    assert(schedule && "the range was asked for one before");
    Group group;
    for (; k < it->end; ++k)
      group.kernels.push_back(members[k]);
    for (const RingUse &ring : schedule->rings) {
      Placement place = result.placements[ring.value];
      place.kind = PlacementKind::Ring;
      place.rows = ring.rows;
      place.bytes = ring.value->type.bytes() / static_cast<uint64_t>(ring.value->type.dim(1)) * ring.rows;
      result.placements[ring.value] = place;
    }
    result.groups.push_back(std::move(group));
  }
  return result;
}

std::vector<KernelRange> mfc::longestRanges(const Graph &graph, const Plan &plan) {
  std::vector<KernelRange> ranges;
  size_t count = plan.kernels().size();
  std::string why;
  for (size_t first = 0; first < count;) {
    size_t end = first + 1;
    for (size_t next = first + 2; next <= count; ++next)
      if (scheduleRange(graph, plan, {first, next}, why))
        end = next;
    if (end > first + 1)
      ranges.push_back({first, end});
    first = end;
  }
  return ranges;
}
