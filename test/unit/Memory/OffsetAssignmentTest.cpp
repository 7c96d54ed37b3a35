// The offset assignment on blocks whose best answer is known.
#include "RandomGraph.h"
#include "mfc/Memory/OffsetAssignment.h"
#include "mfc/Memory/OffsetSearch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

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

/// The best total over all orders, each block as low as the ones before it allow: one of the orders is that of the
/// offsets of a best assignment.
static uint64_t bruteForceTotal(llvm::ArrayRef<Block> blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t(0));
  uint64_t best = UINT64_MAX;
  do {
    std::vector<uint64_t> offsets(blocks.size());
    uint64_t total = 0;
    for (size_t k = 0; k < order.size(); ++k) {
      const Block &block = blocks[order[k]];
      uint64_t offset = 0;
      for (bool moved = true; moved;) { // past everything in the way, until nothing is
        moved = false;
        for (size_t j = 0; j < k; ++j) {
          const Block &other = blocks[order[j]];
          uint64_t begin = offsets[order[j]], end = begin + other.bytes;
          bool together = block.first <= other.last && other.first <= block.last;
          if (together && offset < end && begin < offset + block.bytes) {
            offset = (end + block.align - 1) / block.align * block.align;
            moved = true;
          }
        }
      }
      offsets[order[k]] = offset;
      total = std::max(total, offset + block.bytes);
    }
    best = std::min(best, total);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST_CASE("small instances: as good as brute force, and proved to be") {
  unsigned aboveBound = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    RandomNumbers random(seed);
    std::vector<Block> blocks;
    for (int64_t left = random.between(2, 7); left > 0; --left) {
      Block block;
      block.bytes = static_cast<uint64_t>(random.between(1, seed % 2 ? 9 : 40));
      block.align = seed % 3 == 0 ? uint64_t(1) << random.between(0, 3) : seed % 3 == 1 ? 4 : 1;
      block.first = static_cast<unsigned>(random.between(0, 7));
      block.last = block.first + static_cast<unsigned>(random.between(0, 4));
      blocks.push_back(block);
    }
    Assignment assignment = assignOffsets(blocks);
    INFO("seed " << seed);
    checkValid(blocks, assignment);
    REQUIRE(assignment.total == bruteForceTotal(blocks));
    REQUIRE(assignment.isOptimal());
    aboveBound += assignment.total > liveLowerBound(blocks);
  }
  CHECK(aboveBound > 20); // some had to be proved by search or alignment
}

TEST_CASE("the search alone equals brute force: found at the best total, impossible one below") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomNumbers random(seed);
    std::vector<Block> blocks;
    for (int64_t left = random.between(2, 7); left > 0; --left) {
      unsigned first = static_cast<unsigned>(random.between(0, 6));
      blocks.push_back({static_cast<uint64_t>(random.between(1, 12)), uint64_t(1) << (seed % 3), first,
                        first + static_cast<unsigned>(random.between(0, 4))});
    }
    uint64_t best = bruteForceTotal(blocks);
    for (unsigned variant : {0u, 5u, 9u, 16u, 23u}) {
      INFO("seed " << seed << ", variant " << variant);
      SearchAnswer found = searchOffsets(blocks, best, variant, 1'000'000);
      REQUIRE(found.end == SearchEnd::Found);
      checkValid(blocks, {found.offsets, best, 0});
      SearchAnswer impossible = searchOffsets(blocks, best - 1, variant, 1'000'000);
      REQUIRE(impossible.end == SearchEnd::Impossible);
      REQUIRE(impossible.nextTotal <= best);
    }
  }
}

TEST_CASE("a goal is enough, and an effort of no nodes is the greedy answer with a bound") {
  RandomNumbers random(11);
  std::vector<Block> blocks;
  cut(blocks, random, {4096, 1, 0, 40}, 6);
  Assignment exact = assignOffsets(blocks);
  CHECK(exact.total == 4096);
  CHECK(exact.isOptimal());
  Assignment greedy = assignOffsets(blocks, {0, 0});
  checkValid(blocks, greedy);
  CHECK(greedy.total >= exact.total);
  CHECK(greedy.bound == 4096);
  Assignment roomy = assignOffsets(blocks, {5000});
  checkValid(blocks, roomy);
  CHECK(roomy.total <= 5000);
}

TEST_CASE("the same blocks get the same offsets") {
  RandomNumbers random(5);
  std::vector<Block> blocks;
  cut(blocks, random, {4096, 1, 0, 40}, 6);
  CHECK(assignOffsets(blocks).offsets == assignOffsets(blocks).offsets);
}
