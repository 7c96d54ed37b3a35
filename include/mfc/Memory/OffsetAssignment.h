// Static allocation in the abstract: blocks with lifetimes get offsets so that blocks alive together do not overlap.
// Knows nothing of graphs; tested on recorded lifetimes.
#ifndef MFC_MEMORY_OFFSETASSIGNMENT_H
#define MFC_MEMORY_OFFSETASSIGNMENT_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace mfc {

struct Block {
  uint64_t bytes = 0;
  uint64_t align = 1; ///< of the offset, a power of two
  unsigned first = 0; ///< first step alive
  unsigned last = 0;  ///< last step alive
  bool overlaps(const Block &other) const { return first <= other.last && other.first <= last; }
};

struct Assignment {
  std::vector<uint64_t> offsets; ///< one a block
  uint64_t total = 0;            ///< end of the highest block
  uint64_t bound = 0;            ///< proved: no assignment of these blocks has a smaller total
  bool isOptimal() const { return total == bound; }
};

struct AssignmentEffort {
  uint64_t goal = 0;          ///< a total that is small enough, e.g. the capacity; 0: as small as possible
  uint64_t nodes = UINT64_MAX; ///< of the exact search; UINT64_MAX: 20,000 to 200,000 by the number of blocks
};

/// Best fit and first fit over several orders (by size, lifetime, area, start), a bounded number of repairs of the best
/// ones, and then branch and bound below what they found. The effort is counted in nodes of the search and never in
/// time, so that the same blocks get the same offsets on every machine.
Assignment assignOffsets(llvm::ArrayRef<Block> blocks, const AssignmentEffort &effort = {});

/// Largest sum of the bytes alive at one step: no assignment can be smaller.
uint64_t liveLowerBound(llvm::ArrayRef<Block> blocks);

} // namespace mfc
#endif
