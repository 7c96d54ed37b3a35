// Element-wise operators with two operands: ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM.
#include "OperatorTable.h"

using namespace mfc;
using namespace mfc::tflite;

static bool checkArithmetic(const Node &node, std::initializer_list<ElementType> types) {
  if (!node.wantType(0, types) || !node.wantType(1, types))
    return false;
  ElementType a = node.input(0)->type.element, b = node.input(1)->type.element;
  if (a != b)
    return node.bad() << "operands have element types " << elementName(a) << " and " << elementName(b)
                      << "; wanted one type";
  return node.wantSameElement(0) && node.wantQuantized(*node.input(0)) && node.wantQuantized(*node.input(1));
}

template <typename Options> static bool convertArithmetic(const Node &node, OpKind kind) {
  if (!checkArithmetic(node, {ElementType::F32, ElementType::I8, ElementType::I32}))
    return false;
  Value *result = node.add(kind, {node.input(0), node.input(1)}, RoundingAttrs{Rounding::TfliteDouble}, node.outputType());
  return node.finish(node.activate(result, node.options<Options>().fused_activation));
}

bool tflite::convertAdd(const Node &node) { return convertArithmetic<fb::AddOptions>(node, OpKind::Add); }
bool tflite::convertSub(const Node &node) { return convertArithmetic<fb::SubOptions>(node, OpKind::Sub); }
bool tflite::convertMul(const Node &node) { return convertArithmetic<fb::MulOptions>(node, OpKind::Mul); }

bool tflite::convertDiv(const Node &node) {
  if (!checkArithmetic(node, {ElementType::F32, ElementType::I32}))
    return false;
  Value *result =
      node.add(OpKind::Div, {node.input(0), node.input(1)}, RoundingAttrs{Rounding::TfliteDouble}, node.outputType());
  return node.finish(node.activate(result, node.options<fb::DivOptions>().fused_activation));
}

/// TFLite compares stored values, so all three tensors must share their quantization.
static bool convertMinMax(const Node &node, OpKind kind) {
  if (!checkArithmetic(node, {ElementType::F32, ElementType::I8, ElementType::I32}) || !node.wantSameType(0) ||
      !node.wantSameType(1))
    return false;
  return node.finish(
      node.add(kind, {node.input(0), node.input(1)}, RoundingAttrs{Rounding::TfliteDouble}, node.outputType()));
}

bool tflite::convertMaximum(const Node &node) { return convertMinMax(node, OpKind::Maximum); }
bool tflite::convertMinimum(const Node &node) { return convertMinMax(node, OpKind::Minimum); }
