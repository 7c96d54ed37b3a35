// QuantizeLinear and DequantizeLinear: scale and zero point go into the type of the quantized side.
// Folding the pairs into integer operators is a pass.
#include "ConvertQuantize.h"

#include "Converters.h"
#include "Types.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mfc;
using namespace mfc::onnx;

static bool isQuantizedElement(ElementType e) {
  return e == ElementType::I8 || e == ElementType::U8 || e == ElementType::I16 ||
         e == ElementType::U16 || e == ElementType::I32;
}

/// Zero points as integers; `count` of them, all zero if the operand is not there.
static std::optional<std::vector<int32_t>> readZeroPoints(NodeContext &ctx, size_t index,
                                                          size_t count, ElementType element) {
  std::vector<int32_t> zeros(count, 0);
  if (!ctx.hasInput(index))
    return zeros;
  std::optional<Tensor> tensor = ctx.contents(index, "zero point");
  if (!tensor)
    return std::nullopt;
  if (tensor->type.element != element) {
    ctx.bad(static_cast<int>(index))
        << "zero point is " << dataTypeName(tensor->type.element) << " but the quantized tensor is "
        << dataTypeName(element) << ", wanted the same type";
    return std::nullopt;
  }
  auto n = static_cast<size_t>(tensor->type.count());
  if (n != count) {
    ctx.bad(static_cast<int>(index))
        << n << " zero points for " << count << " scales, wanted as many";
    return std::nullopt;
  }
  for (size_t i = 0; i < count; ++i)
    zeros[i] = static_cast<int32_t>(tensor->getInteger(static_cast<int64_t>(i)));
  return zeros;
}

std::optional<Quantization> onnx::readQuantization(NodeContext &ctx, size_t scaleIndex,
                                                   size_t zeroIndex, ElementType element,
                                                   const Shape &shape, int64_t axis) {
  if (!isQuantizedElement(element)) {
    ctx.unsupported() << ctx.opType() << " with stored type " << dataTypeName(element)
                      << ", wanted int8, uint8, int16, uint16 or int32";
    return std::nullopt;
  }
  std::optional<Tensor> scale = ctx.contents(scaleIndex, "scale");
  if (!scale)
    return std::nullopt;
  if (!isFloat(scale->type.element) || scale->type.rank() > 1) {
    const char *wanted =
        ", wanted float32 with one dimension at most (block quantization is not supported)";
    ctx.unsupported(static_cast<int>(scaleIndex))
        << "scale is " << dataTypeName(scale->type.element) << " of shape "
        << shapeText(scale->type.shape) << wanted;
    return std::nullopt;
  }
  Quantization quant;
  auto count = static_cast<size_t>(scale->type.count());
  for (size_t i = 0; i < count; ++i) {
    quant.scales.push_back(scale->get<float>(static_cast<int64_t>(i)));
    if (!std::isfinite(quant.scales[i]) || quant.scales[i] <= 0) {
      ctx.bad(static_cast<int>(scaleIndex))
          << "scale " << i << " is " << quant.scales[i] << ", wanted a positive finite number";
      return std::nullopt;
    }
  }
  if (count != 1) { // [1] is per tensor, whatever the axis says
    std::optional<int64_t> normal = ctx.axis(axis, static_cast<int64_t>(shape.size()));
    if (!normal)
      return std::nullopt;
    if (shape[static_cast<size_t>(*normal)] != static_cast<int64_t>(count)) {
      ctx.bad(static_cast<int>(scaleIndex))
          << count << " scales for dimension " << *normal << " of shape " << shapeText(shape)
          << ", wanted one for each slice";
      return std::nullopt;
    }
    quant.axis = static_cast<int>(*normal);
  }
  auto zeros = readZeroPoints(ctx, zeroIndex, count, element);
  if (!zeros)
    return std::nullopt;
  quant.zeroPoints = std::move(*zeros);
  return quant;
}

/// Operators whose result has the stored values, and so the type, of their operand.
static bool keepsStoredValues(OpKind kind) {
  return kind == OpKind::Reshape || kind == OpKind::Transpose || kind == OpKind::Identity ||
         kind == OpKind::Slice || kind == OpKind::MaxPool2D;
}

/// Marks an integer tensor that has no quantization yet, and the tensors that it was moved from up
/// to a graph input, as quantized. False if something else made it or reads it.
static bool adoptQuantization(Value *x, const Quantization &quant) {
  if (!quant.isPerTensor())
    return false;
  std::vector<Value *> chain;
  for (Value *v = x;; v = v->producer()->operand(0)) {
    bool others = llvm::any_of(v->users(), [&](const Operation *user) {
      return user->kind() != OpKind::Dequantize &&
             (chain.empty() || user != chain.back()->producer());
    });
    if (v->type.quant || others)
      return false;
    chain.push_back(v);
    if (v->isInput())
      break;
    if (v->isConstant() || !keepsStoredValues(v->producer()->kind()))
      return false;
  }
  for (Value *v : chain)
    v->type.quant = quant;
  return true;
}

Value *onnx::buildDequantize(Builder &b, Value *x, const Quantization &quant) {
  if (!x)
    return nullptr;
  TensorType real{ElementType::F32, {}, {}};
  if (x->isConstant()) {
    TensorType stored = x->type;
    stored.quant = quant;
    return b.add(OpKind::Dequantize, {b.target().addConstant(stored, x->constantData(), x->name)},
                 NoAttrs{}, real);
  }
  if (x->type.quant == quant || adoptQuantization(x, quant))
    return b.add(OpKind::Dequantize, {x}, NoAttrs{}, real);
  // The stored values mean something else here than where they were made: calculate on them as
  // numbers.
  auto perSlice = [&](auto number) {
    Shape shape;
    if (!quant.isPerTensor()) {
      shape.assign(x->type.shape.size(), 1);
      shape[static_cast<size_t>(quant.axis)] = static_cast<int64_t>(quant.scales.size());
    }
    Tensor tensor(TensorType{ElementType::F32, shape, {}});
    for (int64_t i = 0, n = tensor.type.count(); i < n; ++i)
      tensor.set(i, number(static_cast<size_t>(i)));
    return b.constant(tensor);
  };
  Value *zeros = perSlice([&](size_t i) { return static_cast<float>(quant.zeroPoint(i)); });
  Value *scales = perSlice([&](size_t i) { return quant.scale(i); });
  return b.binary(OpKind::Mul, b.binary(OpKind::Sub, b.cast(x, ElementType::F32), zeros), scales);
}

Value *onnx::buildQuantize(Builder &b, Value *x, ElementType element, Quantization quant) {
  return b.add(OpKind::Quantize, {x}, RoundingAttrs{Rounding::HalfEven},
               {element, {}, std::move(quant)});
}

/// Attributes that opset 19 and 21 added to both operators. False after a diagnostic.
static bool readCommonAttrs(NodeContext &ctx) {
  ctx.intAttr("saturate", 1); // of float8 types only
  if (ctx.intAttr("block_size", 0) != 0)
    ctx.unsupported() << ctx.opType() << " with blocks, wanted scales per tensor or per axis";
  return !ctx.failed();
}

static void convertQuantizeLinear(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  int64_t axis = ctx.intAttr("axis", 1);
  int64_t outputType = ctx.intAttr("output_dtype", 0);
  if (!readCommonAttrs(ctx) || !x)
    return;
  ElementType element = ElementType::U8; // without a zero point
  if (outputType != 0) {
    std::optional<ElementType> wanted = outputType > 0 && outputType < 100
                                            ? elementTypeOf(static_cast<int>(outputType))
                                            : std::nullopt;
    if (!wanted) {
      ctx.unsupported() << "QuantizeLinear with output_dtype " << outputType
                        << ", wanted int8, uint8, int16 or uint16";
      return;
    }
    element = *wanted;
  } else if (ctx.hasInput(2)) {
    const Value *zero = ctx.input(2);
    if (!zero)
      return;
    element = zero->type.element;
  }
  if (auto quant = readQuantization(ctx, 1, 2, element, x->type.shape, axis))
    ctx.setResult(0, buildQuantize(ctx.b, x, element, std::move(*quant)));
}

static void convertDequantizeLinear(NodeContext &ctx) {
  Value *x = ctx.input(0);
  int64_t axis = ctx.intAttr("axis", 1);
  if (!readCommonAttrs(ctx) || !x)
    return;
  if (auto quant = readQuantization(ctx, 1, 2, x->type.element, x->type.shape, axis))
    ctx.setResult(0, buildDequantize(ctx.b, x, *quant));
}

llvm::ArrayRef<ConverterRow> onnx::quantizeConverters() {
  static const ConverterRow rows[] = {
      {"DequantizeLinear", convertDequantizeLinear, 10},
      {"QuantizeLinear", convertQuantizeLinear, 10},
  };
  return rows;
}
