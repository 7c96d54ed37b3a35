#include "Affine.h"

#include "ConstantEdit.h"
#include "Rewrite.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace mfc;

bool mfc::isConvLike(OpKind kind) {
  return kind == OpKind::Conv2D || kind == OpKind::DepthwiseConv2D || kind == OpKind::Dense;
}

int64_t mfc::outputChannelDim(OpKind kind) {
  assert(isConvLike(kind));
  return kind == OpKind::DepthwiseConv2D ? 3 : 0;
}

std::optional<std::vector<double>> mfc::perChannel(const Value &constant, int64_t channels) {
  const Shape &shape = constant.type.shape;
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    if (shape[d] != 1)
      return std::nullopt;
  std::vector<double> reals = realsOf(constant);
  if (reals.size() == 1)
    reals.assign(static_cast<size_t>(channels), reals[0]);
  if (static_cast<int64_t>(reals.size()) != channels)
    return std::nullopt;
  return reals;
}

static bool hasFloatBias(const Operation &conv) { return !conv.operandOrNull(2) || isFloatConstant(conv.operand(2)); }

bool mfc::acceptsAffine(const Graph &graph, const Value *value, const Affine &affine) {
  const Operation *op = value->producer();
  return op && isConvLike(op->kind()) && isFloat(value->type.element) && graph.useCount(value) == 1 &&
         hasFloatBias(*op) && (affine.scale.empty() || isFloatConstant(op->operand(1)));
}

/// Calls f(weight, output channel, index) for every weight.
template <typename F> static void forEachWeight(OpKind kind, const Shape &shape, std::vector<float> &weights, F &&f) {
  int64_t dim = outputChannelDim(kind), inner = 1;
  for (size_t d = static_cast<size_t>(dim) + 1; d < shape.size(); ++d)
    inner *= shape[d];
  for (size_t i = 0; i < weights.size(); ++i)
    f(weights[i], static_cast<size_t>(static_cast<int64_t>(i) / inner % shape[static_cast<size_t>(dim)]),
      static_cast<int64_t>(i));
}

static std::vector<double> biasOf(const Operation &conv, size_t channels) {
  if (const Value *bias = conv.operandOrNull(2))
    return realsOf(*bias);
  return std::vector<double>(channels, 0.0);
}

static Value *addBias(Graph &graph, llvm::ArrayRef<double> bias, std::string name) {
  std::vector<float> rounded(bias.begin(), bias.end());
  return addFloats(graph, {static_cast<int64_t>(rounded.size())}, rounded, std::move(name));
}

static std::string biasName(const Operation &conv) {
  return conv.operandOrNull(2) ? conv.operand(2)->name : conv.operand(1)->name + "/bias";
}

void mfc::foldAffineAfter(Graph &graph, Operation *conv, const Affine &affine, Operation *last) {
  std::vector<Value *> operands(conv->operands());
  size_t channels = static_cast<size_t>(conv->result()->type.dim(-1));
  std::vector<double> bias = biasOf(*conv, channels);
  if (!affine.scale.empty()) {
    std::vector<float> weights = floatsOf(*operands[1]);
    forEachWeight(conv->kind(), operands[1]->type.shape, weights, [&](float &w, size_t channel, int64_t) {
      w = static_cast<float>(w * affine.scale[channel]);
    });
    operands[1] = addFloats(graph, operands[1]->type.shape, weights, operands[1]->name);
  }
  for (size_t c = 0; c < channels; ++c)
    bias[c] = bias[c] * (affine.scale.empty() ? 1 : affine.scale[c]) + (affine.shift.empty() ? 0 : affine.shift[c]);
  operands.resize(2);
  if (conv->operandOrNull(2) || !affine.shift.empty())
    operands.push_back(addBias(graph, bias, biasName(*conv)));
  Value *value = copyOp(graph, *conv, operands, conv->attributes, last->result()->type, last);
  value->name = last->result()->name;
  replaceOp(graph, last, value);
}

/// Input channel that a weight multiplies.
static size_t inputChannel(const Operation &conv, int64_t index, size_t outputChannel) {
  const Shape &shape = conv.operand(1)->type.shape;
  int64_t channels = conv.operand(0)->type.dim(-1);
  if (conv.kind() == OpKind::DepthwiseConv2D)
    return outputChannel / static_cast<size_t>(shape[3] / channels);
  int64_t perGroup = shape.back();
  int64_t groups = channels / perGroup, outputs = shape[0];
  return static_cast<size_t>(static_cast<int64_t>(outputChannel) / (outputs / groups) * perGroup + index % perGroup);
}

bool mfc::foldAffineBefore(Graph &graph, Operation *conv, const Affine &affine) {
  if (!isConvLike(conv->kind()) || !isFloatConstant(conv->operand(1)) || !hasFloatBias(*conv))
    return false;
  bool shifts = llvm::any_of(affine.shift, [](double t) { return t != 0; });
  bool pads = conv->kind() != OpKind::Dense && llvm::any_of(conv->attrs<ConvAttrs>().pad, [](int64_t p) { return p; });
  if (shifts && pads)
    return false;
  Value *old = conv->operand(1);
  std::vector<float> weights = floatsOf(*old);
  std::vector<double> bias = biasOf(*conv, static_cast<size_t>(conv->result()->type.dim(-1)));
  forEachWeight(conv->kind(), old->type.shape, weights, [&](float &w, size_t channel, int64_t index) {
    size_t input = inputChannel(*conv, index, channel);
    if (shifts)
      bias[channel] += w * affine.shift[input];
    if (!affine.scale.empty())
      w = static_cast<float>(w * affine.scale[input]);
  });
  std::string name = biasName(*conv);
  conv->setOperand(1, addFloats(graph, old->type.shape, weights, old->name));
  if (conv->operandOrNull(2))
    conv->setOperand(2, addBias(graph, bias, name));
  else if (shifts)
    conv->addOperand(addBias(graph, bias, name));
  return true;
}
