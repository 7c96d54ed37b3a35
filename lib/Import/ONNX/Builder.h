// Adds operations to the graph: infers their types, folds what depends on constants only, and
// reports what does not fit. Every function returns null on failure and passes a null operand on,
// so converters need no checks between.
#ifndef MFC_IMPORT_ONNX_BUILDER_H
#define MFC_IMPORT_ONNX_BUILDER_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Tensor.h"

#include "llvm/ADT/Twine.h"

namespace mfc::onnx {

class Builder {
public:
  Builder(Graph &graph, DiagnosticEngine &diag) : graph(graph), diag(diag) {}

  Location loc; ///< of the node at hand; new operations and diagnostics get it

  Graph &target() { return graph; }
  DiagnosticEngine &diagnostics() { return diag; }
  /// Reports at `loc` and gives null.
  Value *fail(ErrorClass errorClass, const llvm::Twine &message);

  Value *constant(const Tensor &tensor, std::string name = {});
  Value *scalar(float value);
  Value *indices(llvm::ArrayRef<int64_t> list); ///< rank 1, int64

  /// An operation whose result has the element type and quantization of operand 0.
  Value *add(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes);
  /// The same with element type and quantization of `result`; its shape is inferred.
  Value *add(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes,
             TensorType result);
  /// The same with the result type fully given (reshape, slice).
  Value *addShaped(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes,
                   TensorType result);

  /// Element-wise operators with ONNX's rounding.
  Value *binary(OpKind kind, Value *a, Value *b);
  Value *clamp(Value *x, double min, double max);

  /// Movement. Works on the stored values behind a dequantize of a constant, so that the pair stays
  /// together and the integer contents can still be used as weights. Nothing is added when nothing
  /// moves.
  Value *transpose(Value *x, std::vector<int64_t> perm);
  Value *reshape(Value *x, Shape shape);
  /// Slices picked along one dimension by a constant list.
  Value *pick(Value *x, int64_t axis, llvm::ArrayRef<int64_t> list);
  Value *cast(Value *x, ElementType element);

  /// The largest tensor that folding makes: no microcontroller has room for a bigger constant.
  static constexpr int64_t kMaxFoldedBytes = int64_t(1) << 25;
  /// Takes bytes that evaluation reads or writes from the budget of the import, which bounds the time
  /// that a hostile model can take. False if the budget is used up.
  bool spend(int64_t bytes);

private:
  Graph &graph;
  DiagnosticEngine &diag;
  int64_t foldBudget = int64_t(1) << 29; ///< bytes

  bool folds(OpKind kind, llvm::ArrayRef<Value *> operands, const TensorType &result);
  Value *create(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes,
                TensorType result);
};

/// The dequantize whose operand is a constant that defines `value`; else null.
Operation *constantDequantize(const Value *value);

} // namespace mfc::onnx
#endif
