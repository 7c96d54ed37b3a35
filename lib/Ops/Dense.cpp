// dense: matrix product over the last dimension, weights [outputs, inputs], optional bias.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferDense(const ShapeQuery &query) {
  const Shape &in = query.shape(0), &w = query.shape(1);
  if (in.empty() || w.size() != 2)
    return badShape("input has shape " + shapeText(in) + " and weights " + shapeText(w) +
                    ", wanted rank 1 or more and [outputs, inputs]");
  if (in.back() != w[1])
    return badShape("weights read " + llvm::Twine(w[1]) + " inputs but the last dimension is " +
                    llvm::Twine(in.back()));
  Shape result = in;
  result.back() = w[0];
  return result;
}
