// conv2d: NHWC input, OHWI weights, optional bias.
#include "AnchorEval.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferConv2D(const ShapeQuery &query) {
  const auto &attrs = query.attrs<ConvAttrs>();
  const Shape &in = query.shape(0), &w = query.shape(1);
  if (in.size() != 4 || w.size() != 4)
    return badShape("input has shape " + shapeText(in) + " and weights " + shapeText(w) +
                    ", wanted rank 4 for both (NHWC and OHWI)");
  if (attrs.groups < 1 || in[3] % attrs.groups != 0 || w[0] % attrs.groups != 0)
    return badShape(llvm::Twine(attrs.groups) + " groups do not divide " + llvm::Twine(in[3]) + " input and " +
                    llvm::Twine(w[0]) + " output channels");
  if (w[3] * attrs.groups != in[3])
    return badShape("weights read " + llvm::Twine(w[3]) + " channels in each of " + llvm::Twine(attrs.groups) +
                    " groups but the input has " + llvm::Twine(in[3]));
  llvm::Expected<int64_t> height = inferWindowOutputs(in[1], convWindow(attrs, w[1], 0), "height");
  if (!height)
    return height.takeError();
  llvm::Expected<int64_t> width = inferWindowOutputs(in[2], convWindow(attrs, w[2], 1), "width");
  if (!width)
    return width.takeError();
  return Shape{in[0], *height, *width, w[0]};
}

/// acc = sum over taps inside the input, in the order y, x, channel, of (x - zero) * w.
template <typename X, typename W, typename Acc, typename Store>
static void runConv2D(const EvalArgs &args, const X *in, const W *weights, Acc zero, Store store) {
  const auto &attrs = args.op.attrs<ConvAttrs>();
  const Shape &xs = args.operandType(0).shape, &ws = args.operandType(1).shape, &os = args.resultType().shape;
  const int64_t perGroup = os[3] / attrs.groups, depth = ws[3];
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
              const X *x = in + ((n * xs[1] + iy) * xs[2] + ix) * xs[3] + oc / perGroup * depth;
              const W *w = weights + ((oc * ws[1] + ky) * ws[2] + kx) * depth;
              for (int64_t c = 0; c < depth; ++c)
                acc += (static_cast<Acc>(x[c]) - zero) * static_cast<Acc>(w[c]);
            }
          store(out++, oc, acc);
        }
      }
}

void mfc::evalConv2D(const EvalArgs &args) {
  evalAnchor(args, [&](auto *x, auto *w, auto zero, auto store) { runConv2D(args, x, w, zero, store); });
}

void mfc::verifyConv2D(OpVerifier &v) { verifyAnchor(v, 0); }
