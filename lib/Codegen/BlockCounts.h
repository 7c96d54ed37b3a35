// How often each block of an IR function runs, without running it.
#ifndef MFC_LIB_CODEGEN_BLOCKCOUNTS_H
#define MFC_LIB_CODEGEN_BLOCKCOUNTS_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>

namespace llvm {
class BasicBlock;
class Function;
} // namespace llvm

namespace mfc::codegen {

struct BlockCounts {
  using Edge = std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>;
  llvm::DenseMap<const llvm::BasicBlock *, uint64_t>
      blocks; ///< blocks that never run are not listed
  llvm::DenseMap<Edge, uint64_t> edges;
  /// No condition depended on data, and the work stayed below its bound.
  bool exact = true;

  uint64_t of(const llvm::BasicBlock *block) const { return blocks.lookup(block); }
  uint64_t of(const llvm::BasicBlock *from, const llvm::BasicBlock *to) const {
    return edges.lookup({from, to});
  }
};

/// Counts for one call of the function, or for all of its steps (stepsOf()). Runs the part of it that decides the control flow; every
/// loop is run once for each distinct set of values that its control flow depends on. Of a branch
/// that depends on data the side is taken that leaves the loop, else the one that does more.
BlockCounts countBlocks(const llvm::Function &function);

/// How many steps a function has that is called once a step, with the step's number as last argument; else 0.
uint64_t stepsOf(const llvm::Function &function);

} // namespace mfc::codegen
#endif
