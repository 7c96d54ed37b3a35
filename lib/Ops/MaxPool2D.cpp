// max_pool2d: largest element of each NHWC window; padding never wins.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferMaxPool2D(const ShapeQuery &query) {
  const auto &attrs = query.attrs<PoolAttrs>();
  const Shape &in = query.shape(0);
  if (in.size() != 4)
    return badShape("input has shape " + shapeText(in) + ", wanted rank 4 (NHWC)");
  llvm::Expected<int64_t> height = inferWindowOutputs(in[1], poolWindow(attrs, 0), "height");
  if (!height)
    return height.takeError();
  llvm::Expected<int64_t> width = inferWindowOutputs(in[2], poolWindow(attrs, 1), "width");
  if (!width)
    return width.takeError();
  return Shape{in[0], *height, *width, in[3]};
}
