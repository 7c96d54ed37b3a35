// See the header.
#include "DepthwiseLanes.h"

#include "GemmShape.h"
#include "Window2D.h"

#include "llvm/IR/IntrinsicsARM.h"

using namespace mfc;

bool DepthwiseLanes::fits(const Kernel &kernel, const TargetInfo &target) {
  const Operation &op = *kernel.anchor;
  bool bytes = op.operand(0)->type.element == ElementType::I8 && op.operand(1)->type.element == ElementType::I8;
  Window2D w = window2D(op);
  return target.hasMVE && bytes && w.outChannels == w.inChannels && ByteVectors::fits(kernel);
}

DepthwiseLanes::DepthwiseLanes(KernelIO &io, llvm::ArrayRef<ByteVectors::LaneChannels> blocks, ByteVectors::Order order)
    : kb(io.kb), op(*io.kernel.anchor), taps(tapGroups(op)), results(io, requantForm(op), accumulatorBound(op), order) {
  std::vector<int32_t> bias = foldedBias(op);
  std::vector<uint8_t> bytes;
  for (const ByteVectors::LaneChannels &channels : blocks)
    appendBlock(bytes, bias, channels);
  bytesOfBlock = static_cast<int64_t>(bytes.size() / blocks.size());
  stream = kb.cx.constant(io.kernel.name + ".weights", llvm::ArrayRef<uint8_t>(bytes), 16);
}

void DepthwiseLanes::appendBlock(std::vector<uint8_t> &bytes, llvm::ArrayRef<int32_t> bias,
                                 const ByteVectors::LaneChannels &channels) {
  llvm::ArrayRef<uint8_t> raw = op.operand(1)->bytes();
  int64_t count = op.result()->type.dim(-1);
  size_t first = bytes.size();
  bytes.resize(first + taps.slots.size() * kLanes);
  for (size_t tap = 0; tap < taps.slots.size(); ++tap)
    for (size_t lane = 0; lane < kLanes; ++lane)
      bytes[first + static_cast<size_t>(taps.slots[tap]) * kLanes + lane] =
          raw[tap * static_cast<size_t>(count) + static_cast<size_t>(channels[lane])];
  results.appendWords(bytes, bias, channels);
  results.appendRecord(bytes, channels);
}

void DepthwiseLanes::addTap(Sums &sums, llvm::Value *input, llvm::Value *weights) {
  llvm::Type *halves = llvm::FixedVectorType::get(kb.b.getInt16Ty(), kLanes / 2);
  llvm::Value *weight = kb.loadBytes(weights, 16);
  auto add = [&](llvm::Value *&sum, int top) {
    llvm::Value *product = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vmull, {halves, input->getType()},
                                                {input, weight, kb.i32(0), kb.i32(top)});
    sum = sum ? kb.add(sum, product) : product;
  };
  add(sums.even, 0);
  add(sums.odd, 1);
}

FourVectors DepthwiseLanes::start(llvm::Value *block) {
  FourVectors sums;
  for (unsigned v = 0; v < 4; ++v)
    sums[v] = kb.load(ElementType::I32, kb.at(block, tapCount() * kLanes + 16 * v), 4);
  return sums;
}

FourVectors DepthwiseLanes::widenAdd(const FourVectors &sums, const Sums &group) {
  llvm::Type *words = llvm::FixedVectorType::get(kb.i32Type(), 4);
  auto lanes = [&](llvm::Value *v, int odd) { // VMOVLB, VMOVLT
    llvm::Value *half = kb.b.CreateShuffleVector(v, llvm::ArrayRef<int>{odd, odd + 2, odd + 4, odd + 6});
    return kb.b.CreateSExt(half, words);
  };
  return {kb.add(sums[0], lanes(group.even, 0)), kb.add(sums[1], lanes(group.even, 1)),
          kb.add(sums[2], lanes(group.odd, 0)), kb.add(sums[3], lanes(group.odd, 1))};
}

void DepthwiseLanes::store(const FourVectors &sums, llvm::Value *block, llvm::Value *to, unsigned count) {
  results.store(sums, kb.at(block, tapCount() * kLanes + 4 * kLanes), to, count);
}
