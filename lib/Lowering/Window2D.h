// The two window dimensions of a convolution or pool, and which taps fall inside the input, as code.
#ifndef MFC_LIB_LOWERING_WINDOW2D_H
#define MFC_LIB_LOWERING_WINDOW2D_H

#include "KernelBuilder.h"
#include "mfc/Ops/Window.h"

namespace mfc {

/// Shapes of a 2-D windowed operator over NHWC tensors.
struct Window2D {
  Window y, x;
  int64_t batch, inHeight, inWidth, inChannels, outHeight, outWidth, outChannels;

  bool padded() const { return y.before || y.after || x.before || x.after; }
  int64_t taps() const { return y.kernel * x.kernel; }
};

/// Of a conv2d, depthwise_conv2d, max_pool2d or avg_pool2d.
Window2D window2D(const Operation &op);

/// First input coordinate of an output coordinate along one dimension (may be negative): o * stride - before.
llvm::Value *windowStart(KernelBuilder &kb, llvm::Value *output, const Window &window);

/// Taps inside the input: [begin, end). Constants where no padding is possible.
struct TapBounds {
  llvm::Value *begin, *end;
};
TapBounds tapBounds(KernelBuilder &kb, llvm::Value *start, const Window &window, int64_t inputSize);

} // namespace mfc
#endif
