// The meaning of operators: result shapes, constraints and reference evaluation.
//
// Each operator has one file in lib/Ops with infer<Op>, verify<Op> and eval<Op>; the functions here dispatch.
// Evaluation is the oracle semantics: compiled code must equal it (integers bit for bit).
#ifndef MFC_OPS_OPS_H
#define MFC_OPS_OPS_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Tensor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mfc {

/// Result shapes from operand types and attributes; element types and quantization are the creator's choice. For
/// reshape, slice and cast the present result type says what is wanted and is checked. Errors say what was found and what was wanted.
llvm::Expected<std::vector<Shape>> inferShapes(const Operation &op);

/// Shape of one result, before the operation exists (for importers and passes): builds nothing, same rules.
llvm::Expected<Shape> inferShape(OpKind kind, llvm::ArrayRef<TensorType> operands, const Attributes &attributes,
                                 const TensorType *wantedResult = nullptr);

/// Checks one operation: operand count, types, attributes, result shape, quantization, and that no accumulator
/// can overflow (constant weights). Reports to the engine with the operation's location; false on failure.
bool verifyOp(const Operation &op, DiagnosticEngine &diag);

/// The whole graph: SSA order, inputs, outputs, every operation.
bool verifyGraph(const Graph &graph, DiagnosticEngine &diag);

/// Computes the results; operands have the types of op's operands. The operation must verify.
std::vector<Tensor> evalOp(const Operation &op, llvm::ArrayRef<const Tensor *> operands);

/// The contents of a value that depends on constants only, else nothing. Folds on demand, without changing the graph;
/// importers use it for shape operands that are computed (Shape, Gather, Concat ... Reshape).
std::optional<Tensor> constantValue(const Value &value);

/// Multiply-accumulates of one run, every kernel tap of every output counted (padding included).
int64_t macCount(const Operation &op);

} // namespace mfc
#endif
