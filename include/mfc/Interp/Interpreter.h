// The reference interpreter: a graph and its inputs to its outputs, operation by operation. What it computes is the meaning
// of the graph; compiled code must equal it (docs/numerics.md).
#ifndef MFC_INTERP_INTERPRETER_H
#define MFC_INTERP_INTERPRETER_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Tensor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace mfc {

struct InterpOptions {
  /// Called after every operation with its result, in execution order: for layer taps and hashes.
  std::function<void(const Operation &, const Tensor &)> observer;
};

/// Runs a verified graph. Inputs are checked against the graph's (count, element type, shape); a mismatch is an error of
/// class Usage. Outputs are in graph order. Intermediate tensors are freed after their last use.
llvm::Expected<std::vector<Tensor>> interpret(const Graph &graph, llvm::ArrayRef<Tensor> inputs,
                                              const InterpOptions &options = {});

} // namespace mfc
#endif
