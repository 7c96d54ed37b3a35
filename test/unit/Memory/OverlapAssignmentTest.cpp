// Offsets where some blocks may share bytes, against every assignment there is.
#include "RandomGraph.h"
#include "mfc/Memory/OverlapAssignment.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <catch2/catch.hpp>

using namespace mfc;

namespace {

/// By the definition of AllowedOverlap.
bool mayBe(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps, size_t a, int64_t atA, size_t b, int64_t atB) {
  auto bytes = [&](size_t i) { return static_cast<int64_t>(blocks[i].bytes); };
  if (!blocks[a].overlaps(blocks[b]) || atA + bytes(a) <= atB || atB + bytes(b) <= atA)
    return true;
  return llvm::any_of(overlaps, [&](const AllowedOverlap &o) {
    if (!(o.over == a && o.under == b) && !(o.over == b && o.under == a))
      return false;
    int64_t inFront = o.over == a ? atB - atA : atA - atB;
    return (inFront >= 0 && inFront >= o.distance) || (inFront == 0 && o.samePlace);
  });
}

void checkValid(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps, const Assignment &found) {
  REQUIRE(found.offsets.size() == blocks.size());
  uint64_t total = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    CHECK(found.offsets[i] % blocks[i].align == 0);
    total = std::max(total, found.offsets[i] + blocks[i].bytes);
    for (size_t j = 0; j < i; ++j)
      CHECK(mayBe(blocks, overlaps, i, static_cast<int64_t>(found.offsets[i]), j, static_cast<int64_t>(found.offsets[j])));
  }
  CHECK(found.total == total);
  CHECK(found.bound <= found.total);
}

/// The smallest total, by trying all offsets.
class BruteForce {
public:
  BruteForce(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps, uint64_t most)
      : blocks(blocks), overlaps(overlaps), best(static_cast<int64_t>(most)), offsets(blocks.size()) {}
  uint64_t run() {
    place(0, 0);
    return static_cast<uint64_t>(best);
  }

private:
  llvm::ArrayRef<Block> blocks;
  llvm::ArrayRef<AllowedOverlap> overlaps;
  int64_t best;
  std::vector<int64_t> offsets;

  void place(size_t i, int64_t total) {
    if (total >= best)
      return;
    if (i == blocks.size()) {
      best = total;
      return;
    }
    auto bytes = static_cast<int64_t>(blocks[i].bytes);
    for (int64_t at = 0; at + bytes < best; at += static_cast<int64_t>(blocks[i].align)) {
      bool fits = true;
      for (size_t j = 0; j < i && fits; ++j)
        fits = mayBe(blocks, overlaps, i, at, j, offsets[j]);
      offsets[i] = at;
      if (fits)
        place(i + 1, std::max(total, at + bytes));
    }
  }
};

} // namespace

TEST_CASE("a result a little in front of its operand") {
  // Operand 10, result 10, two bytes in front: 12 instead of 20.
  std::vector<Block> blocks{{10, 1, 0, 1}, {10, 1, 1, 2}};
  AllowedOverlap overlap{1, 0, 2};
  Assignment found = assignOverlapping(blocks, overlap);
  checkValid(blocks, overlap, found);
  CHECK(found.total == 12);
  CHECK(overlappingLowerBound(blocks, overlap) == 12);
}

TEST_CASE("a chain of results, each below the one before") {
  std::vector<Block> blocks{{8, 1, 0, 1}, {8, 1, 1, 2}, {8, 1, 2, 3}, {8, 1, 3, 4}};
  std::vector<AllowedOverlap> overlaps{{1, 0, 2}, {2, 1, 2}, {3, 2, 2}};
  Assignment found = assignOverlapping(blocks, overlaps);
  checkValid(blocks, overlaps, found);
  CHECK(found.total <= 14); // 3 * 2 + 8; a second buffer beside the first would need 16
}

TEST_CASE("only the very same place") {
  std::vector<Block> blocks{{10, 1, 0, 1}, {10, 1, 1, 2}, {3, 1, 0, 0}};
  AllowedOverlap overlap{1, 0, 10, true};
  Assignment found = assignOverlapping(blocks, overlap);
  checkValid(blocks, overlap, found);
  CHECK(found.total == 13); // the operand and the third block
  CHECK(found.offsets[0] == found.offsets[1]);
  CHECK(overlappingLowerBound(blocks, overlap) == 13);
}

TEST_CASE("a result larger than its operand ends above it") {
  std::vector<Block> blocks{{4, 1, 0, 1}, {16, 1, 1, 2}};
  AllowedOverlap overlap{1, 0, 12};
  CHECK(overlappingLowerBound(blocks, overlap) == 16);
  Assignment found = assignOverlapping(blocks, overlap);
  checkValid(blocks, overlap, found);
  CHECK(found.total == 16);
}

TEST_CASE("an overlap that is not needed does no harm") {
  std::vector<Block> blocks{{10, 16, 0, 1}, {10, 16, 2, 3}};
  AllowedOverlap overlap{1, 0, 4};
  CHECK(assignOverlapping(blocks, overlap).total == 10);
}

TEST_CASE("small problems: valid, close to the best, and the bound is below it") {
  uint64_t found = 0, best = 0, plain = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    RandomNumbers random(seed);
    std::vector<Block> blocks;
    std::vector<AllowedOverlap> overlaps;
    uint64_t align = random.chance(30) ? 2 : 1;
    for (int64_t i = random.between(2, 5); i > 0; --i) {
      auto first = static_cast<unsigned>(random.between(0, 4));
      blocks.push_back({static_cast<uint64_t>(random.between(1, 9)), align, first, first + static_cast<unsigned>(random.between(0, 2))});
    }
    for (size_t a = 0; a < blocks.size(); ++a)
      for (size_t b = 0; b < blocks.size(); ++b)
        if (blocks[a].first > blocks[b].first && blocks[a].overlaps(blocks[b]) && random.chance(60))
          overlaps.push_back({a, b, random.between(0, 6), random.chance(30)});
    INFO("seed " << seed);
    Assignment assignment = assignOverlapping(blocks, overlaps);
    checkValid(blocks, overlaps, assignment);
    uint64_t optimum = BruteForce(blocks, overlaps, assignment.total + 1).run();
    CHECK(overlappingLowerBound(blocks, overlaps) <= optimum);
    CHECK(assignment.bound <= optimum);
    CHECK(assignment.total <= assignOffsets(blocks, {.nodes = 0}).total);
    found += assignment.total, best += optimum, plain += assignOffsets(blocks).total;
  }
  CHECK(found * 100 <= best * 106);
  CHECK(found < plain);
}
