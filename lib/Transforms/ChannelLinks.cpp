#include "ChannelLinks.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

/// Keep hostile shapes from filling the memory (a channel takes about 100 bytes). A tensor of
/// MobileNetV2 has at most 1,280, all together 37,000.
static constexpr int64_t kMostChannels = int64_t(1) << 16;
static constexpr int64_t kMostChannelsOfGraph = int64_t(1) << 20;

int64_t mfc::channelCount(const Value &value) {
  const TensorType &type = value.type;
  if (type.quant && !type.quant->isPerTensor())
    return 0;
  int64_t channels = type.rank() == 0 ? 1 : type.dim(-1);
  return channels <= kMostChannels ? channels : 0;
}

bool mfc::canFollowChannels(const Graph &graph) {
  int64_t sum = 0;
  for (const Operation *op : graph.ops())
    for (const Value *result : op->results())
      sum += channelCount(*result);
  return sum <= kMostChannelsOfGraph;
}

using Links = std::vector<ChannelLink>;

/// Channel c of the operand, from `offset` on, is channel c of the result.
static void appendStraight(Links &links, size_t operand, int64_t channels, int64_t offset = 0) {
  for (int64_t c = 0; c < channels; ++c)
    links.push_back({operand, c, offset + c});
}

static Links straight(const Operation &op) {
  Links links;
  appendStraight(links, 0, channelCount(*op.result()));
  return links;
}

/// Each input channel must keep as many outputs as the others; a single one may have any number.
static Links depthwiseLinks(const Operation &op) {
  const int64_t inputs = channelCount(*op.operand(0)), outputs = channelCount(*op.result());
  const int64_t multiplier = outputs / inputs;
  Links links;
  for (int64_t c = 0; c < outputs; ++c)
    links.push_back({0, c / multiplier, c, /*tied=*/inputs > 1 || multiplier == 1});
  return links;
}

static Links broadcastLinks(const Operation &op) {
  const int64_t channels = channelCount(*op.result());
  Links links;
  for (auto [i, operand] : llvm::enumerate(op.operands())) {
    if (channelCount(*operand) == channels) {
      appendStraight(links, i, channels);
      continue;
    }
    for (int64_t c = 0; c < channels; ++c)
      links.push_back({i, 0, c, /*tied=*/false});
  }
  return links;
}

/// Row-major order: where one last dimension divides the other, element numbers agree modulo the
/// smaller one.
static std::optional<Links> reshapeLinks(const Operation &op) {
  const int64_t in = channelCount(*op.operand(0)), out = channelCount(*op.result());
  if (in % out != 0 && out % in != 0)
    return std::nullopt;
  Links links;
  for (int64_t c = 0, n = std::max(in, out); c < n; ++c)
    links.push_back({0, c % in, c % out});
  return links;
}

static std::optional<Links> concatLinks(const Operation &op) {
  const int64_t last = op.result()->type.rank() - 1;
  const bool joins = op.attrs<AxisAttrs>().axis == last;
  Links links;
  int64_t offset = 0;
  for (auto [i, operand] : llvm::enumerate(op.operands())) {
    appendStraight(links, i, channelCount(*operand), joins ? offset : 0);
    offset += channelCount(*operand);
  }
  return links;
}

static std::optional<Links> sliceLinks(const Operation &op) {
  const SliceAttrs &attrs = op.attrs<SliceAttrs>();
  if (attrs.begin.empty() || (attrs.stride.back() != 1 && op.result()->type.dim(-1) != 1))
    return std::nullopt;
  Links links;
  for (int64_t c = 0, n = channelCount(*op.result()); c < n; ++c)
    links.push_back({0, attrs.begin.back() + c, c});
  return links;
}

static Links padLinks(const Operation &op) {
  const PadAttrs &attrs = op.attrs<PadAttrs>();
  Links links;
  appendStraight(links, 0, channelCount(*op.operand(0)),
                 attrs.before.empty() ? 0 : attrs.before.back());
  return links;
}

static bool meansOverChannels(const Operation &op) {
  return llvm::is_contained(op.attrs<ReduceAttrs>().axes, op.operand(0)->type.rank() - 1);
}

static bool movesChannels(const Operation &op) {
  const std::vector<int64_t> &perm = op.attrs<TransposeAttrs>().perm;
  return !perm.empty() && perm.back() != static_cast<int64_t>(perm.size()) - 1;
}

static std::optional<Links> linksOf(const Operation &op) {
  switch (op.kind()) {
  case OpKind::DepthwiseConv2D:
    return depthwiseLinks(op);
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Maximum:
  case OpKind::Minimum:
    return broadcastLinks(op);
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
  case OpKind::Clamp:
  case OpKind::LeakyRelu:
  case OpKind::Logistic:
  case OpKind::Tanh:
  case OpKind::Exp:
  case OpKind::Sqrt:
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Quantize:
  case OpKind::Dequantize:
  case OpKind::Requantize:
  case OpKind::Cast:
  case OpKind::Identity:
    return straight(op);
  case OpKind::ReduceMean:
    return meansOverChannels(op) ? std::nullopt : std::optional(straight(op));
  case OpKind::Transpose:
    return movesChannels(op) ? std::nullopt : std::optional(straight(op));
  case OpKind::Reshape:
    return reshapeLinks(op);
  case OpKind::Concat:
    return concatLinks(op);
  case OpKind::Slice:
    return sliceLinks(op);
  case OpKind::Pad:
    return padLinks(op);
  case OpKind::Conv2D:
  case OpKind::Dense:
  case OpKind::Softmax:
  case OpKind::BatchNorm:
  case OpKind::Gather:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Links> mfc::channelLinks(const Operation &op) {
  const bool followed = llvm::all_of(
      op.operands(), [](const Value *v) { return v->isConstant() || channelCount(*v); });
  if (op.results().size() != 1 || !channelCount(*op.result()) || !followed)
    return std::nullopt;
  return linksOf(op);
}
