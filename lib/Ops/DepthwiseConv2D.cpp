// depthwise_conv2d: NHWC input, weights [1, kh, kw, C * multiplier], optional bias.
#include "AnchorEval.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferDepthwiseConv2D(const ShapeQuery &query) {
  const auto &attrs = query.attrs<ConvAttrs>();
  const Shape &in = query.shape(0), &w = query.shape(1);
  if (in.size() != 4 || w.size() != 4 || w[0] != 1)
    return badShape("input has shape " + shapeText(in) + " and weights " + shapeText(w) +
                    ", wanted NHWC and [1, height, width, channels * multiplier]");
  if (w[3] % in[3] != 0)
    return badShape("weights have " + llvm::Twine(w[3]) + " channels, wanted a multiple of the input's " +
                    llvm::Twine(in[3]));
  llvm::Expected<int64_t> height = inferWindowOutputs(in[1], convWindow(attrs, w[1], 0), "height");
  if (!height)
    return height.takeError();
  llvm::Expected<int64_t> width = inferWindowOutputs(in[2], convWindow(attrs, w[2], 1), "width");
  if (!width)
    return width.takeError();
  return Shape{in[0], *height, *width, w[3]};
}

/// acc = sum over taps inside the input, in the order y, x, of (x - zero) * w.
template <typename X, typename W, typename Acc, typename Store>
static void runDepthwise(const EvalArgs &args, const X *in, const W *weights, Acc zero, Store store) {
  const auto &attrs = args.op.attrs<ConvAttrs>();
  const Shape &xs = args.operandType(0).shape, &ws = args.operandType(1).shape, &os = args.resultType().shape;
  const int64_t multiplier = os[3] / xs[3];
  const Window wy = convWindow(attrs, ws[1], 0), wx = convWindow(attrs, ws[2], 1);
  int64_t out = 0;
  for (int64_t n = 0; n < os[0]; ++n)
    for (int64_t oy = 0; oy < os[1]; ++oy)
      for (int64_t ox = 0; ox < os[2]; ++ox) {
        const TapRange ty = tapsInside(oy, xs[1], wy), tx = tapsInside(ox, xs[2], wx);
        for (int64_t oc = 0; oc < os[3]; ++oc) {
          Acc acc = 0;
          for (int64_t ky = ty.begin; ky < ty.end; ++ky)
            for (int64_t kx = tx.begin; kx < tx.end; ++kx) {
              const int64_t iy = oy * wy.stride - wy.before + ky * wy.dilation;
              const int64_t ix = ox * wx.stride - wx.before + kx * wx.dilation;
              const X x = in[((n * xs[1] + iy) * xs[2] + ix) * xs[3] + oc / multiplier];
              acc += (static_cast<Acc>(x) - zero) * static_cast<Acc>(weights[(ky * ws[2] + kx) * os[3] + oc]);
            }
          store(out++, oc, acc);
        }
      }
}

void mfc::evalDepthwiseConv2D(const EvalArgs &args) {
  evalAnchor(args, [&](auto *x, auto *w, auto zero, auto store) { runDepthwise(args, x, w, zero, store); });
}

void mfc::verifyDepthwiseConv2D(OpVerifier &v) {
  // depthwise_conv2d_c1: groups is an attribute of conv2d only.
  if (v.op.attrs<ConvAttrs>().groups != 1)
    v.bad() << "groups is " << v.op.attrs<ConvAttrs>().groups << ", wanted 1: depthwise_conv2d has one group a channel";
  verifyAnchor(v, 3);
}
