// Constant, ConstantOfShape and Cast.
#include "Converters.h"
#include "ExternalData.h"
#include "GraphImport.h"
#include "TensorData.h"
#include "Types.h"
#include "mfc/Support/ClassifiedError.h"
#include "onnx_subset.pb.h"
#include <algorithm>
#include <climits>

using namespace mfc;
using namespace mfc::onnx;

template <typename T>
static Value *listConstant(Builder &b, ElementType element, const std::vector<T> &list,
                           bool scalar) {
  Tensor tensor(
      TensorType{element, scalar ? Shape{} : Shape{static_cast<int64_t>(list.size())}, {}});
  for (size_t i = 0; i < list.size(); ++i)
    tensor.set(static_cast<int64_t>(i), list[i]);
  return b.constant(tensor);
}

/// The tensor attribute `value` as a constant; null after a diagnostic.
static Value *tensorConstant(NodeContext &ctx, const onnxpb::TensorProto &proto) {
  noteExternalData(proto, ctx.scope.state.file, ctx.scope.state.options.filesRead);
  llvm::Expected<Tensor> tensor = readTensor(proto, ctx.scope.state.file);
  if (tensor)
    return ctx.b.constant(*tensor);
  reportError(ctx.b.diagnostics(), ctx.b.loc, tensor.takeError());
  return nullptr;
}

static void convertConstant(NodeContext &ctx) {
  if (ctx.hasAttr("value")) {
    const onnxpb::TensorProto *proto = ctx.tensorAttr("value");
    if (proto && !elementTypeOf(proto->data_type()))
      ctx.setForeignResult(proto);
    else if (proto)
      ctx.setResult(0, tensorConstant(ctx, *proto));
  } else if (ctx.hasAttr("value_float")) {
    ctx.setResult(0, ctx.b.scalar(static_cast<float>(ctx.floatAttr("value_float", 0))));
  } else if (ctx.hasAttr("value_floats")) {
    ctx.setResult(0, listConstant(ctx.b, ElementType::F32, ctx.floatsAttr("value_floats"), false));
  } else if (ctx.hasAttr("value_int")) {
    ctx.setResult(
        0, listConstant<int64_t>(ctx.b, ElementType::I64, {ctx.intAttr("value_int", 0)}, true));
  } else if (ctx.hasAttr("value_ints")) {
    ctx.setResult(0, listConstant(ctx.b, ElementType::I64, ctx.intsAttr("value_ints"), false));
  } else if (ctx.hasAttr("sparse_value") || ctx.hasAttr("value_string") ||
             ctx.hasAttr("value_strings")) {
    ctx.unsupported() << "Constant with a sparse or string value, wanted a dense tensor of numbers";
  } else {
    ctx.bad() << "Constant has no value";
  }
}

static void convertConstantOfShape(NodeContext &ctx) {
  auto shape = ctx.integers(0, "shape");
  if (!shape)
    return;
  Tensor fill(TensorType{ElementType::F32, {1}, {}}); // float 0 if there is no attribute
  if (ctx.hasAttr("value")) {
    const onnxpb::TensorProto *proto = ctx.tensorAttr("value");
    const Value *value = proto ? tensorConstant(ctx, *proto) : nullptr;
    if (!value)
      return;
    if (value->type.count() != 1) {
      ctx.bad() << "value of ConstantOfShape has shape " << shapeText(value->type.shape)
                << ", wanted one element";
      return;
    }
    fill = Tensor(value->type, value->bytes());
  }
  std::optional<int64_t> count = elementCount(*shape);
  if (!count || *count * elementBytes(fill.type.element) > Builder::kMaxFoldedBytes ||
      !ctx.b.spend(*count * elementBytes(fill.type.element))) {
    ctx.unsupported() << "ConstantOfShape of shape " << shapeText(*shape) << ", wanted "
                      << Builder::kMaxFoldedBytes << " bytes at most";
    return;
  }
  Tensor result(TensorType{fill.type.element, *shape, {}});
  for (size_t i = 0; i < result.bytes.size(); ++i)
    result.bytes[i] = fill.bytes[i % fill.bytes.size()];
  ctx.setResult(0, ctx.b.constant(result));
}

static void convertCast(NodeContext &ctx) {
  int64_t to = ctx.intAttr("to", 0);
  ctx.intAttr("saturate", 1); // of float8 types only
  if (ctx.failed())
    return;
  std::optional<ElementType> element =
      elementTypeOf(static_cast<int>(std::clamp<int64_t>(to, -1, INT_MAX)));
  if (!element) {
    ctx.unsupported() << "Cast to "
                      << dataTypeName(static_cast<int>(std::clamp<int64_t>(to, -1, INT_MAX)))
                      << ", wanted float32, int8, uint8, int32, int64 or bool";
    return;
  }
  if (const onnxpb::TensorProto *foreign = ctx.foreignInput(0)) {
    llvm::Expected<Tensor> tensor = readAs(*element, *foreign, ctx.scope.state.file);
    if (tensor)
      ctx.setResult(0, ctx.b.constant(*tensor, ctx.inputName(0)));
    else
      reportError(ctx.b.diagnostics(), ctx.b.loc, tensor.takeError());
    return;
  }
  ctx.setResult(0, ctx.b.cast(ctx.input(0), *element));
}

llvm::ArrayRef<ConverterRow> onnx::constantConverters() {
  static const ConverterRow rows[] = {
      {"Cast", convertCast},
      {"Constant", convertConstant},
      {"ConstantOfShape", convertConstantOfShape},
  };
  return rows;
}
