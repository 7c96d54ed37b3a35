#include "Layout.h"

using namespace mfc;
using namespace mfc::onnx;

Value *onnx::toNHWC(Builder &b, Value *x) {
  if (!x)
    return nullptr;
  if (x->type.rank() == 4)
    return b.transpose(x, {0, 2, 3, 1});
  Value *y = b.transpose(x, {0, 2, 1});
  return y ? b.reshape(y, {y->type.dim(0), 1, y->type.dim(1), y->type.dim(2)}) : nullptr;
}

Value *onnx::fromNHWC(Builder &b, Value *y, int64_t rank) {
  if (!y)
    return nullptr;
  if (rank == 4)
    return b.transpose(y, {0, 3, 1, 2});
  return b.transpose(b.reshape(y, {y->type.dim(0), y->type.dim(2), y->type.dim(3)}), {0, 2, 1});
}

/// Weights with a height.
static Value *planar(Builder &b, Value *weights) {
  if (!weights || weights->type.rank() == 4)
    return weights;
  const Shape &s = weights->type.shape;
  return b.reshape(weights, {s[0], s[1], 1, s[2]});
}

Value *onnx::toOHWI(Builder &b, Value *weights) {
  return b.transpose(planar(b, weights), {0, 2, 3, 1});
}

Value *onnx::toDepthwise(Builder &b, Value *weights) {
  return b.transpose(planar(b, weights), {1, 2, 3, 0});
}

Value *onnx::imageInput(NodeContext &ctx, size_t i) {
  Value *x = ctx.input(i);
  if (!x || x->type.rank() == 3 || x->type.rank() == 4)
    return x;
  const char *what = x->type.rank() < 3
                         ? ", wanted a batch, channels and one or two spatial dimensions"
                         : ", one or two spatial dimensions are supported";
  (x->type.rank() < 3 ? ctx.bad(static_cast<int>(i)) : ctx.unsupported(static_cast<int>(i)))
      << "operand " << i << " of " << ctx.opType() << " has shape " << shapeText(x->type.shape)
      << what;
  return nullptr;
}
