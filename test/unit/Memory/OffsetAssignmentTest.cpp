// The offset assignment on blocks whose best answer is known.
#include "RandomGraph.h"
#include "mfc/Memory/OffsetAssignment.h"

#include <catch2/catch.hpp>

using namespace mfc;

static void checkValid(llvm::ArrayRef<Block> blocks, const Assignment &assignment) {
  REQUIRE(assignment.offsets.size() == blocks.size());
  uint64_t total = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    CHECK(assignment.offsets[i] % blocks[i].align == 0);
    total = std::max(total, assignment.offsets[i] + blocks[i].bytes);
    for (size_t j = 0; j < i; ++j) {
      uint64_t a = assignment.offsets[i], b = assignment.offsets[j];
      bool apart = a + blocks[i].bytes <= b || b + blocks[j].bytes <= a;
      bool together = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
      if (together && !apart)
        FAIL("blocks " << j << " and " << i << " overlap");
    }
  }
  CHECK(assignment.total == total);
}

TEST_CASE("nothing and one block") {
  CHECK(assignOffsets({}).total == 0);
  CHECK(liveLowerBound({}) == 0);
  Block block{100, 16, 3, 5};
  Assignment assignment = assignOffsets(block);
  CHECK(assignment.total == 100);
  CHECK(assignment.offsets[0] == 0);
}

TEST_CASE("blocks alive at the same step do not overlap, others share") {
  // The last step of one is the first step of the next: both alive there.
  std::vector<Block> blocks = {{10, 1, 0, 1}, {20, 1, 1, 2}, {30, 1, 2, 3}};
  CHECK(liveLowerBound(blocks) == 50);
  Assignment assignment = assignOffsets(blocks);
  checkValid(blocks, assignment);
  CHECK(assignment.total == 50);
}

TEST_CASE("a gap below is used before the top grows") {
  // 0: [0, 64) until the end. 1 leaves a hole that 3 fits in exactly and 2 does not.
  std::vector<Block> blocks = {{64, 1, 0, 9}, {32, 1, 0, 1}, {40, 1, 0, 9}, {32, 1, 2, 9}};
  Assignment assignment = assignOffsets(blocks);
  checkValid(blocks, assignment);
  CHECK(assignment.total == 136);
}

TEST_CASE("offsets keep each block's alignment") {
  std::vector<Block> blocks = {{3, 16, 0, 2}, {5, 16, 0, 2}, {7, 64, 1, 2}, {1, 1, 0, 2}};
  checkValid(blocks, assignOffsets(blocks));
}

TEST_CASE("blocks of zero bytes take no memory") {
  std::vector<Block> blocks = {{0, 16, 0, 9}, {8, 16, 0, 9}, {0, 16, 0, 9}};
  CHECK(assignOffsets(blocks).total == 8);
}

/// Cuts the rectangle steps x bytes into blocks, so that the best total is known: the height.
static void cut(std::vector<Block> &blocks, RandomNumbers &random, Block piece, unsigned depth) {
  bool inTime = random.chance(50);
  if (depth == 0 || (inTime ? piece.last == piece.first : piece.bytes < 2)) {
    blocks.push_back(piece);
    return;
  }
  Block a = piece, b = piece;
  if (inTime) {
    a.last = static_cast<unsigned>(random.between(piece.first, piece.last - 1));
    b.first = a.last + 1;
  } else {
    a.bytes = static_cast<uint64_t>(random.between(1, static_cast<int64_t>(piece.bytes) - 1));
    b.bytes = piece.bytes - a.bytes;
  }
  cut(blocks, random, a, depth - 1);
  cut(blocks, random, b, depth - 1);
}

TEST_CASE("random partitions of a rectangle come close to it") {
  uint64_t sum = 0, best = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomNumbers random(seed);
    std::vector<Block> blocks;
    cut(blocks, random, {4096, 1, 0, 40}, 3 + seed % 4);
    Assignment assignment = assignOffsets(blocks);
    INFO("seed " << seed << ", " << blocks.size() << " blocks");
    checkValid(blocks, assignment);
    CHECK(liveLowerBound(blocks) == 4096);
    sum += assignment.total;
    best += 4096;
  }
  // Measured: 4.2 % above on average. A change that makes it worse should be seen.
  CHECK(sum * 100 <= best * 106);
}

TEST_CASE("the same blocks get the same offsets") {
  RandomNumbers random(5);
  std::vector<Block> blocks;
  cut(blocks, random, {4096, 1, 0, 40}, 6);
  CHECK(assignOffsets(blocks).offsets == assignOffsets(blocks).offsets);
}
