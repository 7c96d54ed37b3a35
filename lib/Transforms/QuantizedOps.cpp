#include "QuantizedOps.h"

#include "Affine.h"
#include "ConstantEdit.h"
#include "Rewrite.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace mfc;

/// The stored tensor under a dequantize, else null.
static Value *storedUnder(const Value *value) {
  Operation *op = producerOfKind(value, OpKind::Dequantize);
  return op ? op->operand(0) : nullptr;
}

/// A real constant of one element: exact as stored value times scale.
static bool isSingleFloat(const Value *value) {
  return isFloatConstant(value) && value->type.count() == 1 && std::isfinite(floatsOf(*value)[0]);
}

namespace {
enum class Form { None, Weighted, Binary, Unary };
} // namespace

static Form formOf(OpKind kind) {
  switch (kind) {
  case OpKind::Conv2D:
  case OpKind::DepthwiseConv2D:
  case OpKind::Dense:
    return Form::Weighted;
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
    return Form::Binary;
  case OpKind::AvgPool2D:
  case OpKind::ReduceMean:
  case OpKind::Softmax:
  case OpKind::LeakyRelu:
  case OpKind::Logistic:
  case OpKind::Tanh:
  case OpKind::Neg:
  case OpKind::Abs:
    return Form::Unary;
  case OpKind::MaxPool2D: // data movement and clamps commute with quantize: see fold-qdq
  case OpKind::Maximum:
  case OpKind::Minimum:
  case OpKind::Clamp:
  case OpKind::Reshape:
  case OpKind::Transpose:
  case OpKind::Concat:
  case OpKind::Slice:
  case OpKind::Pad:
  case OpKind::Gather:
  case OpKind::Identity:
    return Form::None;
  case OpKind::Div: // no integer form
  case OpKind::Exp:
  case OpKind::Sqrt:
  case OpKind::Quantize:
  case OpKind::Dequantize:
  case OpKind::Requantize:
  case OpKind::Cast:
  case OpKind::BatchNorm:
    return Form::None;
  }
  return Form::None;
}

bool mfc::hasQuantizedForm(const Operation &op) {
  switch (formOf(op.kind())) {
  case Form::None:
    return false;
  case Form::Unary:
    return storedUnder(op.operand(0)) != nullptr;
  case Form::Binary: {
    auto stored = [](const Value *v) { return storedUnder(v) || isSingleFloat(v); };
    return llvm::all_of(op.operands(), stored) && llvm::any_of(op.operands(), storedUnder);
  }
  case Form::Weighted: {
    bool weights = storedUnder(op.operand(1)) && storedUnder(op.operand(1))->isConstant();
    return storedUnder(op.operand(0)) && weights && (!op.operandOrNull(2) || constantUnder(op.operand(2)));
  }
  }
  return false;
}

/// Bias in units of the accumulator: i32 with scale input x weights. Null if a value does not fit.
static Value *accumulatorBias(Graph &graph, const Value &bias, const TensorType &input, const TensorType &weights) {
  std::vector<double> reals = realsOf(bias);
  size_t channels = reals.size();
  const Quantization &w = *weights.quant;
  Quantization quant;
  quant.axis = w.isPerTensor() ? -1 : 0;
  std::vector<uint8_t> bytes(channels * sizeof(int32_t));
  for (size_t c = 0; c < channels; ++c) {
    double scale = static_cast<double>(input.quant->scale()) * static_cast<double>(w.scale(c));
    double stored = std::nearbyint(reals[c] / scale);
    if (!(std::abs(stored) <= std::numeric_limits<int32_t>::max()))
      return nullptr;
    int32_t value = static_cast<int32_t>(stored);
    std::memcpy(&bytes[c * sizeof value], &value, sizeof value);
    if (c < w.scales.size()) {
      quant.scales.push_back(static_cast<float>(scale));
      quant.zeroPoints.push_back(0);
    }
  }
  TensorType type{ElementType::I32, {static_cast<int64_t>(channels)}, quant};
  return graph.addConstant(type, std::move(bytes), bias.name);
}

/// c as stored value times scale. 64 leaves the sum of an add most of its bits and divides exactly.
static Value *storedSingle(Graph &graph, const Value &constant, ElementType element) {
  float real = floatsOf(constant)[0];
  float scale = real == 0 ? 1.0f : std::abs(real) / 64;
  Tensor tensor(quantizedType(element, constant.type.shape, scale, 0));
  tensor.setInteger(0, real == 0 ? 0 : real < 0 ? -64 : 64);
  return addTensor(graph, std::move(tensor), constant.name);
}

static void setRounding(Attributes &attributes, Rounding rounding) {
  std::visit(
      [&](auto &attrs) {
        if constexpr (requires { attrs.rounding; })
          attrs.rounding = rounding;
      },
      attributes);
}

/// Operands in stored form; empty (with the reason) if the bias does not fit.
static std::vector<Value *> storedOperands(Graph &graph, const Operation &op, std::string &reason) {
  std::vector<Value *> operands;
  ElementType element = ElementType::I8;
  for (Value *operand : op.operands())
    if (Value *stored = storedUnder(operand))
      element = stored->type.element;
  for (Value *operand : op.operands()) {
    Value *stored = storedUnder(operand);
    if (isConvLike(op.kind()) && operands.size() == 2)
      stored = accumulatorBias(graph, *constantUnder(operand), operands[0]->type, operands[1]->type);
    else if (!stored)
      stored = storedSingle(graph, *operand, element);
    if (!stored) {
      reason = "a bias value does not fit the 32-bit accumulator";
      return {};
    }
    operands.push_back(stored);
  }
  return operands;
}

Value *mfc::buildQuantizedForm(Graph &graph, Operation *op, Operation *quantize, std::string &reason) {
  std::vector<Value *> operands = storedOperands(graph, *op, reason);
  if (operands.empty())
    return nullptr;
  Attributes attributes = op->attributes;
  setRounding(attributes, quantize->attrs<RoundingAttrs>().rounding);
  Value *value = graph.add(op->kind(), operands, attributes, quantize->result()->type, op->loc,
                           quantize->result()->name, quantize);
  DiagnosticEngine problems; // what the verifier refuses stays float
  if (verifyOp(*value->producer(), problems))
    return value;
  reason = problems.diagnostics().empty() ? "refused" : problems.diagnostics().front().message;
  graph.erase(value->producer());
  return nullptr;
}
