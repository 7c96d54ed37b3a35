// See the header; the order of packed weights is described at GemmShape.
#include "Gemm.h"

#include "mfc/IR/Tensor.h"
#include "mfc/Ops/QuantizedForms.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

using namespace mfc;

namespace {
/// Calls f(channel, weight) for every constant weight of a conv2d, dense (rows) or depthwise (interleaved) operator.
template <typename F> void forEachWeight(const Operation &op, F &&f) {
  const Value *weights = op.operand(1);
  Tensor tensor(weights->type, weights->bytes());
  int64_t count = weights->type.count();
  bool interleaved = op.kind() == OpKind::DepthwiseConv2D;
  int64_t channels = interleaved ? weights->type.dim(-1) : weights->type.dim(0);
  for (int64_t i = 0; i < count; ++i)
    f(interleaved ? i % channels : i / (count / channels), tensor.getInteger(i));
}

int64_t channelCount(const Operation &op) {
  return op.kind() == OpKind::DepthwiseConv2D ? op.operand(1)->type.dim(-1) : op.operand(1)->type.dim(0);
}

int64_t biasOf(const Operation &op, int64_t channel) {
  const Value *bias = op.operandOrNull(2);
  if (!bias)
    return 0;
  return Tensor(bias->type, bias->bytes()).getInteger(bias->type.count() == 1 ? 0 : channel);
}
} // namespace

std::vector<int32_t> mfc::foldedBias(const Operation &op) {
  const TensorType &input = op.operand(0)->type;
  int64_t zeroPoint = input.quant ? input.quant->zeroPoint() : 0;
  std::vector<int64_t> sums(static_cast<size_t>(channelCount(op)));
  forEachWeight(op, [&](int64_t c, int64_t w) { sums[static_cast<size_t>(c)] += w; });
  std::vector<int32_t> folded;
  for (size_t c = 0; c < sums.size(); ++c) // wraps like the accumulator itself
    folded.push_back(static_cast<int32_t>(static_cast<uint64_t>(biasOf(op, static_cast<int64_t>(c)) - zeroPoint * sums[c])));
  return folded;
}

int64_t mfc::accumulatorBound(const Operation &op) {
  const TensorType &input = op.operand(0)->type;
  int64_t zeroPoint = input.quant ? input.quant->zeroPoint() : 0;
  int64_t reach = std::max(elementMax(input.element) - zeroPoint, zeroPoint - elementMin(input.element));
  std::vector<int64_t> sums(static_cast<size_t>(channelCount(op)));
  forEachWeight(op, [&](int64_t c, int64_t w) { sums[static_cast<size_t>(c)] += std::abs(w) * reach; });
  int64_t bound = 0;
  for (size_t c = 0; c < sums.size(); ++c)
    bound = std::max(bound, sums[c] + std::abs(biasOf(op, static_cast<int64_t>(c))));
  return bound;
}

GemmEmitter::GemmEmitter(KernelIO &io, int64_t k, int64_t channels, int64_t groups)
    : io(io), kb(io.kb), anchor(*io.kernel.anchor), k(k), groupChannels(channels / groups), groups(groups),
      inputType(anchor.operand(0)->type.element), weightType(anchor.operand(1)->type.element) {
  const TargetHooks &hooks = kb.cx.hooks();
  shape = hooks.gemmShape(inputType, weightType);
  shape.channels = static_cast<unsigned>(std::min<int64_t>(shape.channels, groupChannels));
  vectorLanes = tailLanes(io);
  std::vector<uint8_t> packed = packWeights();
  weights = kb.cx.constant(io.kernel.name + ".weights", llvm::ArrayRef<uint8_t>(packed), shape.step == 16 ? 16 : 4);
  if (isFloat(inputType)) {
    if (const Value *value = anchor.operandOrNull(2))
      bias = kb.cx.constant(io.kernel.name + ".bias", value->bytes(), 4);
    return;
  }
  std::vector<int32_t> folded = foldedBias(anchor);
  bias = kb.cx.constant(io.kernel.name + ".bias", llvm::ArrayRef<int32_t>(folded));
  RequantForm form = requantForm(anchor);
  requantizer.emplace(kb, io.kernel.name, form.multipliers, form.rounding, accumulatorBound(anchor),
                      form.out.zeroPoint);
}

int64_t GemmEmitter::blockBytes(unsigned channels) const {
  int64_t steps = (k + shape.step - 1) / shape.step;
  return steps * shape.step * channels * elementBytes(weightType);
}

std::vector<uint8_t> GemmEmitter::packWeights() const {
  llvm::ArrayRef<uint8_t> raw = anchor.operand(1)->bytes();
  int64_t size = elementBytes(weightType), padded = (k + shape.step - 1) / shape.step * shape.step;
  std::vector<uint8_t> packed;
  packed.reserve(static_cast<size_t>(padded * size * groupChannels * groups));
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t first = 0; first < groupChannels; first += shape.channels)
      for (int64_t step = 0; step < padded; step += shape.step)
        for (int64_t c = first; c < std::min<int64_t>(first + shape.channels, groupChannels); ++c)
          for (int64_t i = step; i < step + shape.step; ++i)
            for (int64_t byte = 0; byte < size; ++byte)
              packed.push_back(i < k ? raw[static_cast<size_t>(((group * groupChannels + c) * k + i) * size + byte)] : 0);
  return packed;
}

void GemmEmitter::emit(llvm::ArrayRef<llvm::Value *> inputs, llvm::ArrayRef<llvm::Value *> offsets,
                       llvm::Value *group) {
  int64_t whole = groupChannels / shape.channels;
  unsigned rest = static_cast<unsigned>(groupChannels % shape.channels);
  int64_t groupBytes = whole * blockBytes(shape.channels) + (rest ? blockBytes(rest) : 0);
  llvm::Value *groupWeights = kb.at(weights, kb.mulConst(group, groupBytes));
  llvm::Value *firstChannel = kb.mulConst(group, groupChannels);
  Values end = kb.loop("channels", whole, {groupWeights, firstChannel},
                       [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
                         emitBlock(inputs, offsets, now[1], now[0], shape.channels);
                         return Values{kb.at(now[0], blockBytes(shape.channels)), kb.add(now[1], kb.i32(shape.channels))};
                       });
  if (rest)
    emitBlock(inputs, offsets, end[1], end[0], rest);
}

void GemmEmitter::emitBlock(llvm::ArrayRef<llvm::Value *> inputs, llvm::ArrayRef<llvm::Value *> offsets,
                            llvm::Value *channel, llvm::Value *blockWeights, unsigned channels) {
  ElementType sumType = isFloat(inputType) ? ElementType::F32 : ElementType::I32;
  Values start;
  for (unsigned c = 0; c < channels; ++c)
    start.push_back(bias ? kb.load(sumType, kb.at(kb.at(bias, kb.mulConst(channel, 4)), 4 * c))
                         : kb.wideConstant(sumType, 0));
  Values sums;
  for (size_t p = 0; p < inputs.size(); ++p)
    sums.append(start.begin(), start.end());
  DotRequest request{inputs, blockWeights, k, channels, shape.step, inputType, weightType};
  sums = kb.cx.hooks().emitDot(kb, request, std::move(sums));
  storeBlock(sums, offsets, channel, channels);
}

void GemmEmitter::storeBlock(llvm::ArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> offsets,
                             llvm::Value *channel, unsigned channels) {
  unsigned lanes = vectorLanes == channels ? channels : 1;
  for (unsigned first = 0; first < channels; first += lanes) {
    llvm::Value *c = kb.add(channel, kb.i32(first));
    Requantizer::Channel parameters;
    if (requantizer)
      parameters = requantizer->loadChannel(c, lanes);
    for (size_t p = 0; p < offsets.size(); ++p) {
      llvm::Value *result = joinLanes(kb, sums.slice(p * channels + first, lanes));
      if (requantizer)
        result = requantizer->emit(result, parameters);
      storeResult(io, result, {kb.add(offsets[p], c), c, lanes});
    }
  }
}
