// Editing a graph inside a pass: replacing operations, constants, and the loop that applies a rewrite everywhere.
#ifndef MFC_LIB_TRANSFORMS_REWRITE_H
#define MFC_LIB_TRANSFORMS_REWRITE_H

#include "mfc/IR/Graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mfc {

/// False if the result of op is a graph output and `with` cannot be one: the border needs tensors of its own, so an
/// input, a constant or another output cannot stand for it.
bool mayReplace(const Graph &graph, const Operation *op, const Value *with);

/// Lets everybody read `with` instead of the only result of `op`, then erases op and what fed only it. The
/// model's tensor name moves along if `with` has none. Where mayReplace() says no, an identity keeps the two apart.
void replaceOp(Graph &graph, Operation *op, Value *with);

/// Erases op if nobody reads it, then its producers under the same condition.
void eraseUnread(Graph &graph, Operation *op);

/// Calls rewrite on every operation, in execution order, again and again until it returns false for all. A rewrite
/// may erase the operation at hand and earlier ones, and add operations anywhere. Rules of a pass must make progress; a
/// debug build asserts that they do, a release build stops after kMostSweeps with a graph that is right but not settled.
constexpr int kMostSweeps = 1000;
bool rewriteAll(Graph &graph, llvm::function_ref<bool(Operation *)> rewrite);

/// A copy of `op` directly before `before`, with other operands, attributes and result type.
Value *copyOp(Graph &graph, const Operation &op, llvm::ArrayRef<Value *> operands, Attributes attributes,
              TensorType resultType, Operation *before);

/// reshape to the shape, directly before `before`; the value itself where the shape is already right. The
/// element type and a per-tensor quantization stay; per-axis quantization must not be there.
Value *addReshape(Graph &graph, Value *value, const Shape &shape, const Operation &origin, Operation *before);

/// True if operations, types, attributes, connections, constants and outputs are the same (names and locations may
/// differ).
bool sameStructure(const Graph &a, const Graph &b);

inline Operation *producerOfKind(const Value *value, OpKind kind) {
  Operation *op = value->producer();
  return op && op->kind() == kind ? op : nullptr;
}

/// One data operand, element i of the result from element i of the operand: quantize, clamp, tanh ... Further
/// operands (batch_norm) do not count as data.
bool isUnaryElementwise(OpKind kind);

} // namespace mfc
#endif
