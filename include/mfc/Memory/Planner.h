// From lifetimes to offsets in the arena.
#ifndef MFC_MEMORY_PLANNER_H
#define MFC_MEMORY_PLANNER_H

#include "mfc/Memory/Lifetime.h"
#include "mfc/Support/Remark.h"

namespace mfc {

/// Sets the offsets of all arena placements (views get the place of their source), plan.scratch, and bytes and lower
/// bound of plan.regions[0], which is created if there is none (name, capacity and a larger alignment are kept).
/// Writing in place counts in the lower bound. One Analysis remark of pass "memory" has the totals.
void planMemory(const Graph &graph, Plan &plan, const MemoryOptions &options, RemarkList *remarks = nullptr);

/// Bytes that planMemory() would need for these, or a few more: for comparing, without the exact search.
uint64_t packedBytes(const Lifetimes &lifetimes);

} // namespace mfc
#endif
