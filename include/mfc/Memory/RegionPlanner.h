// Places tensors and scratch in several memories of a board: hot and small ones where an access costs least.
#ifndef MFC_MEMORY_REGIONPLANNER_H
#define MFC_MEMORY_REGIONPLANNER_H

#include "mfc/Memory/Lifetime.h"
#include "mfc/Support/Remark.h"

namespace mfc {

/// A memory that may hold an arena.
struct MemoryRegion {
  std::string name;       ///< linker name: section .bss.mfc.X.<name>, alias MFC_<name>
  uint64_t capacity = 0;  ///< bytes that the model may take
  double cyclesPerAccess = 0; ///< above the fastest memory of the board: the price of one access
};

/// What planMemory() does, over several regions: sets plan.regions (in the given order, the unused ones without bytes),
/// all arena and ring placements, and plan.scratch. Buffers are placed by falling accesses a byte, each in the cheapest
/// region that still holds everything given to it. What fits nowhere goes into the region with the most room left, which is
/// then larger than its capacity: verifyPlan() refuses that. One Analysis remark of pass "memory" a region has its totals, one
/// Missed remark a buffer that did not fit.
void planRegions(const Graph &graph, Plan &plan, const MemoryOptions &options, const std::vector<MemoryRegion> &regions,
                 RemarkList *remarks = nullptr);

} // namespace mfc
#endif
