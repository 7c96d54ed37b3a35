// Where a transpose that cannot be cancelled stands best: on narrow elements, and at the graph border.
#ifndef MFC_LIB_TRANSFORMS_SETTLETRANSPOSE_H
#define MFC_LIB_TRANSFORMS_SETTLETRANSPOSE_H

#include "mfc/IR/Graph.h"

namespace mfc {

/// Moves transposes up through element-wise operators where that makes them read fewer bytes: in front of a dequantize,
/// to a value that is transposed anyway, or (for the same bytes) to the graph input.
void settleTransposes(Graph &graph);

} // namespace mfc
#endif
