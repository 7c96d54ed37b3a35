// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED.
#include "OperatorTable.h"
#include "Weights.h"
#include "Windows.h"

using namespace mfc;
using namespace mfc::tflite;

template <typename Options> static std::optional<ConvAttrs> convAttributes(const Node &node, const Options &options) {
  if (!wantRank(node, 1, 4))
    return std::nullopt;
  const TensorType &weights = node.input(1)->type;
  WindowOptions window;
  window.kernel = {weights.dim(1), weights.dim(2)};
  window.stride = {options.stride_h, options.stride_w};
  window.dilation = {options.dilation_h, options.dilation_w};
  window.padding = options.padding;
  std::optional<std::array<int64_t, 4>> pad = explicitPadding(node, window);
  if (!pad)
    return std::nullopt;
  ConvAttrs attrs;
  attrs.stride = window.stride;
  attrs.dilation = window.dilation;
  attrs.pad = *pad;
  attrs.rounding = Rounding::TfliteDouble;
  return attrs;
}

bool tflite::convertConv2D(const Node &node) {
  auto options = node.options<fb::Conv2DOptions>();
  auto operands = weightedOperands(node, 0);
  std::optional<ConvAttrs> attrs = convAttributes(node, options);
  if (!operands || !attrs)
    return false;
  int64_t channels = node.input(0)->type.dim(3), perGroup = node.input(1)->type.dim(3);
  if (channels % perGroup != 0)
    return node.bad() << "weights read " << perGroup << " channels a group, but the input has " << channels;
  attrs->groups = channels / perGroup;
  return node.finish(node.activate(node.add(OpKind::Conv2D, *operands, *attrs, node.outputType()), options.fused_activation));
}

bool tflite::convertDepthwiseConv2D(const Node &node) {
  auto options = node.options<fb::DepthwiseConv2DOptions>();
  auto operands = weightedOperands(node, 3);
  std::optional<ConvAttrs> attrs = convAttributes(node, options);
  if (!operands || !attrs)
    return false;
  // depth_multiplier is redundant (weights tell), and newer runtimes ignore it.
  return node.finish(
      node.activate(node.add(OpKind::DepthwiseConv2D, *operands, *attrs, node.outputType()), options.fused_activation));
}

/// [batch, K]: TFLite reads the input as a matrix with rows of the length that the weights have.
static Value *asMatrix(const Node &node, Value *input, int64_t depth) {
  int64_t count = input->type.count();
  if (count % depth != 0) {
    node.bad() << "weights read rows of " << depth << " elements, but the input has " << count;
    return nullptr;
  }
  return node.reshape(input, {count / depth, depth});
}

bool tflite::convertFullyConnected(const Node &node) {
  auto options = node.options<fb::FullyConnectedOptions>();
  if (options.weights_format != 0)
    return node.unsupported() << "weights are in shuffled format " << int(options.weights_format)
                              << "; supported is the default format";
  if (!wantRank(node, 1, 2))
    return false;
  auto operands = weightedOperands(node, 0);
  if (!operands)
    return false;
  Value *&input = (*operands)[0];
  Shape rows = input->type.shape;
  int64_t outputs = node.input(1)->type.dim(0), depth = node.input(1)->type.dim(1);
  bool keepDims = options.keep_num_dims;
  if (!keepDims || rows.empty() || rows.back() != depth) {
    if (keepDims)
      return node.bad() << "weights read rows of " << depth << " elements, but the input is " << shapeText(rows);
    input = asMatrix(node, input, depth);
  }
  Value *product = node.add(OpKind::Dense, *operands, RoundingAttrs{Rounding::TfliteDouble}, node.outputType());
  product = node.activate(product, options.fused_activation);
  // Some converters keep leading dimensions of 1 in the stated shape without setting the option.
  const Shape &stated = node.outputType().shape;
  if (product && product->type.shape != stated && !keepDims && elementCount(stated) == product->type.count() &&
      !stated.empty() && stated.back() == outputs)
    product = node.reshape(product, stated);
  return node.finish(product);
}
