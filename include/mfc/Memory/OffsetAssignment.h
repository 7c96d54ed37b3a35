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
};

/// Best fit and first fit over several orders (by size, lifetime, area, start), then a bounded number of repairs
/// of the best ones: a block that reaches the top is placed earlier. Deterministic; stops where alignment allows
/// nothing better.
Assignment assignOffsets(llvm::ArrayRef<Block> blocks);

/// Largest sum of the bytes alive at one step: no assignment can be smaller.
uint64_t liveLowerBound(llvm::ArrayRef<Block> blocks);

} // namespace mfc
#endif
