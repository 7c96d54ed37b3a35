// See the header.
#include "GemmShape.h"

#include "mfc/IR/Tensor.h"

#include <algorithm>
#include <cstdlib>

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

std::vector<SumRange> mfc::accumulatorRanges(const Operation &op) {
  const TensorType &input = op.operand(0)->type;
  int64_t zeroPoint = input.quant ? input.quant->zeroPoint() : 0;
  int64_t lo = elementMin(input.element) - zeroPoint, hi = elementMax(input.element) - zeroPoint;
  std::vector<SumRange> ranges;
  for (int64_t c = 0; c < channelCount(op); ++c)
    ranges.push_back({biasOf(op, c), biasOf(op, c)});
  forEachWeight(op, [&](int64_t c, int64_t w) {
    SumRange &range = ranges[static_cast<size_t>(c)];
    range.least += std::min(lo * w, hi * w);
    range.most += std::max(lo * w, hi * w);
  });
  return ranges;
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

GemmProblem::GemmProblem(const Operation &anchor, int64_t rows)
    : input(anchor.operand(0)->type.element), weight(anchor.operand(1)->type.element), rows(rows), anchor(anchor),
      raw(anchor.operand(1)->bytes()) {
  const TensorType &type = anchor.operand(1)->type;
  groups = anchor.kind() == OpKind::Conv2D ? anchor.attrs<ConvAttrs>().groups : 1;
  groupChannels = type.dim(0) / groups;
  k = type.count() / type.dim(0);
}

int64_t GemmProblem::at(int64_t channel, int64_t index) const {
  size_t i = static_cast<size_t>(channel * k + index);
  if (weight == ElementType::I8)
    return static_cast<int8_t>(raw[i]);
  return Tensor(anchor.operand(1)->type, raw).getInteger(static_cast<int64_t>(i));
}

bool GemmProblem::bytePairsExact() const {
  if (!bytes())
    return false;
  std::vector<int32_t> bias = foldedBias(anchor);
  for (int64_t c = 0; c < channels(); ++c) {
    if (c % groupChannels % 2 == 0)
      continue;
    int64_t bound = std::abs(static_cast<int64_t>(bias[static_cast<size_t>(c)]));
    for (int64_t i = 0; i < k; ++i) {
      int64_t packed = at(c - 1, i) + 256 * at(c, i);
      if (packed < INT16_MIN || packed > INT16_MAX)
        return false;
      bound += 128 * std::abs(at(c, i));
    }
    if (bound >= int64_t(1) << 23)
      return false;
  }
  return true;
}

unsigned GemmProblem::halfPairsGroup(llvm::ArrayRef<unsigned> lengths) const {
  if (!bytes())
    return 0;
  auto exact = [&](unsigned length) {
    for (int64_t c = 0; c < channels(); ++c)
      for (int64_t first = 0; first < k; first += length) {
        int64_t sum = 0;
        for (int64_t i = first; i < std::min<int64_t>(k, first + length); ++i)
          sum += std::abs(at(c, i));
        if (sum > kMostWeightSum)
          return false;
      }
    return true;
  };
  unsigned best = 0;
  for (unsigned length : lengths)
    if (length > best && exact(length))
      best = length;
  return best;
}

namespace {
/// Exchanges K values between groups until no channel's sum of |w| in a group is above the limit. Deterministic: the
/// pairs come from a small generator with a fixed seed, and only exchanges that do not make things worse are kept.
class OrderSearch {
public:
  OrderSearch(const GemmProblem &problem, unsigned length)
      : problem(problem), length(length), groups((problem.k + length - 1) / length) {
    for (int64_t i = 0; i < groups * length; ++i) // places from k on are empty
      order.push_back(static_cast<uint16_t>(i));
    sums.assign(static_cast<size_t>(groups * problem.channels()), 0);
    excess.assign(static_cast<size_t>(groups), 0);
    for (int64_t c = 0; c < problem.channels(); ++c) {
      int64_t total = 0;
      for (int64_t i = 0; i < problem.k; ++i) {
        sum(i / length, c) += weight(c, i);
        total += weight(c, i);
      }
      hopeless |= total > kMostWeightSum * groups;
    }
  }

  bool run() {
    if (hopeless)
      return false;
    int64_t total = 0;
    for (int64_t g = 0; g < groups; ++g)
      total += excess[static_cast<size_t>(g)] = measuredExcess(g);
    constexpr int kTries = 6000;
    for (int i = 0; total > 0 && i < kTries; ++i) {
      int64_t a = next() % groups;
      for (int64_t tries = 0; tries < groups && excess[static_cast<size_t>(a)] == 0; ++tries)
        a = (a + 1) % groups;
      int64_t b = next() % groups;
      if (a != b)
        total += exchange(a * length + next() % length, b * length + next() % length);
    }
    return total == 0;
  }

  std::vector<uint16_t> order;

private:
  int64_t &sum(int64_t group, int64_t channel) {
    return sums[static_cast<size_t>(group * problem.channels() + channel)];
  }
  int64_t weight(int64_t channel, int64_t place) const {
    return place < problem.k ? std::abs(problem.at(channel, place)) : 0;
  }
  int64_t measuredExcess(int64_t group) {
    int64_t above = 0;
    for (int64_t c = 0; c < problem.channels(); ++c)
      above += std::max<int64_t>(sum(group, c) - kMostWeightSum, 0);
    return above;
  }
  void move(int64_t from, int64_t to, uint16_t value) {
    for (int64_t c = 0; c < problem.channels(); ++c)
      sum(from, c) -= weight(c, value), sum(to, c) += weight(c, value);
  }
  /// The change of the excess; undone if it grows.
  int64_t exchange(int64_t i, int64_t j) {
    int64_t a = i / length, b = j / length;
    if (std::max(i, j) >= problem.k) // the places behind K stay empty
      return 0;
    uint16_t &x = order[static_cast<size_t>(i)], &y = order[static_cast<size_t>(j)];
    move(a, b, x), move(b, a, y);
    int64_t &excessA = excess[static_cast<size_t>(a)], &excessB = excess[static_cast<size_t>(b)];
    int64_t newA = measuredExcess(a), newB = measuredExcess(b), change = newA + newB - excessA - excessB;
    if (change > 0) {
      move(b, a, x), move(a, b, y);
      return 0;
    }
    std::swap(x, y);
    excessA = newA, excessB = newB;
    return change;
  }
  int64_t next() { // Numerical Recipes' linear congruential generator; its upper bits
    state = state * 1664525u + 1013904223u;
    return state >> 12;
  }

  const GemmProblem &problem;
  int64_t length, groups;
  std::vector<int64_t> sums, excess; ///< by group and channel; by group: what is above the limit, over all channels
  bool hopeless = false;
  uint32_t state = 1;
};
} // namespace

std::vector<uint16_t> GemmProblem::halfPairsOrder(unsigned length) const {
  if (!bytes() || k > UINT16_MAX)
    return {};
  OrderSearch search(*this, length);
  if (!search.run())
    return {};
  std::vector<uint16_t> order = std::move(search.order);
  order.resize(static_cast<size_t>(k));
  return order;
}

int64_t GemmProblem::blockBytes(const GemmShape &shape, unsigned blockChannels) const {
  int64_t pairs = (blockChannels + 1) / 2;
  switch (shape.packing) {
  case WeightPacking::Rows:
    return paddedK(shape) * blockChannels * elementBytes(weight);
  case WeightPacking::BytePairs:
    return paddedK(shape) * pairs * 2;
  case WeightPacking::HalfPairs:
    return k * pairs * 4;
  }
  llvm_unreachable("covered switch");
}

void mfc::appendInteger(std::vector<uint8_t> &bytes, int64_t value, int64_t size) {
  for (int64_t i = 0; i < size; ++i)
    bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
}

void GemmProblem::packBlock(const GemmShape &shape, int64_t first, int64_t count, std::vector<uint8_t> &bytes) const {
  int64_t size = elementBytes(weight), padded = paddedK(shape);
  auto rows = [&] {
    for (int64_t step = 0; step < padded; step += shape.step)
      for (int64_t c = first; c < first + count; ++c)
        for (int64_t i = step; i < step + shape.step; ++i)
          for (int64_t byte = 0; byte < size; ++byte)
            bytes.push_back(i < k ? raw[static_cast<size_t>((c * k + i) * size + byte)] : 0);
  };
  auto pairs = [&](llvm::ArrayRef<int64_t> inStep, int64_t factor, int64_t wordBytes) {
    int64_t step = static_cast<int64_t>(inStep.size());
    for (int64_t from = 0; from < k; from += step)
      for (int64_t c = first; c < first + count; c += 2)
        for (int64_t i : inStep) {
          int64_t place = from + i < k && !shape.order.empty() ? shape.order[static_cast<size_t>(from + i)] : from + i;
          int64_t a = place < k ? at(c, place) : 0;
          int64_t b = place < k && c + 1 < first + count ? at(c + 1, place) : 0;
          appendInteger(bytes, a + factor * b, wordBytes);
        }
  };
  switch (shape.packing) {
  case WeightPacking::Rows:
    return rows();
  case WeightPacking::BytePairs:
    return pairs({0, 2, 1, 3}, 256, 2);
  case WeightPacking::HalfPairs:
    return pairs({0}, 65536, 4);
  }
}

std::vector<int32_t> GemmProblem::startValues(const GemmShape &shape, const std::vector<int32_t> &offsets) const {
  std::vector<int32_t> bias = foldedBias(anchor), start = bias;
  auto offset = [&](size_t c) { return offsets.empty() ? 0u : static_cast<uint32_t>(offsets[c]); };
  if (shape.packing != WeightPacking::BytePairs)
    for (size_t c = 0; c < bias.size(); ++c)
      start[c] = bias[c] = static_cast<int32_t>(static_cast<uint32_t>(bias[c]) + offset(c));
  if (shape.packing == WeightPacking::Rows)
    return start;
  uint32_t unpackings = shape.group ? static_cast<uint32_t>((k + shape.group - 1) / shape.group) : 0;
  for (int64_t c = 0; c < channels(); ++c) {
    auto i = static_cast<size_t>(c);
    bool second = c % groupChannels % 2 == 1;
    if (shape.packing == WeightPacking::BytePairs) { // A, or T = A + 256 * B
      uint32_t a = static_cast<uint32_t>(bias[second ? i - 1 : i]) + offset(second ? i - 1 : i);
      start[i] = static_cast<int32_t>(second ? a + 256 * static_cast<uint32_t>(bias[i]) + offset(i) : a);
    } else if (second) {
      // The packed sum; every unpacking adds a half of the upper field's unit, for floor to round to nearest.
      uint32_t packed = static_cast<uint32_t>(bias[i - 1]) + 65536 * static_cast<uint32_t>(bias[i]);
      start[i - 1] = static_cast<int32_t>(packed - 32768 * unpackings);
    }
  }
  return start;
}
