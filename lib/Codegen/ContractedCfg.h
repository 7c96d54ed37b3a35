// The control flow of the IR, reduced to the blocks that still exist in the machine function.
#ifndef MFC_LIB_CODEGEN_CONTRACTEDCFG_H
#define MFC_LIB_CODEGEN_CONTRACTEDCFG_H

#include "BlockCounts.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class MachineFunction;
}

namespace mfc::codegen {

/// Edges with their counts. A block without machine code was either only a way to its one successor
/// or was appended to its one predecessor.
class ContractedCfg {
public:
  ContractedCfg(const llvm::MachineFunction &function, const BlockCounts &counts);

  struct Edge {
    const llvm::BasicBlock *from, *to;
    uint64_t count;
  };
  llvm::SmallVector<Edge, 4> into(const llvm::BasicBlock *block) const;
  llvm::SmallVector<Edge, 4> outOf(const llvm::BasicBlock *block) const;

private:
  llvm::MapVector<BlockCounts::Edge, uint64_t> edges;
  void remove(const llvm::BasicBlock *block);
};

} // namespace mfc::codegen
#endif
