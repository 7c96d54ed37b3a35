#include "Window2D.h"

using namespace mfc;

Window2D mfc::window2D(const Operation &op) {
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  Window2D w;
  w.batch = in.dim(0), w.inHeight = in.dim(1), w.inWidth = in.dim(2), w.inChannels = in.dim(3);
  w.outHeight = out.dim(1), w.outWidth = out.dim(2), w.outChannels = out.dim(3);
  auto set = [&](int64_t kernelY, int64_t kernelX, const auto &a) {
    w.y = {kernelY, a.stride[0], a.dilation[0], a.pad[0], a.pad[2]};
    w.x = {kernelX, a.stride[1], a.dilation[1], a.pad[1], a.pad[3]};
  };
  if (const auto *pool = std::get_if<PoolAttrs>(&op.attributes))
    set(pool->kernel[0], pool->kernel[1], *pool);
  else
    set(op.operand(1)->type.dim(1), op.operand(1)->type.dim(2), op.attrs<ConvAttrs>());
  return w;
}

llvm::Value *mfc::windowStart(KernelBuilder &kb, llvm::Value *output, const Window &window) {
  llvm::Value *start = kb.mulConst(output, window.stride);
  return window.before ? kb.b.CreateSub(start, kb.i32(window.before)) : start;
}

TapBounds mfc::tapBounds(KernelBuilder &kb, llvm::Value *start, const Window &window, int64_t inputSize) {
  TapBounds bounds{kb.i32(0), kb.i32(window.kernel)};
  // Dilated windows: taps are counted one by one, so that no division is needed.
  if (window.dilation != 1) {
    llvm::Value *begin = kb.i32(0), *end = kb.i32(0);
    for (int64_t k = 0; k < window.kernel; ++k) {
      llvm::Value *position = kb.add(start, kb.i32(k * window.dilation));
      begin = kb.add(begin, kb.b.CreateZExt(kb.b.CreateICmpSLT(position, kb.i32(0)), kb.i32Type()));
      end = kb.add(end, kb.b.CreateZExt(kb.b.CreateICmpSLT(position, kb.i32(inputSize)), kb.i32Type()));
    }
    return {begin, end};
  }
  if (window.before)
    bounds.begin = kb.smin(kb.smax(kb.b.CreateNeg(start), kb.i32(0)), kb.i32(window.kernel));
  if (window.after)
    bounds.end = kb.smax(kb.smin(kb.b.CreateSub(kb.i32(inputSize), start), kb.i32(window.kernel)), bounds.begin);
  return bounds;
}
