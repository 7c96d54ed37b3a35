// Element-wise operators with one operand: activations, quantization, casts.
#include "OperatorTable.h"

#include <cmath>

using namespace mfc;
using namespace mfc::tflite;

static constexpr auto F32 = ElementType::F32;
static constexpr auto I8 = ElementType::I8;

/// The relu family: TFLite rescales to the output's quantization, then clamps there.
static bool convertClamp(const Node &node, fb::Activation activation) {
  if (!node.wantType(0, {F32, I8}) || !node.wantSameElement(0) || !node.wantQuantized(*node.input(0)))
    return false;
  Value *value = node.input(0);
  const TensorType &out = node.outputType();
  if (value->type.quant != out.quant) {
    if (!out.isQuantized())
      return node.bad() << "output tensor '" << node.outputInfo().name << "' has no quantization";
    value = node.add(OpKind::Requantize, {value}, RoundingAttrs{Rounding::TfliteDouble}, out);
  }
  return node.finish(node.activate(value, activation));
}

bool tflite::convertRelu(const Node &node) { return convertClamp(node, fb::Activation::Relu); }
bool tflite::convertRelu6(const Node &node) { return convertClamp(node, fb::Activation::Relu6); }
bool tflite::convertReluN1To1(const Node &node) { return convertClamp(node, fb::Activation::ReluN1To1); }

bool tflite::convertRelu0To1(const Node &node) {
  if (!node.wantType(0, {F32}) || !node.wantSameElement(0))
    return false;
  return node.finish(node.add(OpKind::Clamp, {node.input(0)}, ClampAttrs{0, 1}, node.outputType()));
}

bool tflite::convertLeakyRelu(const Node &node) {
  if (!node.wantType(0, {F32, I8}) || !node.wantSameElement(0) || !node.wantQuantized(*node.input(0)))
    return false;
  LeakyReluAttrs attrs;
  attrs.alpha = node.options<fb::LeakyReluOptions>().alpha;
  attrs.rounding = Rounding::TfliteDouble;
  if (!std::isfinite(attrs.alpha))
    return node.bad() << "alpha is " << double(attrs.alpha) << "; wanted a finite number";
  return node.finish(node.add(OpKind::LeakyRelu, {node.input(0)}, attrs, node.outputType()));
}

static bool convertUnary(const Node &node, OpKind kind, Attributes attrs, std::initializer_list<ElementType> types) {
  if (!node.wantType(0, types) || !node.wantSameElement(0) || !node.wantQuantized(*node.input(0)))
    return false;
  return node.finish(node.add(kind, {node.input(0)}, std::move(attrs), node.outputType()));
}

/// TFLite's sigmoid and tanh have their output range built in.
static bool wantOutputQuantization(const Node &node, float scale, int32_t zeroPoint) {
  const TensorType &out = node.outputType();
  if (out.element != I8 || (out.isQuantized() && out.quant->isPerTensor() && out.quant->scale() == scale &&
                            out.quant->zeroPoint() == zeroPoint))
    return true;
  return node.bad() << "output is " << typeText(out) << "; wanted scale " << double(scale) << " and zero point "
                    << zeroPoint;
}

bool tflite::convertLogistic(const Node &node) {
  return wantOutputQuantization(node, 1.0f / 256, -128) &&
         convertUnary(node, OpKind::Logistic, RoundingAttrs{Rounding::TfliteDouble}, {F32, I8});
}

bool tflite::convertTanh(const Node &node) {
  return wantOutputQuantization(node, 1.0f / 128, 0) &&
         convertUnary(node, OpKind::Tanh, RoundingAttrs{Rounding::TfliteDouble}, {F32, I8});
}

bool tflite::convertNeg(const Node &node) {
  return convertUnary(node, OpKind::Neg, RoundingAttrs{Rounding::TfliteDouble}, {F32, I8});
}

bool tflite::convertAbs(const Node &node) {
  return convertUnary(node, OpKind::Abs, RoundingAttrs{Rounding::TfliteDouble}, {F32, I8});
}

bool tflite::convertExp(const Node &node) { return convertUnary(node, OpKind::Exp, NoAttrs{}, {F32}); }
bool tflite::convertSqrt(const Node &node) { return convertUnary(node, OpKind::Sqrt, NoAttrs{}, {F32}); }

/// From float, or from one quantized type to another.
bool tflite::convertQuantize(const Node &node) {
  if (!node.wantType(0, {F32, I8, ElementType::U8, ElementType::I16}))
    return false;
  const TensorType &out = node.outputType();
  if (out.element != I8 && out.element != ElementType::U8 && out.element != ElementType::I16)
    return node.unsupported() << "output has element type " << elementName(out.element)
                              << "; supported are i8, u8, i16";
  if (!out.isQuantized() || !out.quant->isPerTensor())
    return node.bad() << "output tensor '" << node.outputInfo().name << "' has no scale and zero point";
  if (!node.wantQuantized(*node.input(0)))
    return false;
  OpKind kind = isFloat(node.input(0)->type.element) ? OpKind::Quantize : OpKind::Requantize;
  return node.finish(node.add(kind, {node.input(0)}, RoundingAttrs{Rounding::TfliteDouble}, out));
}

bool tflite::convertDequantize(const Node &node) {
  if (!node.wantType(0, {I8, ElementType::U8, ElementType::I16}) || !node.wantQuantized(*node.input(0)))
    return false;
  if (node.outputType().element != F32)
    return node.unsupported() << "output has element type " << elementName(node.outputType().element)
                              << "; supported is f32";
  return node.finish(node.add(OpKind::Dequantize, {node.input(0)}, NoAttrs{}, {F32, {}, std::nullopt}));
}

bool tflite::convertCast(const Node &node) {
  if (node.input(0)->type.isQuantized() || node.outputType().isQuantized())
    return node.unsupported() << "cast of quantized tensors is not supported";
  return node.finish(node.add(OpKind::Cast, {node.input(0)}, NoAttrs{}, node.outputType()));
}
