// What -Rpass=fuse, -Rpass-missed=fuse and -Rpass-analysis=fuse say about groups.
#ifndef MFC_LIB_FUSION_GROUPREMARKS_H
#define MFC_LIB_FUSION_GROUPREMARKS_H

#include "mfc/Fusion/GroupSearch.h"

namespace mfc {

/// A piece of the execution order: one kernel, or a group.
struct Piece {
  KernelRange range;
  uint64_t sram = 0, code = 0; ///< bytes
  double cycles = 0;           ///< modelled
};

/// Bytes of code by which the piece is larger than its kernels alone.
int64_t growth(const Piece &piece, llvm::ArrayRef<KernelCost> costs);

/// Every group; every pair of neighbours that share no group, with the question that stopped them and the numbers on both
/// sides; and the totals. `pieces`: by first kernel, those that were possible.
void remarkOnGroups(const Graph &graph, const Plan &plan, llvm::ArrayRef<KernelCost> costs,
                    llvm::ArrayRef<std::vector<Piece>> pieces, const SearchOptions &options, const GroupChoice &whole,
                    const GroupChoice &best, RemarkList &remarks);

} // namespace mfc
#endif
