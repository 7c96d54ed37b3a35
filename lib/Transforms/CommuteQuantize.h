// Moving a quantize up through operators that commute with it exactly: data movement, clamp, maximum and minimum. Quantizing
// is monotonic, so it may happen before or after elements are chosen.
#ifndef MFC_LIB_TRANSFORMS_COMMUTEQUANTIZE_H
#define MFC_LIB_TRANSFORMS_COMMUTEQUANTIZE_H

#include "mfc/IR/Graph.h"

namespace mfc {

/// Operators o with quantize(o(x, ...)) = o'(quantize(x), ...).
bool commutesWithQuantize(OpKind kind);
/// How many of the first operands carry data (gather's second are indices).
size_t dataOperandCount(const Operation &op);
/// quantize(op(x)) becomes op(quantize(x)), bounds and fill values in stored units. `op` must commute.
void moveQuantizeUp(Graph &graph, Operation *quantize, Operation *op);

} // namespace mfc
#endif
