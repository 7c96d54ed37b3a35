// Puts the groups of a plan into the order that needs the least memory at its peak.
#ifndef MFC_MEMORY_EXECUTIONORDER_H
#define MFC_MEMORY_EXECUTIONORDER_H

#include "mfc/Memory/Lifetime.h"
#include "mfc/Support/Remark.h"

namespace mfc {

struct OrderEffort {
  size_t states = 50'000; ///< sets of executed groups that the exact search may look at; fewer for long graphs
  size_t beam = 64;       ///< kept per step by the heuristic behind it
};

struct OrderResult {
  uint64_t before = 0; ///< largest sum of live bytes at one step, in the order that was there
  uint64_t after = 0;  ///< in the order that is there now
  bool exact = false;  ///< proved: no order has a smaller peak
};

/// Permutes plan.groups. Needs placement kinds and scratch sizes; sets no offsets. The order stays as it is unless
/// another one has a smaller peak. One remark of pass "order" has both.
OrderResult orderGroups(const Graph &graph, Plan &plan, const MemoryOptions &options, RemarkList *remarks = nullptr,
                        const OrderEffort &effort = {});

} // namespace mfc
#endif
