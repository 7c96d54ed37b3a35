// TRANSPOSE_CONV: a convolution over its phases (../TransposedConv.h). Operands: result's shape, weights OHWI, input, bias.
#include "OperatorTable.h"
#include "Weights.h"
#include "Windows.h"

#include "../TransposedConv.h"

using namespace mfc;
using namespace mfc::tflite;

/// Elements of the weights of all phases; more do not fit any microcontroller.
static constexpr int64_t kMostWeights = int64_t(1) << 24;

/// Rows or columns in front of the result that the kernel's reach is cut by: TFLite computes the padding as that of the
/// convolution from the result to the input (ComputePaddingHeightWidth).
static int64_t paddingBefore(int64_t outputs, int64_t kernel, int64_t stride, fb::Padding padding) {
  int64_t positions = padding == fb::Padding::Same ? (outputs + stride - 1) / stride : (outputs - kernel + stride) / stride;
  return std::max<int64_t>((positions - 1) * stride + kernel - outputs, 0) / 2;
}

static std::optional<TransposedConv> readConv(const Node &node, const fb::TransposeConvOptionsT &options) {
  const Shape &weights = node.input(1)->type.shape, &in = node.input(2)->type.shape;
  std::optional<std::vector<int64_t>> shape = node.constantIntegers(0);
  if (!shape || !wantRank(node, 1, 4) || !wantRank(node, 2, 4))
    return std::nullopt;
  constexpr int64_t kLargest = int64_t(1) << 24;
  bool good = shape->size() == 4 && (*shape)[0] == in[0] && (*shape)[3] == weights[0] && weights[3] == in[3];
  for (size_t d : {size_t(1), size_t(2)})
    good &= shape->size() == 4 && (*shape)[d] >= 1 && (*shape)[d] <= kLargest && in[d] <= kLargest && weights[d] <= kLargest;
  good &= options.stride_h >= 1 && options.stride_w >= 1 && options.stride_h <= kLargest && options.stride_w <= kLargest;
  if (!good) {
    node.bad() << "transposed convolution of " << shapeText(in) << " with weights " << shapeText(weights) << " and strides "
               << options.stride_h << " and " << options.stride_w << " cannot give " << shapeText(*shape);
    return std::nullopt;
  }
  auto window = [&](size_t d, int64_t stride) {
    int64_t outputs = (*shape)[d], kernel = weights[d];
    return TransposedWindow{in[d], kernel, stride, 1, paddingBefore(outputs, kernel, stride, options.padding), outputs};
  };
  TransposedConv conv{window(1, options.stride_h), window(2, options.stride_w), 1, weights[0], weights[3]};
  if (conv.weightCount(kMostWeights))
    return conv;
  node.unsupported() << "strides " << options.stride_h << " and " << options.stride_w << " make the weights of all phases more than "
                     << kMostWeights << " elements";
  return std::nullopt;
}

bool tflite::convertTransposeConv(const Node &node) {
  auto options = node.options<fb::TransposeConvOptions>();
  auto operands = weightedOperands(node, 0, {2, 1, 3});
  std::optional<TransposedConv> conv = operands ? readConv(node, options) : std::nullopt;
  if (!conv)
    return false;
  for (size_t i = 1; i < operands->size(); ++i)
    if (!(*operands)[i]->isConstant())
      return node.unsupported() << "weights of a transposed convolution must be stored in the model";
  int64_t rows = conv->y.kernel, columns = conv->x.kernel;
  auto constant = [&](const Tensor &tensor) { return node.constant(tensor.type, tensor.bytes); };
  auto stored = [&](size_t i) { return Tensor((*operands)[i]->type, (*operands)[i]->bytes()); };
  Tensor weights = conv->weights(stored(1), [&](int64_t, int64_t channel, int64_t ky, int64_t kx, int64_t in) {
    return ((channel * rows + ky) * columns + kx) * conv->depth + in;
  });
  (*operands)[1] = constant(weights);
  if (operands->size() > 2)
    (*operands)[2] = constant(conv->bias(stored(2)));
  Value *result = node.add(OpKind::Conv2D, *operands, conv->attributes(Rounding::TfliteDouble), node.outputType());
  result = node.activate(result, options.fused_activation);
  auto reshape = [&](Value *value, Shape shape) { return node.reshape(value, std::move(shape)); };
  auto transpose = [&](Value *value, std::vector<int64_t> perm) {
    return value ? node.add(OpKind::Transpose, {value}, TransposeAttrs{std::move(perm)}, value->type) : nullptr;
  };
  auto slice = [&](Value *value, SliceAttrs attrs, Shape shape) {
    TensorType type{value->type.element, std::move(shape), value->type.quant};
    return node.add(OpKind::Slice, {value}, std::move(attrs), type);
  };
  return node.finish(conv->interleave(result, {reshape, transpose, slice}));
}
