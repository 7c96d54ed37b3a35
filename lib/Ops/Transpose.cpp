// transpose: result dimension i is operand dimension perm[i].
#include "Elements.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferTranspose(const ShapeQuery &query) {
  const auto &perm = query.attrs<TransposeAttrs>().perm;
  const Shape &in = query.shape(0);
  if (perm.size() != in.size())
    return badShape("permutation of " + llvm::Twine(perm.size()) + " dimensions for a tensor of rank " +
                    llvm::Twine(in.size()));
  std::vector<bool> seen(in.size());
  Shape result;
  for (int64_t p : perm) {
    if (p < 0 || p >= static_cast<int64_t>(in.size()) || seen[static_cast<size_t>(p)])
      return badShape("permutation names dimension " + llvm::Twine(p) + ", wanted each of 0 to " +
                      llvm::Twine(in.size() - 1) + " once");
    seen[static_cast<size_t>(p)] = true;
    result.push_back(in[static_cast<size_t>(p)]);
  }
  return result;
}

void mfc::evalTranspose(const EvalArgs &args) {
  std::vector<int64_t> own = rowMajorStrides(args.operandType(0).shape), strides;
  for (int64_t p : args.op.attrs<TransposeAttrs>().perm)
    strides.push_back(own[static_cast<size_t>(p)]);
  dispatchBytes(elementBytes(args.resultType().element), [&](auto zero) {
    using T = decltype(zero);
    const T *in = elements<T>(*args.operands[0]);
    T *out = elements<T>(args.result);
    walk<1>(args.resultType().shape, {strides}, {0},
            [&](int64_t i, const std::array<int64_t, 1> &from) { out[i] = in[from[0]]; });
  });
}

void mfc::verifyTranspose(OpVerifier &v) { verifyMovement(v); }
