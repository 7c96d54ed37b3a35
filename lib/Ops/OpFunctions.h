// What every operator must provide, declared from the operator table: infer<Op>, verify<Op>, eval<Op>. A new row of
// Ops.def does not link until its file defines the three.
#ifndef MFC_OPS_OPFUNCTIONS_H
#define MFC_OPS_OPFUNCTIONS_H

#include "mfc/Ops/Ops.h"
#include "mfc/Ops/Window.h"
#include "mfc/Support/ClassifiedError.h"

namespace mfc {

/// Everything a shape rule may look at. Operand count and static, positive dimensions are checked before.
struct ShapeQuery {
  OpKind kind;
  llvm::ArrayRef<TensorType> operands;
  const Attributes &attributes;
  const TensorType *wanted; ///< the result type asked for; null if the caller has none

  const Shape &shape(size_t i) const { return operands[i].shape; }
  template <typename T> const T &attrs() const { return std::get<T>(attributes); }
};

/// A contradiction in the model: `found and wanted` text.
inline llvm::Error badShape(const llvm::Twine &message) { return makeError(ErrorClass::BadModel, message); }

/// What an evaluation reads and writes. The operation has been verified; the result has its type and zeroed bytes.
struct EvalArgs {
  const Operation &op;
  llvm::ArrayRef<const Tensor *> operands;
  Tensor &result;

  const TensorType &operandType(size_t i) const { return op.operand(i)->type; }
  const TensorType &resultType() const { return result.type; }
};

#define MFC_OP(Kind, ...)                                                                                              \
  llvm::Expected<Shape> infer##Kind(const ShapeQuery &query);                                                          \
  void eval##Kind(const EvalArgs &args);
#include "mfc/IR/Ops.def"
#undef MFC_OP

// Shape rules that several operators share.
llvm::Expected<Shape> inferSameShape(const ShapeQuery &query);  ///< the shape of operand 0
llvm::Expected<Shape> inferBroadcast(const ShapeQuery &query);  ///< numpy broadcasting of two operands
/// A non-negative axis below the rank, counted from the end if negative.
llvm::Expected<int64_t> normalAxis(int64_t axis, int64_t rank);
/// Checks stride, dilation, padding and kernel, then counts the outputs; `what` is "height" or "width".
llvm::Expected<int64_t> inferWindowOutputs(int64_t input, const Window &window, const char *what);

} // namespace mfc
#endif
