// Compiled code against the reference interpreter on random single operators: integers bit for bit, floats within a bound
// relative to the largest output.
#include "OneOpGraph.h"

#include "mfc/IR/Printer.h"
#include "mfc/Interp/Interpreter.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Ops/Ops.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

using namespace mfc;
using namespace mfc::test;

namespace {

/// More cases on request: MFC_TEST_CASES multiplies the default.
int caseCount(int base) {
  const char *text = std::getenv("MFC_TEST_CASES");
  return text ? base * std::max(1, std::atoi(text)) : base;
}

std::string graphText(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintOptions options;
  options.elideConstants = true;
  print(graph, os, options);
  return text;
}

void requireEqual(const Tensor &expected, const Tensor &got) {
  REQUIRE(expected.bytes.size() == got.bytes.size());
  if (!isFloat(expected.type.element)) {
    for (int64_t i = 0; i < expected.type.count(); ++i) {
      INFO("element " << i);
      REQUIRE(got.getInteger(i) == expected.getInteger(i));
    }
    return;
  }
  float largest = 0.1f; // what goes in is within [-1, 1]: sums that cancel keep rounding errors of that size
  for (int64_t i = 0; i < expected.type.count(); ++i)
    largest = std::max(largest, std::abs(expected.get<float>(i)));
  for (int64_t i = 0; i < expected.type.count(); ++i) {
    INFO("element " << i << " of magnitude " << largest);
    REQUIRE(std::abs(got.get<float>(i) - expected.get<float>(i)) <= 2e-6f * largest);
  }
}

void sweep(Graph (*make)(Random &, Numbers), int count) {
  int ran = 0;
  for (int seed = 0; seed < count; ++seed) {
    for (Numbers numbers : {Numbers::Tflite, Numbers::HalfEven, Numbers::Float}) {
      Random random(static_cast<uint64_t>(seed) * 3 + static_cast<uint64_t>(numbers));
      Graph graph = make(random, numbers);
      if (graph.outputs().empty()) // the window did not fit
        continue;
      INFO("seed " << seed << "\n" << graphText(graph));
      DiagnosticEngine diag;
      if (!verifyGraph(graph, diag)) { // such as an accumulator that could overflow: refused by design
        REQUIRE(diag.hasErrors());
        continue;
      }
      bool lowerable = true;
      std::string why;
      for (const Operation *op : graph.ops())
        lowerable &= canLower(*op, why);
      INFO(why);
      REQUIRE(lowerable);
      std::vector<Tensor> inputs;
      for (const Value *input : graph.inputs())
        inputs.push_back(randomTensor(input->type, random));
      auto expected = interpret(graph, inputs);
      REQUIRE(static_cast<bool>(expected));
      auto got = runOnHost(graph, inputs, {seed % 4 != 0, static_cast<unsigned>(seed % 60), static_cast<uint8_t>(seed)});
      if (!got)
        FAIL(llvm::toString(got.takeError()));
      for (size_t i = 0; i < expected->size(); ++i)
        requireEqual((*expected)[i], (*got)[i]);
      ++ran;
    }
  }
  REQUIRE(ran > count); // most cases are legal
}
} // namespace

TEST_CASE("conv2d equals the interpreter") { sweep(randomConv2D, caseCount(80)); }
TEST_CASE("depthwise_conv2d equals the interpreter") { sweep(randomDepthwise, caseCount(60)); }
TEST_CASE("dense equals the interpreter") { sweep(randomDense, caseCount(50)); }
TEST_CASE("pools equal the interpreter") { sweep(randomPool, caseCount(50)); }
TEST_CASE("reduce_mean equals the interpreter") { sweep(randomMean, caseCount(40)); }
TEST_CASE("softmax equals the interpreter") { sweep(randomSoftmax, caseCount(30)); }
TEST_CASE("binary operators equal the interpreter") { sweep(randomBinary, caseCount(50)); }
TEST_CASE("unary operators equal the interpreter") { sweep(randomUnary, caseCount(40)); }
TEST_CASE("data movement equals the interpreter") { sweep(randomMovement, caseCount(50)); }
