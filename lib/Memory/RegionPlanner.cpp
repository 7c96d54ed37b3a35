// Greedy over buffers: the order and the prices decide, and whether everything given to a region still fits is asked of the
// offset assignment itself, so that sharing over time and over operands counts.
#include "mfc/Memory/RegionPlanner.h"

#include "WritePlan.h"
#include "mfc/Memory/OverlapAssignment.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace mfc;

namespace {

/// A region with the buffers given to it.
class Pool {
public:
  Pool(const MemoryRegion &region, const Lifetimes &lifetimes) : region(region), lifetimes(lifetimes) {}

  const MemoryRegion &region;
  std::vector<size_t> members; ///< indices of buffers, rising: the order that the offset assignment expects

  void add(size_t buffer) { members.insert(llvm::upper_bound(members, buffer), buffer); }

  bool holds(size_t buffer) const {
    Pool with = *this;
    with.add(buffer);
    return with.assign({region.capacity, 0}).total <= region.capacity;
  }

  Assignment assign(const AssignmentEffort &effort) const {
    return assignOverlapping(blocks(), overlaps(), effort);
  }
  uint64_t lowerBound() const { return overlappingLowerBound(blocks(), overlaps()); }

private:
  const Lifetimes &lifetimes;

  std::vector<Block> blocks() const {
    std::vector<Block> result;
    for (size_t index : members) {
      const Buffer &buffer = lifetimes.buffers[index];
      result.push_back({buffer.bytes, buffer.align, buffer.first, buffer.last});
    }
    return result;
  }

  /// Those between two members.
  std::vector<AllowedOverlap> overlaps() const {
    llvm::DenseMap<size_t, size_t> position;
    for (size_t i = 0; i < members.size(); ++i)
      position[members[i]] = i;
    std::vector<AllowedOverlap> result;
    for (const BufferOverlap &overlap : lifetimes.overlaps) {
      auto over = position.find(overlap.output), under = position.find(overlap.input);
      if (over != position.end() && under != position.end())
        result.push_back({over->second, under->second, static_cast<int64_t>(overlap.distance)});
    }
    return result;
  }
};

class RegionPlanner {
public:
  RegionPlanner(const Graph &graph, Plan &plan, const MemoryOptions &options,
                const std::vector<MemoryRegion> &regions, RemarkList *remarks)
      : graph(graph), plan(plan), options(options), lifetimes(computeLifetimes(graph, plan, options)),
        remarks(remarks) {
    for (const MemoryRegion &region : regions)
      pools.emplace_back(region, lifetimes);
    byPrice.resize(pools.size());
    std::iota(byPrice.begin(), byPrice.end(), 0u);
    llvm::stable_sort(byPrice, [&](unsigned a, unsigned b) {
      return regions[a].cyclesPerAccess < regions[b].cyclesPerAccess;
    });
  }

  void run() {
    for (size_t buffer : byHeat())
      give(buffer);
    plan.regions.assign(pools.size(), {});
    std::vector<BufferPlace> places(lifetimes.buffers.size());
    for (unsigned i = 0; i < pools.size(); ++i)
      assign(i, places);
    writePlacements(graph, plan, lifetimes.buffers, places);
  }

private:
  const Graph &graph;
  Plan &plan;
  const MemoryOptions &options;
  Lifetimes lifetimes;
  RemarkList *remarks;
  std::vector<Pool> pools;       ///< one a region, in the same order
  std::vector<unsigned> byPrice; ///< indices of regions

  std::vector<double> accesses() const;
  std::vector<size_t> byHeat() const;
  void give(size_t buffer);
  void assign(unsigned index, std::vector<BufferPlace> &places);
  void report(const Remark &remark) {
    if (remarks)
      remarks->push_back(remark);
  }
};

std::string nameOf(const Buffer &buffer) {
  if (!buffer.value)
    return "scratch of " + buffer.kernel->name;
  return buffer.value->name.empty() ? "a result of " + buffer.value->producer()->info().name.str()
                                    : "'" + buffer.value->name + "'";
}

/// By buffer: bytes stored and loaded in an invoke, a tensor once by each kernel that has to do with it. Scratch is refilled
/// for every pixel or row; four times stands for that.
std::vector<double> RegionPlanner::accesses() const {
  llvm::DenseMap<const Value *, size_t> indexOf;
  std::vector<double> count(lifetimes.buffers.size());
  for (size_t i = 0; i < lifetimes.buffers.size(); ++i) {
    const Buffer &buffer = lifetimes.buffers[i];
    count[i] = static_cast<double>(buffer.bytes) * (buffer.value ? 1 : 4);
    if (buffer.value)
      indexOf[buffer.value] = i;
  }
  MemoryOf memoryOf(plan);
  for (const Kernel *kernel : plan.kernels())
    for (const Value *input : kernel->inputs)
      if (auto it = indexOf.find(memoryOf(input)); it != indexOf.end())
        count[it->second] += static_cast<double>(input->type.bytes());
  return count;
}

/// Accesses a byte, falling; of equal ones the small first.
std::vector<size_t> RegionPlanner::byHeat() const {
  std::vector<double> count = accesses();
  std::vector<size_t> order(lifetimes.buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  auto heat = [&](size_t i) {
    return lifetimes.buffers[i].bytes == 0 ? 0 : count[i] / static_cast<double>(lifetimes.buffers[i].bytes);
  };
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return std::pair(-heat(a), lifetimes.buffers[a].bytes) < std::pair(-heat(b), lifetimes.buffers[b].bytes);
  });
  return order;
}

void RegionPlanner::give(size_t index) {
  for (unsigned pool : byPrice)
    if (pools[pool].holds(index)) {
      pools[pool].add(index);
      return;
    }
  auto roomiest = *std::max_element(byPrice.begin(), byPrice.end(), [&](unsigned a, unsigned b) {
    return pools[a].region.capacity < pools[b].region.capacity;
  });
  pools[roomiest].add(index);
  const Buffer &buffer = lifetimes.buffers[index];
  Remark remark;
  remark.kind = RemarkKind::Missed;
  remark.pass = "memory";
  remark.name = "does-not-fit";
  remark.subject = graph.name;
  remark.message = nameOf(buffer) + " (" + std::to_string(buffer.bytes) + " B) fits into no region beside what is alive " +
                   "with it; --optimize-for=sram, a smaller input, or a larger " + pools[roomiest].region.name +
                   " would help";
  remark.args = {{"buffer", nameOf(buffer)}, {"bytes", std::to_string(buffer.bytes)}};
  report(remark);
}

void RegionPlanner::assign(unsigned index, std::vector<BufferPlace> &places) {
  const Pool &pool = pools[index];
  Assignment assignment = pool.assign({});
  Region &region = plan.regions[index];
  region.name = pool.region.name;
  region.capacity = pool.region.capacity;
  region.bytes = assignment.total;
  region.lowerBound = pool.lowerBound();
  region.align = std::max(region.align, options.align);
  for (size_t i = 0; i < pool.members.size(); ++i) {
    places[pool.members[i]] = {index, assignment.offsets[i]};
    region.align = std::max(region.align, lifetimes.buffers[pool.members[i]].align);
  }
  Remark remark;
  remark.kind = RemarkKind::Analysis;
  remark.pass = "memory";
  remark.name = "region";
  remark.subject = graph.name;
  remark.message = region.name + ": " + std::to_string(region.bytes) + " of " + std::to_string(region.capacity) +
                   " B for " + std::to_string(pool.members.size()) + " buffers; lower bound " +
                   std::to_string(region.lowerBound) + " B";
  remark.args = {{"region", region.name},
                 {"bytes", std::to_string(region.bytes)},
                 {"capacity_bytes", std::to_string(region.capacity)},
                 {"lower_bound_bytes", std::to_string(region.lowerBound)},
                 {"proved_bound_bytes", std::to_string(assignment.bound)}};
  report(remark);
}

} // namespace

void mfc::planRegions(const Graph &graph, Plan &plan, const MemoryOptions &options,
                      const std::vector<MemoryRegion> &regions, RemarkList *remarks) {
  RegionPlanner(graph, plan, options, regions, remarks).run();
}
