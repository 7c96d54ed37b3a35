// See the header.
#include "HeliumDepthwise.h"

#include "llvm/IR/IntrinsicsARM.h"
#include <algorithm>

using namespace mfc;

static constexpr unsigned kBlock = DepthwiseLanes::kLanes;
static constexpr size_t kUnrolledGroups = 5;

/// Sixteen channels after the other; places behind the last channel repeat it, and are not stored.
static std::vector<ByteVectors::LaneChannels> blocksInOrder(int64_t channels) {
  std::vector<ByteVectors::LaneChannels> blocks;
  for (int64_t first = 0; first < channels; first += kBlock)
    for (size_t lane = 0; lane < kBlock; ++lane) {
      if (lane == 0)
        blocks.emplace_back();
      blocks.back()[lane] = std::min(first + static_cast<int64_t>(lane), channels - 1);
    }
  return blocks;
}

HeliumDepthwise::HeliumDepthwise(KernelIO &io)
    : io(io), kb(io.kb), channels(io.kernel.anchor->result()->type.dim(-1)), 
      lanes(io, blocksInOrder(channels), ByteVectors::Order::Quarters) {}

void HeliumDepthwise::emitPixel(llvm::Value *offset) {
  int64_t whole = channels / kBlock;
  unsigned rest = static_cast<unsigned>(channels % kBlock);
  Values end = kb.loop("channels", whole, {lanes.constants(), kb.i32(0)},
                       [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
                         emitBlock(now[1], now[0], offset, kBlock);
                         return Values{kb.at(now[0], lanes.blockBytes()), kb.add(now[1], kb.i32(kBlock))};
                       });
  if (rest)
    emitBlock(end[1], end[0], offset, rest);
}

void HeliumDepthwise::emitBlock(llvm::Value *channel, llvm::Value *block, llvm::Value *offset, unsigned count) {
  FourVectors sums = lanes.start(block);
  Values carried(sums.begin(), sums.end());
  carried.push_back(io.scratch());
  carried.push_back(block);
  const std::vector<int64_t> &sizes = lanes.groups().sizes;
  for (size_t g = 0; g < sizes.size();) {
    size_t end = g; // many equal groups are a loop
    while (end < sizes.size() && sizes[end] == sizes[g])
      ++end;
    auto turns = static_cast<int64_t>(end - g > kUnrolledGroups ? end - g : 1);
    carried = kb.loop("taps", turns, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      return emitGroup(now, channel, sizes[g], count);
    });
    g += static_cast<size_t>(turns);
  }
  lanes.store({carried[0], carried[1], carried[2], carried[3]}, block, kb.at(io.output(), kb.add(offset, channel)), count);
}

/// carried: the four sums, the place in the table, the weights.
Values HeliumDepthwise::emitGroup(llvm::ArrayRef<llvm::Value *> now, llvm::Value *channel, int64_t taps,
                                  unsigned count) {
  llvm::Type *bytes = llvm::FixedVectorType::get(kb.b.getInt8Ty(), kBlock);
  unsigned pointerBytes = kb.cx.target.pointerBits / 8;
  llvm::Value *mask = count == kBlock ? nullptr
                                      : kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vctp8, {}, {kb.i32(count)});
  DepthwiseLanes::Sums sums;
  for (int64_t tap = 0; tap < taps; ++tap) {
    llvm::Value *pointer = kb.loadAs(kb.b.getPtrTy(), kb.at(now[4], tap * pointerBytes), pointerBytes);
    pointer = kb.at(pointer, channel);
    llvm::Value *x = mask ? kb.b.CreateMaskedLoad(bytes, pointer, llvm::Align(1), mask, llvm::Constant::getNullValue(bytes))
                          : kb.loadAs(bytes, pointer, 1);
    lanes.addTap(sums, x, kb.at(now[5], tap * kBlock));
  }
  FourVectors next = lanes.widenAdd({now[0], now[1], now[2], now[3]}, sums);
  Values out(next.begin(), next.end());
  out.push_back(kb.at(now[4], taps * pointerBytes));
  out.push_back(kb.at(now[5], taps * kBlock));
  return out;
}
