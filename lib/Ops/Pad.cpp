// pad: a border of one value.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferPad(const ShapeQuery &query) {
  const auto &attrs = query.attrs<PadAttrs>();
  Shape result = query.shape(0);
  if (attrs.before.size() != result.size() || attrs.after.size() != result.size())
    return badShape("pad of " + shapeText(result) + " has " + llvm::Twine(attrs.before.size()) + " and " +
                    llvm::Twine(attrs.after.size()) + " entries, wanted one a dimension");
  constexpr int64_t largest = int64_t(1) << 40;
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t before = attrs.before[i], after = attrs.after[i];
    if (before < 0 || after < 0 || before > largest || after > largest)
      return badShape("pad of dimension " + llvm::Twine(i) + " is " + llvm::Twine(before) + " and " +
                      llvm::Twine(after) + ", wanted non-negative numbers");
    result[i] += before + after;
  }
  return result;
}
