// The loop that both pools share.
#ifndef MFC_OPS_POOLEVAL_H
#define MFC_OPS_POOLEVAL_H

#include "Elements.h"

namespace mfc {

/// For every output element (in order i): start, then next(acc, x) for each tap inside the input in the order y, x,
/// then out[i] = finish(acc, taps inside).
template <typename T, typename Acc, typename Next, typename Finish>
void runPool(const EvalArgs &args, Acc start, Next next, Finish finish) {
  const auto &attrs = args.op.attrs<PoolAttrs>();
  const Shape &xs = args.operandType(0).shape, &os = args.resultType().shape;
  const Window wy = poolWindow(attrs, 0), wx = poolWindow(attrs, 1);
  const T *in = elements<T>(*args.operands[0]);
  T *out = elements<T>(args.result);
  for (int64_t n = 0; n < os[0]; ++n)
    for (int64_t oy = 0; oy < os[1]; ++oy)
      for (int64_t ox = 0; ox < os[2]; ++ox) {
        const TapRange ty = tapsInside(oy, xs[1], wy), tx = tapsInside(ox, xs[2], wx);
        for (int64_t c = 0; c < os[3]; ++c) {
          Acc acc = start;
          for (int64_t ky = ty.begin; ky < ty.end; ++ky)
            for (int64_t kx = tx.begin; kx < tx.end; ++kx) {
              const int64_t iy = oy * wy.stride - wy.before + ky * wy.dilation;
              const int64_t ix = ox * wx.stride - wx.before + kx * wx.dilation;
              acc = next(acc, in[((n * xs[1] + iy) * xs[2] + ix) * xs[3] + c]);
            }
          *out++ = finish(acc, ty.size() * tx.size());
        }
      }
}

} // namespace mfc
#endif
