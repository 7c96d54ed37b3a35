// Exact search for offsets: is there an assignment that ends at or below a given total?
#ifndef MFC_MEMORY_OFFSETSEARCH_H
#define MFC_MEMORY_OFFSETSEARCH_H

#include "mfc/Memory/OffsetAssignment.h"

namespace mfc {

enum class SearchEnd {
  Found,      ///< offsets are set
  Impossible, ///< proved: nothing ends at or below the limit
  Gaveup,     ///< out of nodes
};

struct SearchAnswer {
  SearchEnd end = SearchEnd::Gaveup;
  std::vector<uint64_t> offsets; ///< Found: one a block
  uint64_t nextTotal = 0;        ///< Impossible: no assignment has a total below this
  uint64_t nodes = 0;            ///< spent
};

/// Spends at most `nodes` nodes (placements tried). Blocks must have a size. The variant says which of the blocks that can
/// lie equally low is tried first: kPlainVariants plain orders, then the same ones with keys perturbed by up to 2x.
/// Variants find answers at very different places of the tree, so many short searches beat a long one; a proof of
/// impossibility is the same for all.
SearchAnswer searchOffsets(llvm::ArrayRef<Block> blocks, uint64_t limit, unsigned variant, uint64_t nodes);
inline constexpr unsigned kPlainVariants = 16;

} // namespace mfc
#endif
