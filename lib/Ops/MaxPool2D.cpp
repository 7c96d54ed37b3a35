// max_pool2d: largest element of each NHWC window; padding never wins.
#include "PoolEval.h"
#include "Verifier.h"

#include <limits>

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

void mfc::evalMaxPool2D(const EvalArgs &args) {
  dispatchElement(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    runPool<T>(
        args, std::numeric_limits<T>::lowest(), [](T best, T x) { return x > best ? x : best; },
        [](T best, int64_t) { return best; });
  });
}

void mfc::verifyMaxPool2D(OpVerifier &v) {
  // max_pool2d_c1: picks stored values, so the type stays.
  v.resultLikeOperand("max_pool2d picks elements");
  verifyWindows(v);
}
