// The proofs behind packed weights: which weights may share a register, and that the rest takes the safe path.
#include "GemmShape.h"
#include "HeliumDepthwise.h"

#include "mfc/IR/Tensor.h"

#include "../../support/HostModel.h"
#include <catch2/catch.hpp>
#include <numeric>

using namespace mfc;
using namespace mfc::test;

namespace {
/// One anchor with the given weights and bias; input int8, zero point 0.
struct Anchor {
  Graph graph;
  const Operation *op;
};

Anchor anchor(OpKind kind, Shape input, Shape weights, std::vector<int8_t> values, std::vector<int32_t> bias) {
  Anchor a;
  Value *in = a.graph.addInput(quantizedType(ElementType::I8, input, 1.0f, 0), "in");
  TensorType weightType = quantizedType(ElementType::I8, weights, 1.0f, 0);
  auto *first = reinterpret_cast<const uint8_t *>(values.data());
  Value *w = a.graph.addConstant(weightType, std::vector<uint8_t>(first, first + values.size()), "");
  TensorType biasType = quantizedType(ElementType::I32, {static_cast<int64_t>(bias.size())}, 1.0f, 0);
  auto *biasBytes = reinterpret_cast<const uint8_t *>(bias.data());
  Value *b = a.graph.addConstant(biasType, std::vector<uint8_t>(biasBytes, biasBytes + 4 * bias.size()), "");
  Shape out = kind == OpKind::Dense ? Shape{1, weights[0]} : Shape{1, 1, 1, weights.back()};
  Attributes attributes;
  if (kind == OpKind::Dense)
    attributes = RoundingAttrs{Rounding::TfliteDouble};
  else
    attributes = ConvAttrs{};
  a.op = a.graph.add(kind, {in, w, b}, attributes, quantizedType(ElementType::I8, out, 1.0f, 0), {})->producer();
  return a;
}

Anchor dense(std::vector<int8_t> values, int64_t channels, std::vector<int32_t> bias) {
  int64_t k = static_cast<int64_t>(values.size()) / channels;
  return anchor(OpKind::Dense, {1, k}, {channels, k}, std::move(values), std::move(bias));
}
} // namespace

TEST_CASE("two int8 weights share 16 bits unless their sum leaves them") {
  Anchor fits = dense({127, -128, -128, 127, -127, 127, 0, -128}, 2, {0, 0});
  // Channel 1 is {-127, 127, 0, -128}: -128 * 256 + 127 is the smallest value that fits.
  CHECK(GemmProblem(*fits.op, 1).bytePairsExact());
  Anchor below = dense({-1, 0, -128, 0}, 2, {0, 0}); // -128 * 256 - 1
  CHECK_FALSE(GemmProblem(*below.op, 1).bytePairsExact());
  Anchor bias = dense({1, 1, 1, 1}, 2, {0, 1 << 23});
  CHECK_FALSE(GemmProblem(*bias.op, 1).bytePairsExact());
  Anchor otherBias = dense({1, 1, 1, 1}, 2, {1 << 23, 0}); // the first channel may be as large as it likes
  CHECK(GemmProblem(*otherBias.op, 1).bytePairsExact());
}

TEST_CASE("groups of half-word pairs end where a field could overflow") {
  std::vector<int8_t> values(24, 127); // 2 * 127 = 254, 3 * 127 = 381
  Anchor a = dense(values, 2, {0, 0});
  CHECK(GemmProblem(*a.op, 1).halfPairsGroup({2, 3, 4}) == 2);
  Anchor b = dense(std::vector<int8_t>(24, -128), 2, {0, 0}); // 2 * 128 = 256: 128 * 256 is 32768
  CHECK(GemmProblem(*b.op, 1).halfPairsGroup({2, 3, 4}) == 0);
  Anchor c = dense(std::vector<int8_t>(24, 10), 2, {0, 0});
  CHECK(GemmProblem(*c.op, 1).halfPairsGroup({2, 3, 4, 12}) == 12);
}

TEST_CASE("an order of K is a permutation whose groups all fit") {
  std::vector<int8_t> values;
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < 12; ++i)
      values.push_back(i < 4 ? 127 : 20); // large ones first: groups of 3 fit only when they are spread
  Anchor a = dense(values, 2, {0, 0});
  GemmProblem problem(*a.op, 1);
  REQUIRE(problem.halfPairsGroup({3}) == 0);
  std::vector<uint16_t> order = problem.halfPairsOrder(3);
  REQUIRE(order.size() == 12);
  std::vector<bool> seen(12);
  for (uint16_t place : order)
    seen[place] = true;
  CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
  for (size_t g = 0; g < 12; g += 3) {
    int64_t sum = 0;
    for (size_t i = g; i < g + 3; ++i)
      sum += std::abs(problem.at(0, order[i]));
    CHECK(128 * sum <= INT16_MAX);
  }
  CHECK(GemmProblem(*dense(std::vector<int8_t>(24, 127), 2, {0, 0}).op, 1).halfPairsOrder(3).empty());
}

TEST_CASE("taps of a depthwise convolution are grouped so that 16-bit sums hold") {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    int64_t channels = random.range(1, 20), taps = 9;
    std::vector<int8_t> values;
    for (int64_t i = 0; i < taps * channels; ++i)
      values.push_back(static_cast<int8_t>(random.range(-128, 127) / (round % 4 + 1)));
    Anchor a = anchor(OpKind::DepthwiseConv2D, {1, 3, 3, channels}, {3, 3, channels}, values,
                      std::vector<int32_t>(static_cast<size_t>(channels)));
    TapGroups groups = tapGroups(*a.op);
    REQUIRE(std::accumulate(groups.sizes.begin(), groups.sizes.end(), int64_t(0)) == taps);
    std::vector<int64_t> tapAt(static_cast<size_t>(taps), -1);
    for (int64_t tap = 0; tap < taps; ++tap)
      tapAt[static_cast<size_t>(groups.slots[static_cast<size_t>(tap)])] = tap;
    size_t next = 0;
    for (int64_t size : groups.sizes) {
      for (int64_t c = 0; c < channels; ++c) {
        int64_t sum = 0;
        for (size_t i = next; i < next + static_cast<size_t>(size); ++i)
          sum += std::abs(values[static_cast<size_t>(tapAt[i] * channels + c)]);
        REQUIRE(128 * sum <= INT16_MAX);
      }
      next += static_cast<size_t>(size);
    }
  }
}

TEST_CASE("taps of a large kernel are a loop of short equal groups") {
  for (int weight : {0, 60, 120, -128}) {
    Anchor a = anchor(OpKind::DepthwiseConv2D, {1, 40, 40, 2}, {40, 40, 2}, std::vector<int8_t>(3200, static_cast<int8_t>(weight)),
                      {0, 0});
    TapGroups groups = tapGroups(*a.op);
    REQUIRE(std::accumulate(groups.sizes.begin(), groups.sizes.end(), int64_t(0)) == 1600);
    for (int64_t size : groups.sizes) {
      REQUIRE(size <= 4);
      REQUIRE(128 * size * std::abs(weight) <= INT16_MAX);
    }
  }
}
