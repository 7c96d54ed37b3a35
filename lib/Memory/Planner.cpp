// Lets results lie over operands where that saves memory, and assigns offsets.
#include "mfc/Memory/Planner.h"

#include "WritePlan.h"
#include "mfc/Memory/OverlapAssignment.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;

namespace {

/// The planning problem without the graph.
struct Problem {
  std::vector<Block> blocks;
  std::vector<AllowedOverlap> overlaps;

  explicit Problem(const Lifetimes &lifetimes) {
    for (const Buffer &buffer : lifetimes.buffers)
      blocks.push_back({buffer.bytes, buffer.align, buffer.first, buffer.last});
    for (const BufferOverlap &overlap : lifetimes.overlaps)
      overlaps.push_back({overlap.output, overlap.input, static_cast<int64_t>(overlap.distance), overlap.samePlace});
  }
};

/// Results that share bytes with an operand.
size_t sharing(const Problem &problem, const Assignment &assignment) {
  auto touches = [&](const AllowedOverlap &overlap) {
    const Block &over = problem.blocks[overlap.over], &under = problem.blocks[overlap.under];
    uint64_t a = assignment.offsets[overlap.over], b = assignment.offsets[overlap.under];
    return over.overlaps(under) && a < b + under.bytes && b < a + over.bytes;
  };
  return static_cast<size_t>(llvm::count_if(problem.overlaps, touches));
}

/// What the gap means: nothing where there is none.
std::string proofText(const Region &region, uint64_t provedBound) {
  if (region.bytes == region.lowerBound)
    return "";
  if (provedBound >= region.bytes)
    return ", proved: no offsets need less";
  return ", proved: no offsets need less than " + std::to_string(provedBound) + " B";
}

void remarkOn(const Graph &graph, const Region &region, size_t buffers, size_t shared, uint64_t provedBound,
              RemarkList *remarks) {
  if (!remarks)
    return;
  uint64_t gap = region.bytes - region.lowerBound;
  Remark remark;
  remark.kind = RemarkKind::Analysis;
  remark.pass = "memory";
  remark.name = "arena";
  remark.subject = graph.name;
  remark.message = std::to_string(region.bytes) + " B for " + std::to_string(buffers) + " buffers, " +
                   std::to_string(shared) + " of them over an operand; lower bound " +
                   std::to_string(region.lowerBound) + " B, gap " + std::to_string(gap) + " B" +
                   proofText(region, provedBound);
  remark.args = {{"arena_bytes", std::to_string(region.bytes)},
                 {"arena_lower_bound_bytes", std::to_string(region.lowerBound)},
                 {"arena_proved_bound_bytes", std::to_string(provedBound)},
                 {"buffers", std::to_string(buffers)},
                 {"in_place", std::to_string(shared)}};
  remarks->push_back(std::move(remark));
}

} // namespace

uint64_t mfc::packedBytes(const Lifetimes &lifetimes) {
  Problem problem(lifetimes);
  return assignOverlapping(problem.blocks, problem.overlaps, {.nodes = 0}).total;
}

void mfc::planMemory(const Graph &graph, Plan &plan, const MemoryOptions &options, RemarkList *remarks) {
  Lifetimes lifetimes = computeLifetimes(graph, plan, options);
  Problem problem(lifetimes);
  Assignment assignment = assignOverlapping(problem.blocks, problem.overlaps);
  if (plan.regions.empty())
    plan.regions.emplace_back();
  Region &region = plan.regions[0];
  region.lowerBound = overlappingLowerBound(problem.blocks, problem.overlaps);
  region.align = std::max(region.align, options.align);
  region.bytes = assignment.total;
  for (const Block &block : problem.blocks)
    region.align = std::max(region.align, block.align);
  std::vector<BufferPlace> places;
  for (uint64_t offset : assignment.offsets)
    places.push_back({0, offset});
  writePlacements(graph, plan, lifetimes.buffers, places);
  remarkOn(graph, region, lifetimes.buffers.size(), sharing(problem, assignment), assignment.bound, remarks);
}
