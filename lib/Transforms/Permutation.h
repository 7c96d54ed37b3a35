// Permutations of dimensions, in the sense of `transpose`: result dimension i is operand dimension perm[i].
#ifndef MFC_LIB_TRANSFORMS_PERMUTATION_H
#define MFC_LIB_TRANSFORMS_PERMUTATION_H

#include "mfc/IR/Type.h"

#include <optional>
#include <vector>

namespace mfc {

using Permutation = std::vector<int64_t>;

bool isIdentity(const Permutation &perm);
Permutation inverse(const Permutation &perm);
/// transpose by `first`, then by `second`.
Permutation compose(const Permutation &first, const Permutation &second);
/// One entry a dimension (a shape, slice starts ...), as the result of the transpose sees it.
std::vector<int64_t> permuted(llvm::ArrayRef<int64_t> entries, const Permutation &perm);
/// The operand of a transpose: type of its result, shape and quantization axis moved back.
TensorType typeBefore(const TensorType &result, const Permutation &perm);
TensorType typeAfter(const TensorType &operand, const Permutation &perm);

/// Dimensions of size 1 may move without moving a byte: true if the others keep their order. Such a transpose
/// is a reshape.
bool movesOnlyUnitDims(const Shape &operand, const Permutation &perm);

/// reshape(transpose(x)) as transpose(reshape(x)).
struct SunkReshape {
  Shape shape;      ///< of the reshape, now in front
  Permutation perm; ///< of the transpose, now behind
};
/// Possible if the reshape splits and joins only dimensions that are neighbours, in the same order, in x as well.
/// Dimensions of size 1 of the result keep their position.
std::optional<SunkReshape> sinkThroughReshape(const Shape &x, const Permutation &perm, const Shape &result);

/// reshape from one shape to another without transposing, but with a marked axis: where it is afterwards, if the
/// reshape keeps that dimension.
std::optional<int64_t> axisAfterReshape(const Shape &from, int64_t axis, const Shape &to);

/// For a reshape that only adds and removes dimensions of size 1: the dimension of `from` that each dimension of `to` is,
/// -1 for those of size 1. Nothing for any other reshape.
std::optional<std::vector<int64_t>> unitReshapeDims(const Shape &from, const Shape &to);

} // namespace mfc
#endif
