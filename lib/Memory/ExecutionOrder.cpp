// Groups as tasks. A group runs as a whole: what its kernels leave for other groups are its results, what lives only
// inside it counts while it runs.
#include "mfc/Memory/ExecutionOrder.h"

#include "mfc/Memory/InPlace.h"
#include "mfc/Memory/OrderSearch.h"
#include "mfc/Memory/RowSchedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>
#include <optional>

using namespace mfc;

namespace {

class TaskBuilder {
public:
  TaskBuilder(const Graph &graph, const Plan &plan, const MemoryOptions &options)
      : graph(graph), plan(plan), options(options), memoryOf(plan) {}

  TaskGraph build() {
    for (const Value *input : graph.inputs())
      define(input, options.preserveInputs);
    result.tasks.resize(plan.groups.size());
    for (unsigned i = 0; i < plan.groups.size(); ++i)
      for (const Kernel &kernel : plan.groups[i].kernels)
        groupOf[kernel.output] = i;
    for (unsigned i = 0; i < plan.groups.size(); ++i)
      addGroup(i);
    for (const GraphOutput &output : graph.outputs())
      if (auto tensor = tensorOf(output.value))
        result.tensors[*tensor].kept = true;
    return std::move(result);
  }

private:
  const Graph &graph;
  const Plan &plan;
  const MemoryOptions &options;
  MemoryOf memoryOf;
  llvm::DenseMap<const Value *, unsigned> indexOf, groupOf; ///< by memory
  TaskGraph result;

  /// A value outside of the arenas still has an order to keep; it takes no bytes.
  unsigned define(const Value *value, bool kept = false) {
    const Placement *placement = plan.placementOf(value);
    bool planned = placement && placement->kind == PlacementKind::Arena;
    indexOf[value] = static_cast<unsigned>(result.tensors.size());
    result.tensors.push_back({planned ? value->type.bytes() : 0, kept, {}});
    return indexOf[value];
  }

  std::optional<unsigned> tensorOf(const Value *value) const {
    auto it = indexOf.find(memoryOf(value));
    return it == indexOf.end() ? std::nullopt : std::optional(it->second);
  }

  void addGroup(unsigned index);
  void addReads(unsigned index, const Kernel &kernel);
  void addShare(unsigned index, const Value *input, const Value *output, uint64_t distance);
  void addKernel(unsigned index, const Kernel &kernel);
  void addRows(unsigned index, const Group &group);
};

void TaskBuilder::addReads(unsigned index, const Kernel &kernel) {
  Task &task = result.tasks[index];
  for (const Value *input : kernel.inputs) {
    auto writer = groupOf.find(memoryOf(input));
    auto tensor = tensorOf(input);
    if (!tensor || (writer != groupOf.end() && writer->second == index) || llvm::is_contained(task.reads, *tensor))
      continue;
    task.reads.push_back(*tensor);
    result.tensors[*tensor].users.push_back(index);
  }
}

void TaskBuilder::addShare(unsigned index, const Value *input, const Value *output, uint64_t distance) {
  auto from = tensorOf(input), to = tensorOf(output);
  if (!from || !to || !options.inPlace)
    return;
  uint64_t a = result.tensors[*to].bytes, b = result.tensors[*from].bytes;
  uint64_t ahead = llvm::alignTo(distance, options.align);
  if (ahead < a)
    result.tasks[index].shares.push_back({*from, *to, std::min(a - ahead, b)});
}

void TaskBuilder::addKernel(unsigned index, const Kernel &kernel) {
  result.tasks[index].writes.push_back(define(kernel.output));
  result.tasks[index].extraBytes = kernel.scratchBytes;
  for (const Value *input : kernel.inputs)
    if (mayOverwrite(kernel, input))
      addShare(index, input, kernel.output, 0);
  for (const RowOverlap &overlap : wholeOverlaps(kernel))
    if (!mayOverwrite(kernel, overlap.input))
      addShare(index, overlap.input, overlap.output, overlap.distance);
}

/// Whole tensors are alive while the group runs, rings and scratch some of that time.
void TaskBuilder::addRows(unsigned index, const Group &group) {
  RowSchedule schedule = scheduleGroup(group, plan);
  uint64_t always = 0, atMost = 0;
  for (size_t k = 0; k < group.kernels.size(); ++k) {
    const Kernel &kernel = group.kernels[k];
    uint64_t now = 0;
    if (const RingUse *ring = schedule.ring(kernel.output)) {
      uint64_t bytes = ring->rows * (ring->value->type.bytes() / static_cast<uint64_t>(ring->value->type.dim(1)));
      (ring->passing ? now : always) += bytes;
    } else {
      result.tasks[index].writes.push_back(define(kernel.output));
    }
    (schedule.members[k].rows.accumulates ? always : now) += kernel.scratchBytes;
    atMost = std::max(atMost, now);
  }
  result.tasks[index].extraBytes = always + atMost;
  for (const RowOverlap &overlap : schedule.overlaps)
    addShare(index, overlap.input, overlap.output, overlap.distance);
}

void TaskBuilder::addGroup(unsigned index) {
  const Group &group = plan.groups[index];
  for (const Kernel &kernel : group.kernels)
    addReads(index, kernel);
  if (group.kernels.size() == 1)
    addKernel(index, group.kernels[0]);
  else
    addRows(index, group);
}

void remarkOn(const Graph &graph, const OrderResult &result, RemarkList *remarks) {
  if (!remarks)
    return;
  bool moved = result.after < result.before;
  Remark remark;
  remark.kind = moved ? RemarkKind::Passed : RemarkKind::Analysis;
  remark.pass = "order";
  remark.name = moved ? "reordered" : "model-order";
  remark.subject = graph.name;
  remark.message = moved ? "peak of live bytes " + std::to_string(result.after) + " B, " +
                               std::to_string(result.before) + " B in the model's order"
                         : "kept the model's order, peak of live bytes " + std::to_string(result.before) + " B";
  remark.message += result.exact ? "; no order needs less" : "; too many orders to try all";
  remark.args = {{"peak_bytes", std::to_string(result.after)},
                 {"model_order_peak_bytes", std::to_string(result.before)},
                 {"exact", result.exact ? "true" : "false"}};
  remarks->push_back(std::move(remark));
}

} // namespace

OrderResult mfc::orderGroups(const Graph &graph, Plan &plan, const MemoryOptions &options, RemarkList *remarks,
                             const OrderEffort &effort) {
  TaskGraph tasks = TaskBuilder(graph, plan, options).build();
  TaskOrder given(tasks.tasks.size());
  std::iota(given.begin(), given.end(), 0u);
  // Reaching a state costs a look at every task, and a chain has a state for each.
  size_t count = given.size();
  size_t states = effort.states == 0 ? 0 : count + std::min<size_t>(effort.states, 4'000'000 / (count + 1));
  size_t beam = std::clamp<size_t>(200'000'000 / (count * count + 1), 1, effort.beam);
  OrderSearchResult found = searchOrder(tasks, states, beam);
  OrderResult result{peakBytes(tasks, given), peakBytes(tasks, found.order), found.exact};
  std::vector<Group> groups;
  for (unsigned index : found.order)
    groups.push_back(std::move(plan.groups[index]));
  plan.groups = std::move(groups);
  remarkOn(graph, result, remarks);
  return result;
}
