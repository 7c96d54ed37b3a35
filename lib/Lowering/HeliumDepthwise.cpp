// See the header.
#include "HeliumDepthwise.h"

#include "GemmShape.h"
#include "mfc/IR/Tensor.h"

#include "llvm/IR/IntrinsicsARM.h"
#include <algorithm>
#include <cstdlib>

using namespace mfc;

static constexpr unsigned kBlock = ByteVectors::kChannels;
static constexpr size_t kUnrolledGroups = 5;

namespace {
/// Puts taps into groups so that no channel's sum of |w| in a group exceeds kMost: the first partition that a bounded
/// search with one more group each time finds.
class TapPartition {
public:
  explicit TapPartition(const Operation &op) {
    const TensorType &type = op.operand(1)->type;
    Tensor tensor(type, op.operand(1)->bytes());
    channels = type.dim(-1), taps = type.count() / channels;
    for (int64_t i = 0; i < type.count(); ++i)
      weights.push_back(static_cast<int32_t>(std::abs(tensor.getInteger(i))));
  }

  /// Many taps are not searched, and their groups are equal, short and in order, so that they are one small loop.
  TapGroups find() {
    if (taps > kMostSearched)
      return equalGroups();
    for (int64_t count = 1; count < taps; ++count) {
      sums.assign(static_cast<size_t>(count * channels), 0);
      groupOf.assign(static_cast<size_t>(taps), 0);
      steps = 0;
      if (place(0, count, 0))
        return result(count);
    }
    groupOf.clear(); // one tap a group always fits
    for (int64_t tap = 0; tap < taps; ++tap)
      groupOf.push_back(tap);
    return result(taps);
  }

private:
  static constexpr int32_t kMost = kMostWeightSum;
  static constexpr int kMostSteps = 20000;
  static constexpr int64_t kMostSearched = 9, kLongestEqual = 4;

  TapGroups equalGroups() const {
    int64_t length = kLongestEqual;
    while (length > 1 && !fitInOrder(length))
      --length;
    TapGroups groups;
    for (int64_t tap = 0; tap < taps; ++tap)
      groups.slots.push_back(tap);
    for (int64_t first = 0; first < taps; first += length)
      groups.sizes.push_back(std::min(length, taps - first));
    return groups;
  }

  bool fitInOrder(int64_t length) const {
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t first = 0; first < taps; first += length) {
        int32_t sum = 0;
        for (int64_t tap = first; tap < std::min(taps, first + length); ++tap)
          sum += weights[static_cast<size_t>(tap * channels + c)];
        if (sum > kMost)
          return false;
      }
    return true;
  }

  /// Groups that are still empty are all alike: only the first of them is tried.
  bool place(int64_t tap, int64_t count, int64_t used) {
    if (tap == taps)
      return true;
    for (int64_t g = 0; g < std::min(count, used + 1); ++g) {
      if (++steps > kMostSteps)
        return false;
      if (!add(tap, g, 1)) {
        add(tap, g, -1);
        continue;
      }
      groupOf[static_cast<size_t>(tap)] = g;
      if (place(tap + 1, count, std::max(used, g + 1)))
        return true;
      add(tap, g, -1);
    }
    return false;
  }

  bool add(int64_t tap, int64_t g, int32_t sign) {
    bool fits = true;
    for (int64_t c = 0; c < channels; ++c) {
      int32_t &sum = sums[static_cast<size_t>(g * channels + c)];
      sum += sign * weights[static_cast<size_t>(tap * channels + c)];
      fits &= sum <= kMost;
    }
    return fits;
  }

  TapGroups result(int64_t count) const {
    TapGroups groups;
    groups.slots.assign(static_cast<size_t>(taps), 0);
    int64_t next = 0;
    for (int64_t g = 0; g < count; ++g) {
      int64_t first = next;
      for (int64_t tap = 0; tap < taps; ++tap)
        if (groupOf[static_cast<size_t>(tap)] == g)
          groups.slots[static_cast<size_t>(tap)] = next++;
      if (next > first)
        groups.sizes.push_back(next - first);
    }
    return groups;
  }

  int64_t channels, taps;
  std::vector<int32_t> weights, sums;
  std::vector<int64_t> groupOf;
  int steps = 0;
};
} // namespace

TapGroups mfc::tapGroups(const Operation &op) { return TapPartition(op).find(); }

bool HeliumDepthwise::fits(const Kernel &kernel, const TargetInfo &target) {
  const Operation &op = *kernel.anchor;
  bool bytes = op.operand(0)->type.element == ElementType::I8 && op.operand(1)->type.element == ElementType::I8;
  Window2D w = window2D(op);
  return target.hasMVE && bytes && w.outChannels == w.inChannels && ByteVectors::fits(kernel);
}

HeliumDepthwise::HeliumDepthwise(KernelIO &io)
    : io(io), kb(io.kb), op(*io.kernel.anchor), w(window2D(op)), channels(w.outChannels), groups(tapGroups(op)),
      results(io, requantForm(op), accumulatorBound(op)) {
  std::vector<uint8_t> packed = packWeights();
  weights = kb.cx.constant(io.kernel.name + ".weights", llvm::ArrayRef<uint8_t>(packed), 16);
  std::vector<int32_t> bias = foldedBias(op);
  start = kb.cx.constant(io.kernel.name + ".bias", llvm::ArrayRef<int32_t>(ByteVectors::inOrder<int32_t>(bias, 0)));
}

/// [channels / 16][taps in their order][16], the last block padded with zeros.
std::vector<uint8_t> HeliumDepthwise::packWeights() const {
  llvm::ArrayRef<uint8_t> raw = op.operand(1)->bytes();
  std::vector<uint8_t> packed(static_cast<size_t>((channels + kBlock - 1) / kBlock * kBlock * w.taps()));
  for (int64_t tap = 0; tap < w.taps(); ++tap)
    for (int64_t c = 0; c < channels; ++c)
      packed[static_cast<size_t>((c / kBlock * w.taps() + slot(tap)) * kBlock + c % kBlock)] =
          raw[static_cast<size_t>(tap * channels + c)];
  return packed;
}

void HeliumDepthwise::emitPixel(llvm::Value *offset) {
  int64_t whole = channels / kBlock;
  unsigned rest = static_cast<unsigned>(channels % kBlock);
  Values end = kb.loop("channels", whole, {weights, kb.i32(0)}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    emitBlock(now[1], now[0], offset, kBlock);
    return Values{kb.at(now[0], w.taps() * kBlock), kb.add(now[1], kb.i32(kBlock))};
  });
  if (rest)
    emitBlock(end[1], end[0], offset, rest);
}

void HeliumDepthwise::emitBlock(llvm::Value *channel, llvm::Value *blockWeights, llvm::Value *offset, unsigned count) {
  FourVectors sums;
  for (unsigned v = 0; v < 4; ++v)
    sums[v] = kb.load(ElementType::I32, kb.at(kb.at(start, kb.mulConst(channel, 4)), 16 * v), 4);
  Values carried(sums.begin(), sums.end());
  carried.push_back(io.scratch());
  carried.push_back(blockWeights);
  for (size_t g = 0; g < groups.sizes.size();) {
    size_t end = g; // many equal groups are a loop
    while (end < groups.sizes.size() && groups.sizes[end] == groups.sizes[g])
      ++end;
    auto count16 = static_cast<int64_t>(end - g > kUnrolledGroups ? end - g : 1);
    carried = kb.loop("taps", count16, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      return emitGroup(now, channel, groups.sizes[g], count);
    });
    g += static_cast<size_t>(count16);
  }
  results.store({carried[0], carried[1], carried[2], carried[3]}, channel, kb.add(offset, channel), count);
}

/// carried: the four sums, the place in the table, the weights.
Values HeliumDepthwise::emitGroup(llvm::ArrayRef<llvm::Value *> now, llvm::Value *channel, int64_t taps,
                                  unsigned count) {
  FourVectors next = widenAdd({now[0], now[1], now[2], now[3]}, emitTaps(now[4], channel, now[5], taps, count));
  Values out(next.begin(), next.end());
  out.push_back(kb.at(now[4], taps * (kb.cx.target.pointerBits / 8)));
  out.push_back(kb.at(now[5], taps * kBlock));
  return out;
}

HeliumDepthwise::Sums HeliumDepthwise::emitTaps(llvm::Value *table, llvm::Value *channel, llvm::Value *tapWeights,
                                                int64_t taps, unsigned count) {
  llvm::Type *bytes = llvm::FixedVectorType::get(kb.b.getInt8Ty(), kBlock);
  llvm::Type *halves = llvm::FixedVectorType::get(kb.b.getInt16Ty(), kBlock / 2);
  unsigned pointerBytes = kb.cx.target.pointerBits / 8;
  llvm::Value *mask = count == kBlock ? nullptr
                                      : kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vctp8, {}, {kb.i32(count)});
  Sums sums{nullptr, nullptr};
  for (int64_t tap = 0; tap < taps; ++tap) {
    llvm::Value *pointer = kb.loadAs(kb.b.getPtrTy(), kb.at(table, tap * pointerBytes), pointerBytes);
    pointer = kb.at(pointer, channel);
    llvm::Value *x = mask ? kb.b.CreateMaskedLoad(bytes, pointer, llvm::Align(1), mask, llvm::Constant::getNullValue(bytes))
                          : kb.loadAs(bytes, pointer, 1);
    llvm::Value *weight = kb.loadAs(bytes, kb.at(tapWeights, tap * kBlock), 16);
    auto product = [&](int top) {
      return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vmull, {halves, bytes}, {x, weight, kb.i32(0), kb.i32(top)});
    };
    sums.even = sums.even ? kb.add(sums.even, product(0)) : product(0);
    sums.odd = sums.odd ? kb.add(sums.odd, product(1)) : product(1);
  }
  return sums;
}

FourVectors HeliumDepthwise::widenAdd(FourVectors sums, const Sums &taps) {
  llvm::Type *words = llvm::FixedVectorType::get(kb.i32Type(), 4);
  auto lanes = [&](llvm::Value *v, int odd) { // VMOVLB, VMOVLT
    llvm::Value *half = kb.b.CreateShuffleVector(v, llvm::ArrayRef<int>{odd, odd + 2, odd + 4, odd + 6});
    return kb.b.CreateSExt(half, words);
  };
  return {kb.add(sums[0], lanes(taps.even, 0)), kb.add(sums[1], lanes(taps.even, 1)),
          kb.add(sums[2], lanes(taps.odd, 0)), kb.add(sums[3], lanes(taps.odd, 1))};
}
