// Shape rules that several operators share.
#include "OpFunctions.h"

#include <algorithm>

using namespace mfc;

llvm::Expected<Shape> mfc::inferSameShape(const ShapeQuery &query) { return query.shape(0); }

llvm::Expected<Shape> mfc::inferBroadcast(const ShapeQuery &query) {
  const Shape &a = query.shape(0), &b = query.shape(1);
  size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (size_t i = 0; i < rank; ++i) { // i counts from the last dimension
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return badShape("shapes " + shapeText(a) + " and " + shapeText(b) + " do not broadcast: " + llvm::Twine(x) +
                      " against " + llvm::Twine(y));
    result[rank - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

llvm::Expected<int64_t> mfc::normalAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return badShape("axis " + llvm::Twine(axis) + " is outside a tensor of rank " + llvm::Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

Window mfc::convWindow(const ConvAttrs &attrs, int64_t kernel, int d) {
  return {kernel, attrs.stride[d], attrs.dilation[d], attrs.pad[d], attrs.pad[d + 2]};
}

Window mfc::poolWindow(const PoolAttrs &attrs, int d) {
  return {attrs.kernel[d], attrs.stride[d], attrs.dilation[d], attrs.pad[d], attrs.pad[d + 2]};
}

/// Keeps every product of window arithmetic far inside 64 bits.
static constexpr int64_t kLargestWindowNumber = int64_t(1) << 24;

llvm::Expected<int64_t> mfc::inferWindowOutputs(int64_t input, const Window &w, const char *what) {
  auto outside = [](int64_t x, int64_t least) { return x < least || x > kLargestWindowNumber; };
  if (outside(w.kernel, 1) || outside(w.stride, 1) || outside(w.dilation, 1))
    return badShape(llvm::Twine(what) + " has kernel " + llvm::Twine(w.kernel) + ", stride " + llvm::Twine(w.stride) +
                    ", dilation " + llvm::Twine(w.dilation) + ", wanted positive numbers up to 2^24");
  if (outside(w.before, 0) || outside(w.after, 0))
    return badShape(llvm::Twine(what) + " has padding " + llvm::Twine(w.before) + " and " + llvm::Twine(w.after) +
                    ", wanted non-negative numbers up to 2^24");
  std::optional<int64_t> outputs = windowOutputs(input, w);
  if (!outputs)
    return badShape("a window that spans " + llvm::Twine(w.span()) + " does not fit the padded " + what + " of " +
                    llvm::Twine(input + w.before + w.after));
  return *outputs;
}
