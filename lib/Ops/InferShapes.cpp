// Entry points of shape inference: common checks, then the operator's own rule.
#include "OpFunctions.h"

using namespace mfc;

static llvm::Error checkOperands(const ShapeQuery &query) {
  const OpInfo &info = opInfo(query.kind);
  int count = static_cast<int>(query.operands.size());
  if (count < info.minOperands || (info.maxOperands >= 0 && count > info.maxOperands)) {
    std::string wanted = std::to_string(info.minOperands);
    if (info.maxOperands < 0)
      wanted += " or more";
    else if (info.maxOperands != info.minOperands)
      wanted += " to " + std::to_string(info.maxOperands);
    return badShape(info.name + " has " + llvm::Twine(count) + " operands, wanted " + wanted);
  }
  for (size_t i = 0; i < query.operands.size(); ++i) {
    const Shape &shape = query.shape(i);
    for (int64_t d : shape)
      if (d <= 0)
        return makeError(d == 0 ? ErrorClass::Unsupported : ErrorClass::BadModel, "operand " + llvm::Twine(i) + " of " + info.name + " has shape " + shapeText(shape) +
                        ", dimensions must be known and positive");
    if (!elementCount(shape))
      return badShape("operand " + llvm::Twine(i) + " of " + info.name + " has shape " + shapeText(shape) +
                      ", more elements than mfc can address");
  }
  return llvm::Error::success();
}

static llvm::Expected<Shape> dispatchInfer(const ShapeQuery &query) {
  switch (query.kind) {
#define MFC_OP(Kind, ...)                                                                                              \
  case OpKind::Kind:                                                                                                   \
    return infer##Kind(query);
#include "mfc/IR/Ops.def"
#undef MFC_OP
  }
  __builtin_unreachable();
}

llvm::Expected<Shape> mfc::inferShape(OpKind kind, llvm::ArrayRef<TensorType> operands, const Attributes &attributes,
                                      const TensorType *wantedResult) {
  ShapeQuery query{kind, operands, attributes, wantedResult};
  if (attributes.index() != opInfo(kind).defaultAttrs.index())
    return makeError(ErrorClass::Internal, opInfo(kind).name + " was given the attributes of another operator");
  if (llvm::Error error = checkOperands(query))
    return error;
  llvm::Expected<Shape> shape = dispatchInfer(query);
  if (shape && !elementCount(*shape))
    return badShape("result shape " + shapeText(*shape) + " has more elements than mfc can address");
  return shape;
}

llvm::Expected<std::vector<Shape>> mfc::inferShapes(const Operation &op) {
  std::vector<TensorType> operands;
  for (const Value *operand : op.operands())
    operands.push_back(operand->type);
  const TensorType *wanted = op.results().empty() ? nullptr : &op.result()->type;
  llvm::Expected<Shape> shape = inferShape(op.kind(), operands, op.attributes, wanted);
  if (!shape)
    return shape.takeError();
  return std::vector<Shape>{std::move(*shape)};
}
