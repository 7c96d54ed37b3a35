// Every pass over random graphs: what it leaves verifies, gives the same answers, and does not change again.
#include "PassTest.h"
#include "RandomGraph.h"
#include "mfc/Transforms/Pipeline.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace mfc;
using namespace mfc::test;

namespace {
constexpr uint64_t kGraphs = 100;

struct Compare {
  double tolerance = 0;
  bool anyForNaN = false; ///< what was NaN may be something else
};

/// NaN equals NaN; integers and infinities must be equal.
bool isClose(const Tensor &a, const Tensor &b, int64_t i, const Compare &compare) {
  if (!isFloat(a.type.element))
    return a.getInteger(i) == b.getInteger(i);
  double x = a.get<float>(i), y = b.get<float>(i);
  if (std::isnan(x))
    return std::isnan(y) || compare.anyForNaN;
  return x == y || std::abs(x - y) <= compare.tolerance * (1 + std::abs(x));
}

void checkAnswers(const Graph &before, const Graph &after, uint64_t seed, const Compare &compare) {
  std::vector<Tensor> inputs;
  for (const Value *input : before.inputs())
    inputs.push_back(randomTensor(input->type, seed + inputs.size()));
  std::vector<Tensor> wanted = evaluate(before, inputs), found = evaluate(after, inputs);
  REQUIRE(wanted.size() == found.size());
  for (size_t o = 0; o < wanted.size(); ++o) {
    REQUIRE(wanted[o].type == found[o].type);
    int64_t wrong = 0;
    for (int64_t i = 0; i < wanted[o].type.count(); ++i)
      wrong += !isClose(wanted[o], found[o], i, compare);
    INFO("output " << o << " of " << wanted[o].type.count() << " elements");
    CHECK(wrong == 0);
  }
}

/// Runs the passes twice.
void checkOn(const Graph &graph, llvm::StringRef passes, uint64_t seed, const Compare &compare) {
  INFO("seed " << seed << ", " << passes.str() << "\n" << plainText(graph));
  Outcome once = runPasses(graph.clone(), passes);
  INFO(once.errors());
  REQUIRE(once.ok);
  checkAnswers(graph, once.graph, seed, compare);
  std::string text = plainText(once.graph);
  Outcome twice = runPasses(std::move(once.graph), passes);
  CHECK(twice.ok);
  CHECK(plainText(twice.graph) == text);
}
} // namespace

TEST_CASE("passes that do not touch arithmetic keep every bit on random graphs") {
  for (const char *pass : {"infer-shapes", "erase-dead-code", "fold-constants", "fold-dequantized-constants",
                           "common-subexpressions", "fold-pad", "sink-dequantize", "shift-u8-to-i8",
                           "fold-weight-zero-points"})
    for (uint64_t seed = 0; seed < kGraphs; ++seed)
      checkOn(randomGraph(seed), pass, seed, {});
  // maximum(NaN, 1) is 1 and maximum(1, NaN) is NaN; the clamp that both become keeps a NaN.
  for (uint64_t seed = 0; seed < kGraphs; ++seed)
    checkOn(randomGraph(seed), "fold-identities", seed, {.anyForNaN = true});
}

TEST_CASE("passes that re-associate float sums stay within rounding on random graphs") {
  for (const char *pass : {"fold-layout", "fold-batch-norm", "fold-arithmetic"})
    for (uint64_t seed = 0; seed < kGraphs; ++seed)
      checkOn(randomGraph(seed, {.operations = 8}), pass, seed, {.tolerance = 1e-4});
}

TEST_CASE("TFLite graphs keep every integer bit through fold-qdq") {
  for (uint64_t seed = 0; seed < kGraphs; ++seed)
    checkOn(randomGraph(seed), "fold-qdq", seed, {});
}

TEST_CASE("ONNX graphs verify through the whole pipeline and settle") {
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    Outcome outcome;
    outcome.graph = randomGraph(seed, {.operations = 20, .rounding = Rounding::HalfEven});
    INFO("seed " << seed << "\n" << plainText(outcome.graph));
    PassContext ctx{.diag = outcome.diag, .remarks = outcome.remarks};
    bool ok = runPipeline(outcome.graph, ctx);
    INFO(outcome.errors());
    REQUIRE(ok);
    std::string once = plainText(outcome.graph);
    REQUIRE(runPipeline(outcome.graph, ctx));
    CHECK(plainText(outcome.graph) == once);
  }
}
