#include "Permutation.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;

static size_t at(int64_t i) { return static_cast<size_t>(i); }

bool mfc::isIdentity(const Permutation &perm) {
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<int64_t>(i))
      return false;
  return true;
}

Permutation mfc::inverse(const Permutation &perm) {
  Permutation result(perm.size());
  for (size_t i = 0; i < perm.size(); ++i)
    result[at(perm[i])] = static_cast<int64_t>(i);
  return result;
}

Permutation mfc::compose(const Permutation &first, const Permutation &second) { return permuted(first, second); }

std::vector<int64_t> mfc::permuted(llvm::ArrayRef<int64_t> entries, const Permutation &perm) {
  std::vector<int64_t> result(perm.size());
  for (size_t i = 0; i < perm.size(); ++i)
    result[i] = entries[at(perm[i])];
  return result;
}

TensorType mfc::typeAfter(const TensorType &operand, const Permutation &perm) {
  TensorType result = operand;
  result.shape = permuted(operand.shape, perm);
  if (result.quant && !result.quant->isPerTensor())
    result.quant->axis = static_cast<int>(inverse(perm)[at(result.quant->axis)]);
  return result;
}

TensorType mfc::typeBefore(const TensorType &result, const Permutation &perm) {
  return typeAfter(result, inverse(perm));
}

bool mfc::movesOnlyUnitDims(const Shape &operand, const Permutation &perm) {
  int64_t last = -1;
  for (int64_t from : perm) {
    if (operand[at(from)] == 1)
      continue;
    if (from < last)
      return false;
    last = from;
  }
  return true;
}

namespace {
/// A set of neighbouring dimensions of one shape that holds the same elements as one of another.
struct Block {
  std::vector<size_t> from, to; ///< dimensions, ascending, none of size 1
};
} // namespace

/// The finest partition; both shapes have the same number of elements, none of them zero.
static std::vector<Block> blocksOf(const Shape &from, const Shape &to) {
  std::vector<Block> blocks;
  size_t i = 0, j = 0;
  auto skipUnits = [&] {
    while (i < from.size() && from[i] == 1)
      ++i;
    while (j < to.size() && to[j] == 1)
      ++j;
  };
  for (skipUnits(); i < from.size() && j < to.size(); skipUnits()) {
    Block block{{i}, {j}};
    int64_t left = from[i++], right = to[j++];
    while (left != right) {
      bool growLeft = left < right;
      size_t &next = growLeft ? i : j;
      const Shape &shape = growLeft ? from : to;
      (growLeft ? left : right) *= shape[next];
      if (shape[next] != 1)
        (growLeft ? block.from : block.to).push_back(next);
      ++next;
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::optional<SunkReshape> mfc::sinkThroughReshape(const Shape &x, const Permutation &perm, const Shape &result) {
  std::vector<int64_t> rankInX(x.size()); // position among the dimensions of x that are not of size 1
  int64_t count = 0;
  for (size_t d = 0; d < x.size(); ++d)
    rankInX[d] = x[d] == 1 ? -1 : count++;
  auto rank = [&](size_t transposedDim) { return rankInX[at(perm[transposedDim])]; };

  std::vector<Block> blocks = blocksOf(permuted(x, perm), result);
  for (const Block &block : blocks)
    for (size_t k = 1; k < block.from.size(); ++k)
      if (rank(block.from[k]) != rank(block.from[0]) + static_cast<int64_t>(k))
        return std::nullopt;
  llvm::sort(blocks, [&](const Block &a, const Block &b) { return rank(a.from[0]) < rank(b.from[0]); });

  SunkReshape sunk{result, Permutation(result.size())};
  std::vector<size_t> slots; // positions that the dimensions not of size 1 may take
  for (size_t d = 0; d < result.size(); ++d) {
    sunk.perm[d] = static_cast<int64_t>(d);
    if (result[d] != 1)
      slots.push_back(d);
  }
  size_t next = 0;
  for (const Block &block : blocks)
    for (size_t dim : block.to) {
      size_t slot = slots[next++];
      sunk.shape[slot] = result[dim];
      sunk.perm[dim] = static_cast<int64_t>(slot);
    }
  return sunk;
}

std::optional<int64_t> mfc::axisAfterReshape(const Shape &from, int64_t axis, const Shape &to) {
  if (from[at(axis)] == 1)
    return std::nullopt;
  for (const Block &block : blocksOf(from, to))
    if (block.from.size() == 1 && block.to.size() == 1 && block.from[0] == at(axis))
      return static_cast<int64_t>(block.to[0]);
  return std::nullopt;
}

std::optional<std::vector<int64_t>> mfc::unitReshapeDims(const Shape &from, const Shape &to) {
  std::vector<int64_t> dims(to.size(), -1);
  size_t next = 0;
  auto skipUnits = [&] {
    while (next < from.size() && from[next] == 1)
      ++next;
  };
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] == 1)
      continue;
    skipUnits();
    if (next == from.size() || from[next] != to[d])
      return std::nullopt;
    dims[d] = static_cast<int64_t>(next++);
  }
  skipUnits();
  return next == from.size() ? std::optional(dims) : std::nullopt;
}
