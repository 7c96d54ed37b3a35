// Static allocation where some blocks may lie over others: a kernel that works row by row writes its result over the rows
// of an operand that it has read. Knows nothing of graphs.
#ifndef MFC_MEMORY_OVERLAPASSIGNMENT_H
#define MFC_MEMORY_OVERLAPASSIGNMENT_H

#include "mfc/Memory/OffsetAssignment.h"

namespace mfc {

/// Two blocks that are alive together and yet may share bytes: if `over` begins at least `distance` bytes in front of
/// `under`. (Or anywhere that they do not touch.)
struct AllowedOverlap {
  size_t over = 0, under = 0; ///< indices of blocks
  int64_t distance = 0;
  bool samePlace = false;     ///< or where `under` begins, whatever the distance
};

/// First fit over several orders, from the bottom and from the top (there a result goes below its operand, and the next one
/// below it), with a bounded number of repairs. Never worse than the greedy placement of assignOffsets(); with no overlaps
/// it is assignOffsets(). With no nodes of effort the orders alone are tried. Deterministic.
Assignment assignOverlapping(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps,
                             const AssignmentEffort &effort = {});

/// For every step the bytes of the blocks that are alive, less what pairs of them can share; the largest of these. No
/// assignment can be smaller (Bonferroni: a union is not less than the sum less the intersections of pairs).
uint64_t overlappingLowerBound(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps);

} // namespace mfc
#endif
