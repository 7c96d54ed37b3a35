// An int8 depthwise convolution with a window of any size on Helium, pixel by pixel through a table of tap addresses.
#ifndef MFC_LIB_LOWERING_HELIUMDEPTHWISE_H
#define MFC_LIB_LOWERING_HELIUMDEPTHWISE_H

#include "DepthwiseLanes.h"

namespace mfc {

class HeliumDepthwise {
public:
  /// Of kernels for which DepthwiseLanes::fits().
  explicit HeliumDepthwise(KernelIO &io);

  /// Where the address of a tap's channel 0 belongs in the table.
  int64_t slot(int64_t tap) const { return lanes.groups().slots[static_cast<size_t>(tap)]; }

  /// All channels of one pixel. The kernel's scratch holds the table of addresses; `offset`: element index of the pixel's
  /// channel 0 in the output.
  void emitPixel(llvm::Value *offset);

private:
  void emitBlock(llvm::Value *channel, llvm::Value *block, llvm::Value *offset, unsigned count);
  Values emitGroup(llvm::ArrayRef<llvm::Value *> carried, llvm::Value *channel, int64_t taps, unsigned count);

  KernelIO &io;
  KernelBuilder &kb;
  int64_t channels;
  DepthwiseLanes lanes;
};

} // namespace mfc
#endif
