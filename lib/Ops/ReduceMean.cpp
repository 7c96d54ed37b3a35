// reduce_mean: mean over the named dimensions.
#include "OpFunctions.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferReduceMean(const ShapeQuery &query) {
  const auto &attrs = query.attrs<ReduceAttrs>();
  const Shape &in = query.shape(0);
  int64_t previous = -1;
  for (int64_t axis : attrs.axes) {
    if (axis <= previous || axis >= static_cast<int64_t>(in.size()))
      return badShape("axis " + llvm::Twine(axis) + " after " + llvm::Twine(previous) + " in a tensor of rank " +
                      llvm::Twine(in.size()) + ", wanted ascending axes below the rank");
    previous = axis;
  }
  Shape result;
  for (size_t i = 0; i < in.size(); ++i) {
    bool reduced = llvm::is_contained(attrs.axes, static_cast<int64_t>(i));
    if (!reduced)
      result.push_back(in[i]);
    else if (attrs.keepDims)
      result.push_back(1);
  }
  return result;
}
