// Depth-first search for offsets that end at or below a limit.
//
// In an assignment with the smallest sum of offsets every block lies on the ground or on another one. Such assignments
// can be built in the order of rising offsets, each block as low as what is placed already allows; so a node of the
// search chooses the next block and never an offset. What keeps the tree small:
//   - of blocks with the same offset (they are never alive together) only one order is tried;
//   - a block that would start above the end of another one that is still open is not next: the other one could be
//     moved below it, and the sum of offsets would not be the smallest;
//   - at every step of time, the lowest offset that an open block can have there plus the bytes of all open blocks of
//     that step must stay below the limit;
//   - open blocks that are connected by no common step are independent problems.
#include "mfc/Memory/OffsetSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <numeric>

using namespace mfc;

namespace {

/// A block in the order of trying, with the points of time that it covers.
struct Piece {
  uint64_t bytes = 0;   ///< to its end
  uint64_t stacked = 0; ///< to where the next one can start
  uint64_t align = 1;
  unsigned first = 0, last = 0; ///< points, both included
  uint64_t lowest = 0;          ///< lowest offset on what is placed
};

/// Points are the steps at which a block starts: blocks alive together share one.
struct Problem {
  std::vector<Piece> pieces;
  std::vector<size_t> blockOf; ///< by piece
  std::vector<uint64_t> open;  ///< by point: stacked bytes of open pieces
  std::vector<uint64_t> spare; ///< by point: what the highest piece may need less than its stacked bytes
};

/// Points and pieces, in the order of the blocks.
Problem makePieces(llvm::ArrayRef<Block> blocks) {
  std::vector<unsigned> starts;
  uint64_t align = UINT64_MAX;
  for (const Block &block : blocks) {
    starts.push_back(block.first);
    align = std::min(align, block.align);
  }
  llvm::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  Problem problem;
  problem.open.assign(starts.size(), 0);
  problem.spare.assign(starts.size(), 0);
  for (const Block &block : blocks) {
    Piece piece;
    piece.bytes = block.bytes;
    piece.stacked = llvm::alignTo(block.bytes, align);
    piece.align = block.align;
    piece.first = static_cast<unsigned>(llvm::lower_bound(starts, block.first) - starts.begin());
    piece.last = static_cast<unsigned>(llvm::upper_bound(starts, block.last) - starts.begin()) - 1;
    for (unsigned p = piece.first; p <= piece.last; ++p) {
      problem.open[p] += piece.stacked;
      problem.spare[p] = std::max(problem.spare[p], piece.stacked - piece.bytes);
    }
    problem.pieces.push_back(piece);
  }
  return problem;
}

/// What makes a piece hard to place: the largest sum of bytes that it is part of, how long it lives, area, bytes.
using OrderKey = std::array<uint64_t, 3>;

OrderKey orderKey(uint64_t crowd, uint64_t length, uint64_t bytes, unsigned variant) {
  uint64_t area = bytes * length;
  switch (variant % 8) {
  case 0: return {crowd, length, area};
  case 1: return {crowd, area, length};
  case 2: return {length, area, crowd};
  case 3: return {length, crowd, area};
  case 4: return {area, length, crowd};
  case 5: return {area, crowd, length};
  case 6: return {crowd, bytes, length};
  default: return {bytes, length, crowd};
  }
}

/// The factor 1 to 2 of a piece in a variant, in 1/256.
uint64_t perturbation(size_t index, unsigned variant) {
  if (variant < kPlainVariants)
    return 256;
  uint64_t x = (index + 1) * 0x9e3779b97f4a7c15 ^ variant * 0xbf58476d1ce4e5b9; // mixed as in SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return 256 + (x >> 56);
}

/// Pieces by falling key. Variants differ in the key, and in whether a lifetime is measured in steps or in points.
Problem makeProblem(llvm::ArrayRef<Block> blocks, unsigned variant) {
  Problem problem = makePieces(blocks);
  std::vector<OrderKey> keys;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Piece &piece = problem.pieces[i];
    uint64_t crowd = *std::max_element(problem.open.begin() + piece.first, problem.open.begin() + piece.last + 1);
    bool inSteps = variant / 8 % 2 != 0;
    uint64_t length = inSteps ? uint64_t(blocks[i].last) - blocks[i].first + 1 : piece.last - piece.first + 1;
    keys.push_back(orderKey(crowd, length, piece.bytes, variant));
    for (uint64_t &part : keys.back())
      part = std::min(part, UINT64_MAX >> 9) * perturbation(i, variant);
  }
  problem.blockOf.resize(blocks.size());
  std::iota(problem.blockOf.begin(), problem.blockOf.end(), size_t(0));
  llvm::stable_sort(problem.blockOf, [&](size_t a, size_t b) { return keys[a] > keys[b]; });
  std::vector<Piece> sorted;
  for (size_t block : problem.blockOf)
    sorted.push_back(problem.pieces[block]);
  problem.pieces = std::move(sorted);
  return problem;
}

class OffsetSearch {
public:
  OffsetSearch(Problem problem, uint64_t limit, uint64_t nodes)
      : problem(std::move(problem)), limit(limit), nodesLeft(nodes) {}

  SearchAnswer run() {
    uint64_t all = nodesLeft;
    std::vector<unsigned> pieces(problem.pieces.size());
    std::iota(pieces.begin(), pieces.end(), 0u);
    llvm::stable_sort(pieces, [&](unsigned a, unsigned b) { return problem.pieces[a].first < problem.pieces[b].first; });
    SearchAnswer answer;
    answer.end = placeParts(pieces, {});
    answer.nextTotal = nextTotal;
    answer.nodes = all - nodesLeft;
    answer.offsets.assign(pieces.size(), 0);
    for (unsigned piece : pieces)
      answer.offsets[problem.blockOf[piece]] = problem.pieces[piece].lowest;
    return answer;
  }

private:
  using Pieces = llvm::ArrayRef<unsigned>; ///< open ones, by time
  /// The piece placed last: the next one lies higher, or as high and behind it in the order.
  struct Last {
    uint64_t offset = 0;
    int piece = -1;
  };

  Problem problem;
  uint64_t limit, nodesLeft;
  uint64_t nextTotal = UINT64_MAX;
  std::vector<std::pair<unsigned, uint64_t>> undo; ///< piece and its former lowest offset
  std::vector<unsigned> placed;                    ///< in this order
  std::vector<uint64_t> floor;                     ///< by point, of fits()

  SearchEnd placeParts(Pieces open, Last last);
  SearchEnd placeConnected(Pieces open, Last last);
  SearchEnd placeNext(Pieces open, unsigned piece);
  void takeBack(size_t lowestMark, size_t placedMark);
  uint64_t floorOf(unsigned piece, Last last) const;
  bool fits(Pieces open, Last last);
  /// This branch needs at least that much. The tree stays as it is below the smallest such total.
  void exceeded(uint64_t total) { nextTotal = std::min(nextTotal, total); }
};

uint64_t OffsetSearch::floorOf(unsigned index, Last last) const {
  const Piece &piece = problem.pieces[index];
  // As high as the last one but before it in the order: that order is tried elsewhere.
  uint64_t above = last.offset + (static_cast<int>(index) < last.piece ? 1 : 0);
  return piece.lowest >= above ? piece.lowest : llvm::alignTo(above, piece.align);
}

/// No point of time needs more than the limit, whatever is placed next.
bool OffsetSearch::fits(Pieces open, Last last) {
  unsigned begin = UINT_MAX, end = 0;
  for (unsigned index : open) {
    begin = std::min(begin, problem.pieces[index].first);
    end = std::max(end, problem.pieces[index].last + 1);
  }
  floor.assign(end, UINT64_MAX);
  for (unsigned index : open) {
    const Piece &piece = problem.pieces[index];
    uint64_t lowest = floorOf(index, last);
    if (lowest + piece.bytes > limit) {
      exceeded(lowest + piece.bytes);
      return false;
    }
    for (unsigned p = piece.first; p <= piece.last; ++p)
      floor[p] = std::min(floor[p], lowest);
  }
  for (unsigned p = begin; p < end; ++p)
    if (problem.open[p] != 0 && floor[p] + problem.open[p] - problem.spare[p] > limit) {
      exceeded(floor[p] + problem.open[p] - problem.spare[p]);
      return false;
    }
  return true;
}

void OffsetSearch::takeBack(size_t lowestMark, size_t placedMark) {
  for (; placed.size() > placedMark; placed.pop_back()) {
    const Piece &piece = problem.pieces[placed.back()];
    for (unsigned p = piece.first; p <= piece.last; ++p)
      problem.open[p] += piece.stacked;
  }
  for (; undo.size() > lowestMark; undo.pop_back())
    problem.pieces[undo.back().first].lowest = undo.back().second;
}

SearchEnd OffsetSearch::placeNext(Pieces open, unsigned index) {
  size_t lowestMark = undo.size(), placedMark = placed.size();
  Piece &piece = problem.pieces[index];
  uint64_t end = piece.lowest + piece.stacked;
  llvm::SmallVector<unsigned> rest;
  for (unsigned other : open) {
    if (other == index)
      continue;
    rest.push_back(other);
    Piece &next = problem.pieces[other];
    if (next.first <= piece.last && piece.first <= next.last && next.lowest < end) {
      undo.emplace_back(other, next.lowest);
      next.lowest = llvm::alignTo(end, next.align);
    }
  }
  for (unsigned p = piece.first; p <= piece.last; ++p)
    problem.open[p] -= piece.stacked;
  placed.push_back(index);
  SearchEnd answer = placeParts(rest, {piece.lowest, static_cast<int>(index)});
  if (answer != SearchEnd::Found)
    takeBack(lowestMark, placedMark);
  return answer;
}

SearchEnd OffsetSearch::placeConnected(Pieces open, Last last) {
  uint64_t lowestEnd = UINT64_MAX;
  llvm::SmallVector<std::pair<uint64_t, unsigned>> candidates; // offset, piece
  for (unsigned index : open) {
    const Piece &piece = problem.pieces[index];
    lowestEnd = std::min(lowestEnd, piece.lowest + piece.bytes);
  }
  for (unsigned index : open) {
    uint64_t offset = floorOf(index, last);
    uint64_t own = problem.pieces[index].lowest;
    if (offset < lowestEnd && offset == own)
      candidates.emplace_back(offset, index);
  }
  llvm::sort(candidates);
  for (auto [offset, index] : candidates) {
    if (nodesLeft == 0)
      return SearchEnd::Gaveup;
    --nodesLeft;
    SearchEnd answer = placeNext(open, index);
    if (answer != SearchEnd::Impossible)
      return answer;
  }
  return SearchEnd::Impossible;
}

SearchEnd OffsetSearch::placeParts(Pieces open, Last last) {
  if (open.empty())
    return SearchEnd::Found;
  if (!fits(open, last))
    return SearchEnd::Impossible;
  for (size_t begin = 0, end; begin < open.size(); begin = end) {
    unsigned until = problem.pieces[open[begin]].last;
    for (end = begin + 1; end < open.size() && problem.pieces[open[end]].first <= until; ++end)
      until = std::max(until, problem.pieces[open[end]].last);
    SearchEnd answer = placeConnected(open.slice(begin, end - begin), last);
    if (answer != SearchEnd::Found)
      return answer;
  }
  return SearchEnd::Found;
}

} // namespace

SearchAnswer mfc::searchOffsets(llvm::ArrayRef<Block> blocks, uint64_t limit, unsigned variant, uint64_t nodes) {
  return OffsetSearch(makeProblem(blocks, variant), limit, nodes).run();
}
