// conv2d: NHWC input, OHWI weights, optional bias.
#include "OpFunctions.h"

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
