// slice: strided part; the sizes are those of the result type.
#include "Elements.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferSlice(const ShapeQuery &query) {
  const auto &attrs = query.attrs<SliceAttrs>();
  const Shape &in = query.shape(0);
  if (!query.wanted)
    return makeError(ErrorClass::Internal, "slice needs its result type");
  const Shape &size = query.wanted->shape;
  if (attrs.begin.size() != in.size() || attrs.stride.size() != in.size() || size.size() != in.size())
    return badShape("slice of " + shapeText(in) + " has " + llvm::Twine(attrs.begin.size()) + " begins, " +
                    llvm::Twine(attrs.stride.size()) + " strides and " + llvm::Twine(size.size()) +
                    " sizes, wanted one a dimension");
  for (size_t i = 0; i < in.size(); ++i) {
    int64_t begin = attrs.begin[i], stride = attrs.stride[i];
    auto problem = [&](const char *wanted) {
      return badShape("slice of dimension " + llvm::Twine(i) + " of " + shapeText(in) + " has begin " +
                      llvm::Twine(begin) + ", stride " + llvm::Twine(stride) + ", size " + llvm::Twine(size[i]) +
                      ", wanted " + wanted);
    };
    if (begin < 0 || begin >= in[i] || size[i] < 1 || size[i] > in[i])
      return problem("a non-empty part inside the dimension");
    if (size[i] == 1)
      continue;
    if (stride == 0 || stride >= in[i] || -stride >= in[i])
      return problem("a stride other than 0 that stays inside the dimension");
    int64_t last = begin + (size[i] - 1) * stride;
    if (last < 0 || last >= in[i])
      return problem("a part inside the dimension");
  }
  return size;
}

void mfc::evalSlice(const EvalArgs &args) {
  const auto &attrs = args.op.attrs<SliceAttrs>();
  std::vector<int64_t> strides = rowMajorStrides(args.operandType(0).shape);
  int64_t base = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    base += attrs.begin[i] * strides[i];
    strides[i] *= attrs.stride[i];
  }
  dispatchBytes(elementBytes(args.resultType().element), [&](auto zero) {
    using T = decltype(zero);
    const T *in = elements<T>(*args.operands[0]);
    T *out = elements<T>(args.result);
    walk<1>(args.resultType().shape, {strides}, {base},
            [&](int64_t i, const std::array<int64_t, 1> &from) { out[i] = in[from[0]]; });
  });
}

void mfc::verifySlice(OpVerifier &v) { verifyMovement(v); }
