// See Builder.h. Operations on constants are evaluated at once by the reference interpreter, except
// dequantize: the integers behind it are what an integer kernel wants.
#include "Builder.h"

#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mfc;
using namespace mfc::onnx;

Operation *onnx::constantDequantize(const Value *value) {
  Operation *op = value->producer();
  return op && op->kind() == OpKind::Dequantize && op->operand(0)->isConstant() ? op : nullptr;
}

Value *Builder::fail(ErrorClass errorClass, const llvm::Twine &message) {
  diag.error(errorClass, loc) << message;
  return nullptr;
}

Value *Builder::constant(const Tensor &tensor, std::string name) {
  return graph.addConstant(tensor.type, tensor.bytes, std::move(name));
}

Value *Builder::scalar(float value) {
  Tensor tensor(TensorType{ElementType::F32, {}, {}});
  tensor.set(0, value);
  return constant(tensor);
}

Value *Builder::indices(llvm::ArrayRef<int64_t> list) {
  if (!spend(static_cast<int64_t>(list.size() * sizeof(int64_t))))
    return fail(ErrorClass::Unsupported, "the model needs longer index lists than importing makes");
  Tensor tensor(TensorType{ElementType::I64, {static_cast<int64_t>(list.size())}, {}});
  for (size_t i = 0; i < list.size(); ++i)
    tensor.set(static_cast<int64_t>(i), list[i]);
  return constant(tensor);
}

Value *Builder::add(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes) {
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  return add(kind, operands, std::move(attributes), operands[0]->type);
}

static std::vector<TensorType> typesOf(llvm::ArrayRef<Value *> operands) {
  std::vector<TensorType> types;
  for (const Value *operand : operands)
    types.push_back(operand->type);
  return types;
}

Value *Builder::add(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes,
                    TensorType result) {
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  llvm::Expected<Shape> shape = inferShape(kind, typesOf(operands), attributes);
  if (!shape) {
    reportError(diag, loc, shape.takeError());
    return nullptr;
  }
  result.shape = std::move(*shape);
  return create(kind, operands, std::move(attributes), std::move(result));
}

Value *Builder::addShaped(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes,
                          TensorType result) {
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  llvm::Expected<Shape> shape = inferShape(kind, typesOf(operands), attributes, &result);
  if (!shape) {
    reportError(diag, loc, shape.takeError());
    return nullptr;
  }
  return create(kind, operands, std::move(attributes), std::move(result));
}

bool Builder::folds(OpKind kind, llvm::ArrayRef<Value *> operands, const TensorType &result) {
  bool light = kind == OpKind::ReduceMean ||
               (!hasTrait(kind, OpTrait::Anchor) && kind != OpKind::Dequantize);
  if (!light || !llvm::all_of(operands, [](const Value *v) { return v->isConstant(); }))
    return false;
  auto bytes = static_cast<int64_t>(result.bytes());
  if (bytes > kMaxFoldedBytes)
    return false;
  for (const Value *operand : operands)
    bytes += static_cast<int64_t>(operand->bytes().size());
  return spend(bytes);
}

bool Builder::spend(int64_t bytes) {
  if (bytes > foldBudget)
    return false;
  foldBudget -= bytes;
  return true;
}

Value *Builder::create(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes,
                       TensorType result) {
  bool fold = folds(kind, operands, result);
  Operation *op = graph.addOp(kind, operands, std::move(attributes), {std::move(result)}, loc);
  if (!verifyOp(*op, diag)) {
    graph.erase(op);
    return nullptr;
  }
  if (!fold)
    return op->result();
  std::vector<Tensor> contents;
  for (const Value *operand : operands)
    contents.emplace_back(operand->type, operand->bytes());
  std::vector<const Tensor *> pointers;
  for (const Tensor &tensor : contents)
    pointers.push_back(&tensor);
  Value *folded = constant(evalOp(*op, pointers).front());
  graph.erase(op);
  return folded;
}

Value *Builder::binary(OpKind kind, Value *a, Value *b) {
  return add(kind, {a, b}, RoundingAttrs{Rounding::HalfEven});
}

Value *Builder::clamp(Value *x, double min, double max) {
  return add(OpKind::Clamp, {x}, ClampAttrs{min, max});
}

/// The quantized axis moves with its dimension.
static std::optional<Quantization> transposed(std::optional<Quantization> quant,
                                              llvm::ArrayRef<int64_t> perm) {
  if (quant && !quant->isPerTensor())
    for (size_t i = 0; i < perm.size(); ++i)
      if (perm[i] == quant->axis) {
        quant->axis = static_cast<int>(i);
        break;
      }
  return quant;
}

Value *Builder::transpose(Value *x, std::vector<int64_t> perm) {
  if (!x)
    return nullptr;
  std::vector<int64_t> straight(perm.size());
  std::iota(straight.begin(), straight.end(), 0);
  if (perm == straight && x->type.rank() == static_cast<int64_t>(perm.size()))
    return x;
  if (Operation *dequantize = constantDequantize(x))
    return add(OpKind::Dequantize, {transpose(dequantize->operand(0), std::move(perm))}, NoAttrs{},
               {ElementType::F32, {}, {}});
  TensorType result{x->type.element, {}, transposed(x->type.quant, perm)};
  return add(OpKind::Transpose, {x}, TransposeAttrs{std::move(perm)}, std::move(result));
}

/// Where a quantized axis is after a reshape: the dimension of the same size with as many elements
/// before it. False if the reshape splits or joins it.
static bool followAxis(Quantization &quant, const Shape &from, const Shape &to) {
  if (quant.isPerTensor())
    return true;
  int64_t before = 1, seen = 1;
  for (int i = 0; i < quant.axis; ++i)
    before *= from[static_cast<size_t>(i)];
  for (size_t i = 0; i < to.size(); ++i) {
    if (seen == before && to[i] == from[static_cast<size_t>(quant.axis)]) {
      quant.axis = static_cast<int>(i);
      return true;
    }
    seen *= to[i];
  }
  return false;
}

Value *Builder::reshape(Value *x, Shape shape) {
  if (!x)
    return nullptr;
  if (x->type.shape == shape)
    return x;
  if (Operation *dequantize = constantDequantize(x)) {
    Quantization quant = *dequantize->operand(0)->type.quant;
    if (elementCount(shape) && followAxis(quant, x->type.shape, shape))
      return add(OpKind::Dequantize, {reshape(dequantize->operand(0), std::move(shape))}, NoAttrs{},
                 {ElementType::F32, {}, {}});
  }
  TensorType result{x->type.element, shape, x->type.quant};
  if (result.quant && elementCount(shape) && !followAxis(*result.quant, x->type.shape, shape))
    return fail(ErrorClass::Unsupported, "reshape from " + shapeText(x->type.shape) + " to " +
                                             shapeText(shape) + " splits or joins dimension " +
                                             llvm::Twine(x->type.quant->axis) +
                                             ", which has a scale for each slice");
  return addShaped(OpKind::Reshape, {x}, NoAttrs{}, std::move(result));
}

Value *Builder::pick(Value *x, int64_t axis, llvm::ArrayRef<int64_t> list) {
  if (!x)
    return nullptr;
  return add(OpKind::Gather, {x, indices(list)}, AxisAttrs{axis});
}

Value *Builder::cast(Value *x, ElementType element) {
  if (!x || (x->type.element == element && !x->type.quant))
    return x;
  return add(OpKind::Cast, {x}, NoAttrs{}, {element, {}, {}});
}
