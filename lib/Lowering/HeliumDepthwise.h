// Sixteen channels of an int8 depthwise convolution at once on Helium: products of VMULLB and VMULLT are summed in
// 16-bit lanes over groups of taps that provably fit, and widened between groups.
#ifndef MFC_LIB_LOWERING_HELIUMDEPTHWISE_H
#define MFC_LIB_LOWERING_HELIUMDEPTHWISE_H

#include "ByteVectors.h"
#include "Window2D.h"

namespace mfc {

/// An order of the taps, and how many of them in a row are summed in signed 16-bit lanes: for every channel of every
/// group 128 * sum of |w| <= 32767, so that no sum wraps whatever the input.
struct TapGroups {
  std::vector<int64_t> slots; ///< by tap: its place in the order
  std::vector<int64_t> sizes; ///< in that order
};
TapGroups tapGroups(const Operation &op);

class HeliumDepthwise {
public:
  /// Whether the anchor takes this way.
  static bool fits(const Kernel &kernel, const TargetInfo &target);

  explicit HeliumDepthwise(KernelIO &io);

  /// Where the address of a tap's channel 0 belongs in the table.
  int64_t slot(int64_t tap) const { return groups.slots[static_cast<size_t>(tap)]; }

  /// All channels of one pixel. The kernel's scratch holds the table of addresses; `offset`: element index of the pixel's
  /// channel 0 in the output.
  void emitPixel(llvm::Value *offset);

private:
  struct Sums {
    llvm::Value *even, *odd; ///< <8 x i16>: channels 0, 2, .. and 1, 3, ..
  };
  std::vector<uint8_t> packWeights() const;
  void emitBlock(llvm::Value *channel, llvm::Value *weights, llvm::Value *offset, unsigned count);
  Sums emitTaps(llvm::Value *table, llvm::Value *channel, llvm::Value *weights, int64_t taps, unsigned count);
  Values emitGroup(llvm::ArrayRef<llvm::Value *> carried, llvm::Value *channel, int64_t taps, unsigned count);
  FourVectors widenAdd(FourVectors sums, const Sums &group);

  KernelIO &io;
  KernelBuilder &kb;
  const Operation &op;
  Window2D w;
  int64_t channels;
  TapGroups groups;
  ByteVectors results;
  llvm::GlobalVariable *weights, *start;
};

} // namespace mfc
#endif
