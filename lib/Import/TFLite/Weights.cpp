// Checks of weights and bias; see the header. Rules: TFLite 8-bit quantization specification (weights symmetric, bias
// int32 with the scale input times weights).
#include "Weights.h"

#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mfc;
using namespace mfc::tflite;

/// How far a bias scale may be from input scale times weight scale. Converters store the product rounded to float
/// (relative error below 2^-23), some after another rounding; more means another scale.
static constexpr double kBiasScaleTolerance = 1e-3;

static bool checkElements(const Node &node, WeightedPositions at) {
  ElementType in = node.input(at.input)->type.element, weights = node.input(at.weights)->type.element;
  ElementType out = node.outputType().element;
  bool isFloatOp = in == ElementType::F32 && weights == ElementType::F32 && out == ElementType::F32;
  bool isInt8Op = in == ElementType::I8 && weights == ElementType::I8 && out == ElementType::I8;
  if (isFloatOp || isInt8Op)
    return true;
  auto error = node.unsupported();
  error << "input is " << elementName(in) << ", weights are " << elementName(weights) << " and output is "
        << elementName(out) << "; supported are all f32 and all i8";
  if (in == ElementType::F32 && weights == ElementType::I8)
    error << " (this is dynamic-range quantization: convert with full integer quantization)";
  return false;
}

static bool checkWeights(const Node &node, int channelDim, WeightedPositions at) {
  const Value &weights = *node.input(at.weights);
  if (!weights.isConstant() && !constantValue(weights))
    return node.unsupported() << "weights must be constant, but tensor '" << weights.name << "' is computed at run time";
  if (isFloat(weights.type.element))
    return true;
  if (!node.wantQuantized(*node.input(at.input)) || !node.wantQuantized(weights))
    return false;
  if (!node.outputType().isQuantized())
    return node.bad() << "output tensor '" << node.outputInfo().name << "' has no quantization";
  const Quantization &quant = *weights.type.quant;
  if (!quant.isPerTensor() && quant.axis != channelDim)
    return node.badInput(at.weights) << "weights are quantized along dimension " << quant.axis
                            << "; wanted that of the output channels, " << channelDim;
  if (llvm::any_of(quant.zeroPoints, [](int32_t z) { return z != 0; }))
    return node.badInput(at.weights) << "weights have a zero point other than 0; wanted symmetric weights";
  for (int i : {0, -1}) {
    const TensorType &type = i ? node.outputType() : node.input(at.input)->type;
    if (!type.quant->isPerTensor())
      return node.bad() << (i ? "output" : "input") << " is quantized per channel; wanted one scale";
  }
  return true;
}

/// The scale that the bias must have for channel i, and with it its quantization.
static Quantization biasQuantization(const Node &node, WeightedPositions at) {
  const Quantization &weights = *node.input(at.weights)->type.quant;
  Quantization result;
  result.axis = weights.isPerTensor() ? -1 : 0;
  for (float scale : weights.scales) {
    result.scales.push_back(float(double(node.input(at.input)->type.quant->scale()) * double(scale)));
    result.zeroPoints.push_back(0);
  }
  return result;
}

static bool checkBiasQuantization(const Node &node, const Quantization &wanted, WeightedPositions at) {
  const Value &bias = *node.input(at.bias);
  if (!bias.type.isQuantized())
    return true; // the scale is implied
  const Quantization &found = *bias.type.quant;
  if (found.scales.size() != wanted.scales.size())
    return node.badInput(at.bias) << "bias has " << found.scales.size() << " quantization scales and the weights have "
                            << wanted.scales.size() << "; wanted as many";
  for (size_t i = 0; i < wanted.scales.size(); ++i) {
    if (found.zeroPoints[i] != 0)
      return node.badInput(at.bias) << "bias has zero point " << found.zeroPoints[i] << "; wanted 0";
    double difference = std::fabs(double(found.scales[i]) - double(wanted.scales[i]));
    if (!(difference <= kBiasScaleTolerance * double(wanted.scales[i])))
      return node.badInput(at.bias) << "bias scale " << i << " is " << double(found.scales[i])
                              << ", but input scale times weight scale is " << double(wanted.scales[i]);
  }
  return true;
}

static Value *checkedBias(const Node &node, int64_t channels, WeightedPositions at) {
  const Value &bias = *node.input(at.bias);
  bool isFloatOp = isFloat(node.input(at.weights)->type.element);
  ElementType wanted = isFloatOp ? ElementType::F32 : ElementType::I32;
  if (bias.type.element != wanted) {
    node.unsupported() << "bias has element type " << elementName(bias.type.element) << "; supported is "
                       << elementName(wanted);
    return nullptr;
  }
  if (!bias.isConstant()) {
    node.unsupported() << "bias must be constant, but tensor '" << bias.name << "' is computed at run time";
    return nullptr;
  }
  if (bias.type.count() != channels) {
    node.badInput(at.bias) << "bias has " << bias.type.count() << " elements, but the weights have " << channels
                     << " output channels";
    return nullptr;
  }
  TensorType type{wanted, {channels}, std::nullopt};
  if (!isFloatOp) {
    type.quant = biasQuantization(node, at);
    if (!checkBiasQuantization(node, *type.quant, at))
      return nullptr;
  }
  return node.retyped(at.bias, std::move(type));
}

std::optional<std::vector<Value *>> tflite::weightedOperands(const Node &node, int channelDim, WeightedPositions at) {
  const TensorType &weights = node.input(at.weights)->type;
  if (channelDim >= weights.rank()) {
    node.badInput(at.weights) << "weights have shape " << shapeText(weights.shape) << "; wanted at least " << channelDim + 1
                     << " dimensions";
    return std::nullopt;
  }
  if (!checkElements(node, at) || !checkWeights(node, channelDim, at))
    return std::nullopt;
  std::vector<Value *> operands{node.input(at.input), node.input(at.weights)};
  if (node.hasInput(at.bias)) {
    Value *bias = checkedBias(node, weights.dim(channelDim), at);
    if (!bias)
      return std::nullopt;
    operands.push_back(bias);
  }
  return operands;
}
