// One step of layout folding: op(transpose(x)) becomes transpose(op(x)) with the axes of op renamed.
#ifndef MFC_LIB_TRANSFORMS_SINKTRANSPOSE_H
#define MFC_LIB_TRANSFORMS_SINKTRANSPOSE_H

#include "mfc/IR/Graph.h"

namespace mfc {

/// Moves the transpose(s) in front of op behind it. False if there is none or the operator fixes the layout.
/// Needs every data operand transposed the same way, or free to transpose (constants, size-1 dimensions, a value
/// whose opposite transpose exists already).
bool sinkTransposeThrough(Graph &graph, Operation *op);

/// transpose(value, perm) where that moves nothing at run time (constants, size-1 dimensions, a broadcast operand of fewer
/// dimensions); null elsewhere. New operations stand before `before`.
Value *freelyTransposed(Graph &graph, Value *value, llvm::ArrayRef<int64_t> perm, Operation *before);

/// A transpose that moves no byte becomes a reshape; one of a constant (or a dequantized one) a constant.
bool simplifyTranspose(Graph &graph, Operation *op);

/// dense(reshape(transpose(x))) with constant weights: permutes the columns of the weights instead.
bool foldTransposeIntoDense(Graph &graph, Operation *dense);

} // namespace mfc
#endif
