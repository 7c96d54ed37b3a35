// Every pass over random graphs: what it leaves verifies, gives the same answers, and does not change again.
#include "PassTest.h"
#include "RandomGraph.h"
#include "mfc/Transforms/Pipeline.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

using namespace mfc;
using namespace mfc::test;

namespace {
/// More and other graphs on request: MFC_TEST_GRAPHS of them, from seed MFC_TEST_SEED on, of MFC_TEST_OPERATIONS.
uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}
const uint64_t kGraphs = setting("MFC_TEST_GRAPHS", 100);
const uint64_t kFirst = setting("MFC_TEST_SEED", 0);

RandomGraphOptions ofSize(unsigned operations, Rounding rounding = Rounding::TfliteDouble) {
  return {.operations = static_cast<unsigned>(setting("MFC_TEST_OPERATIONS", operations)), .rounding = rounding};
}

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
                           "fold-weight-zero-points", "merge-channels", "remove-channels", "trim-taps", "depthwise-to-conv"})
    for (uint64_t seed = kFirst; seed < kFirst + kGraphs; ++seed)
      checkOn(randomGraph(seed, ofSize(12)), pass, seed, {});
  // maximum(NaN, 1) is 1 and maximum(1, NaN) is NaN; the clamp that both become keeps a NaN.
  for (uint64_t seed = kFirst; seed < kFirst + kGraphs; ++seed)
    checkOn(randomGraph(seed, ofSize(12)), "fold-identities", seed, {.anyForNaN = true});
}

TEST_CASE("passes that re-associate float sums stay within rounding on random graphs") {
  for (const char *pass : {"fold-layout", "fold-batch-norm", "fold-arithmetic"})
    for (uint64_t seed = kFirst; seed < kFirst + kGraphs; ++seed)
      checkOn(randomGraph(seed, ofSize(8)), pass, seed, {.tolerance = 1e-4});
}

TEST_CASE("TFLite graphs keep every integer bit through fold-qdq") {
  for (uint64_t seed = kFirst; seed < kFirst + kGraphs; ++seed)
    checkOn(randomGraph(seed, ofSize(12)), "fold-qdq", seed, {});
}

namespace {
void checkSettles(uint64_t seed, const RandomGraphOptions &options) {
  Outcome outcome;
  outcome.graph = randomGraph(seed, options);
  INFO("seed " << seed << "\n" << plainText(outcome.graph));
  PassContext ctx{.diag = outcome.diag, .remarks = outcome.remarks};
  bool ok = runPipeline(outcome.graph, ctx);
  INFO(outcome.errors());
  REQUIRE(ok);
  std::string once = plainText(outcome.graph);
  REQUIRE(runPipeline(outcome.graph, ctx));
  CHECK(plainText(outcome.graph) == once);
}
} // namespace

TEST_CASE("ONNX graphs verify through the whole pipeline and settle") {
  for (uint64_t seed = kFirst; seed < kFirst + kGraphs; ++seed)
    checkSettles(seed, ofSize(20, Rounding::HalfEven));
  // fold-layout once went round in circles here.
  checkSettles(575, {.operations = 30, .rounding = Rounding::HalfEven});
}
