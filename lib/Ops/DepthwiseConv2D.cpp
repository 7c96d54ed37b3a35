// depthwise_conv2d: NHWC input, weights [1, kh, kw, C * multiplier], optional bias.
#include "OpFunctions.h"

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
