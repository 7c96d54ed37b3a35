// Merges buffers that may be one piece of memory (in-place kernels), assigns offsets, and writes them into the plan.
#include "mfc/Memory/Planner.h"

#include "mfc/Memory/InPlace.h"
#include "mfc/Memory/OffsetAssignment.h"

#include "llvm/ADT/DenseMap.h"
#include <algorithm>

using namespace mfc;

namespace {

/// Buffers and, for each, the block of memory that it is in. Blocks are named by index.
struct Merged {
  std::vector<Block> blocks;
  std::vector<size_t> blockOf; ///< by buffer
};

Merged withoutMerging(llvm::ArrayRef<Buffer> buffers) {
  Merged merged;
  for (const Buffer &buffer : buffers) {
    merged.blockOf.push_back(merged.blocks.size());
    merged.blocks.push_back({buffer.bytes, buffer.align, buffer.first, buffer.last});
  }
  return merged;
}

/// The operand that the kernel at this step writes over: the first that may be and that nobody needs later.
std::optional<size_t> overwrittenBuffer(const Kernel &kernel, unsigned step, const MemoryOf &memoryOf,
                                        llvm::ArrayRef<Buffer> buffers,
                                        const llvm::DenseMap<const Value *, size_t> &bufferOf) {
  for (const Value *input : kernel.inputs) {
    auto it = bufferOf.find(memoryOf(input));
    if (it != bufferOf.end() && buffers[it->second].last == step && mayOverwrite(kernel, input))
      return it->second;
  }
  return std::nullopt;
}

Merged mergeInPlace(const Plan &plan, llvm::ArrayRef<Buffer> buffers) {
  Merged merged;
  llvm::DenseMap<const Value *, size_t> bufferOf;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].value)
      bufferOf[buffers[i].value] = i;
  llvm::DenseMap<size_t, size_t> over; // buffer -> the buffer that it is written over
  std::vector<const Kernel *> kernels = plan.kernels();
  MemoryOf memoryOf(plan);
  for (unsigned k = 0; k < kernels.size(); ++k) {
    auto output = bufferOf.find(kernels[k]->output);
    if (output == bufferOf.end())
      continue;
    if (auto input = overwrittenBuffer(*kernels[k], k + 1, memoryOf, buffers, bufferOf))
      over[output->second] = *input;
  }
  // Operands stand before results, so their block is known.
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto it = over.find(i);
    if (it == over.end()) {
      merged.blockOf.push_back(merged.blocks.size());
      merged.blocks.push_back({buffers[i].bytes, buffers[i].align, buffers[i].first, buffers[i].last});
      continue;
    }
    size_t block = merged.blockOf[it->second];
    merged.blockOf.push_back(block);
    merged.blocks[block].last = buffers[i].last;
  }
  return merged;
}

void writePlan(const Graph &graph, Plan &plan, llvm::ArrayRef<Buffer> buffers, const Merged &merged,
               const Assignment &assignment) {
  plan.scratch.clear();
  for (size_t i = 0; i < buffers.size(); ++i) {
    Placement placement;
    placement.offset = assignment.offsets[merged.blockOf[i]];
    placement.bytes = buffers[i].bytes;
    if (buffers[i].value)
      plan.placements[buffers[i].value] = placement;
    else
      plan.scratch[buffers[i].kernel->anchor] = placement;
  }
  MemoryOf memoryOf(plan);
  for (const Operation *op : graph.ops()) // in order, so that views of views work
    for (const Value *result : op->results()) {
      const Value *memory = memoryOf(result);
      const Placement *source = plan.placementOf(memory);
      const Placement *own = plan.placementOf(result);
      bool inRegister = own && own->kind == PlacementKind::Register;
      if (memory != result && source && !inRegister)
        plan.placements[result] = *source;
    }
}

/// What the gap means: nothing where there is none.
std::string proofText(const Region &region, uint64_t provedBound) {
  if (region.bytes == region.lowerBound)
    return "";
  if (provedBound >= region.bytes)
    return ", proved: no offsets need less";
  return ", proved: no offsets need less than " + std::to_string(provedBound) + " B";
}

void remarkOn(const Graph &graph, const Region &region, size_t buffers, size_t blocks, uint64_t provedBound,
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
                   std::to_string(buffers - blocks) + " of them in place; lower bound " +
                   std::to_string(region.lowerBound) + " B, gap " + std::to_string(gap) + " B" +
                   proofText(region, provedBound);
  remark.args = {{"arena_bytes", std::to_string(region.bytes)},
                 {"arena_lower_bound_bytes", std::to_string(region.lowerBound)},
                 {"arena_proved_bound_bytes", std::to_string(provedBound)},
                 {"buffers", std::to_string(buffers)},
                 {"in_place", std::to_string(buffers - blocks)}};
  remarks->push_back(std::move(remark));
}

} // namespace

void mfc::planMemory(const Graph &graph, Plan &plan, const MemoryOptions &options, RemarkList *remarks) {
  Lifetimes lifetimes = computeLifetimes(graph, plan, options);
  Merged merged = options.inPlace ? mergeInPlace(plan, lifetimes.buffers) : withoutMerging(lifetimes.buffers);
  Assignment assignment = assignOffsets(merged.blocks);
  if (plan.regions.empty())
    plan.regions.emplace_back();
  Region &region = plan.regions[0];
  region.lowerBound = liveLowerBound(merged.blocks);
  region.align = std::max(region.align, options.align);
  // A result that stays where its operand was can be in the way; then separate places may be better.
  if (options.inPlace && assignment.total > region.lowerBound) {
    Merged separate = withoutMerging(lifetimes.buffers);
    Assignment other = assignOffsets(separate.blocks);
    if (other.total < assignment.total) {
      merged = std::move(separate);
      assignment = std::move(other);
    }
  }
  region.bytes = assignment.total;
  for (const Block &block : merged.blocks)
    region.align = std::max(region.align, block.align);
  writePlan(graph, plan, lifetimes.buffers, merged, assignment);
  remarkOn(graph, region, lifetimes.buffers.size(), merged.blocks.size(), assignment.bound, remarks);
}
