// Sixteen results of an int8 depthwise convolution at once on Helium: products of VMULLB and VMULLT are summed in
// 16-bit lanes over groups of taps that provably fit, and widened between groups.
//
// The constants of one block of 16 lanes are one stream: weights [tap in the order of the groups][16], where the sums
// start, the requantization's record.
#ifndef MFC_LIB_LOWERING_DEPTHWISELANES_H
#define MFC_LIB_LOWERING_DEPTHWISELANES_H

#include "ByteVectors.h"
#include "TapGroups.h"

namespace mfc {

class DepthwiseLanes {
public:
  static constexpr unsigned kLanes = ByteVectors::kChannels;

  /// Whether the anchor can be computed like this: int8 on MVE, one output channel an input channel, a short tail.
  static bool fits(const Kernel &kernel, const TargetInfo &target);

  /// The channels of every block, and the order in which store() gets the sums.
  DepthwiseLanes(KernelIO &io, llvm::ArrayRef<ByteVectors::LaneChannels> blocks, ByteVectors::Order order);

  const TapGroups &groups() const { return taps; }
  llvm::Value *constants() { return stream; } ///< of block 0; the others follow each other
  int64_t blockBytes() const { return bytesOfBlock; }

  struct Sums {
    llvm::Value *even = nullptr, *odd = nullptr; ///< <8 x i16>: lanes 0, 2, .. and 1, 3, ..
  };
  /// sums += input (<16 x i8>) * the weights at the address.
  void addTap(Sums &sums, llvm::Value *input, llvm::Value *weights);

  /// Where the sums of a block start.
  FourVectors start(llvm::Value *block);
  FourVectors widenAdd(const FourVectors &sums, const Sums &group); ///< Order::Quarters
  /// Stores the first `count` results.
  void store(const FourVectors &sums, llvm::Value *block, llvm::Value *to, unsigned count);

private:
  void appendBlock(std::vector<uint8_t> &bytes, llvm::ArrayRef<int32_t> bias, const ByteVectors::LaneChannels &channels);
  int64_t tapCount() const { return static_cast<int64_t>(taps.slots.size()); }

  KernelBuilder &kb;
  const Operation &op;
  TapGroups taps;
  ByteVectors results;
  llvm::GlobalVariable *stream;
  int64_t bytesOfBlock;
};

} // namespace mfc
#endif
