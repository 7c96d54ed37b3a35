// Building the integer operator that quantize(op(dequantize(...))) stands for.
#ifndef MFC_LIB_TRANSFORMS_QUANTIZEDOPS_H
#define MFC_LIB_TRANSFORMS_QUANTIZEDOPS_H

#include "mfc/IR/Graph.h"

#include <string>

namespace mfc {

/// True if there is an integer form of the operator kind and all its operands are dequantized (or constants that can be
/// stored). Builds nothing.
bool hasQuantizedForm(const Operation &op);

/// The integer operator directly before `quantize`, with its result type and rounding; null if the operands do not allow
/// it, and then `reason` says why.
Value *buildQuantizedForm(Graph &graph, Operation *op, Operation *quantize, std::string &reason);

} // namespace mfc
#endif
