// Whole random networks, with everything that passes, fusion and the memory plan do to them, against the interpreter.
// MFC_TEST_CASES multiplies their number, MFC_TEST_SEED moves them.
#include "HostModel.h"
#include "RandomGraph.h"
#include "Sweep.h"

#include "mfc/IR/Printer.h"
#include "mfc/Interp/Interpreter.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Transforms/Pipeline.h"

#include "llvm/ADT/STLExtras.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

namespace {
/// False if the graph has an operator without a kernel.
bool checkGraph(uint64_t seed, const RandomGraphOptions &options) {
  Graph graph = randomGraph(seed, options);
  DiagnosticEngine diag;
  RemarkList remarks;
  PassContext context{.diag = diag, .remarks = remarks};
  std::string text;
  llvm::raw_string_ostream os(text);
  print(graph, os, {});
  INFO("seed " << seed << "\n" << text);
  REQUIRE(runPipeline(graph, context));
  std::string why;
  if (!llvm::all_of(graph.ops(), [&](const Operation *op) { return canLower(*op, why); }))
    return false;
  Random random(seed);
  std::vector<Tensor> inputs;
  for (const Value *input : graph.inputs())
    inputs.push_back(randomTensor(input->type, random));
  auto wanted = interpret(graph, inputs);
  REQUIRE(static_cast<bool>(wanted));
  bool exact = !hasFloats(graph);
  auto found = runOnHost(graph, inputs, {seed % 4 != 0, static_cast<unsigned>(seed % 60), static_cast<uint8_t>(seed)});
  if (!found)
    FAIL(llvm::toString(found.takeError()));
  for (size_t i = 0; i < wanted->size(); ++i) {
    INFO("output " << i << " of " << typeText((*wanted)[i].type));
    CHECK(countWrong((*wanted)[i], (*found)[i], exact) == 0);
  }
  return true;
}

void sweep(const RandomGraphOptions &options, uint64_t count) {
  uint64_t first = setting("MFC_TEST_SEED", 0), compiled = 0;
  count *= std::max<uint64_t>(1, setting("MFC_TEST_CASES", 1));
  for (uint64_t seed = first; seed < first + count; ++seed)
    compiled += checkGraph(seed, options);
  CHECK(compiled > count / 4);
}
} // namespace

TEST_CASE("random integer networks equal the interpreter") { sweep({.operations = 10, .quantizedPercent = 100}, 60); }
TEST_CASE("random mixed networks equal the interpreter") { sweep({.operations = 15}, 40); }
TEST_CASE("random networks with ONNX rounding equal the interpreter") {
  sweep({.operations = 20, .quantizedPercent = 80, .rounding = Rounding::HalfEven}, 40);
}
