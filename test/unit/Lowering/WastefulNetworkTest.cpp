// Networks whose channels the passes remove, compiled: the code gives what the interpreter gives
// for the network as it was. What is left has odd channel counts, biases that took up constants,
// and windows that lost taps.
#include "WastefulNetwork.h"
#include "HostModel.h"
#include "mfc/IR/Printer.h"
#include "mfc/Interp/Interpreter.h"
#include "mfc/Transforms/Pipeline.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace mfc;
using namespace mfc::test;

static void checkCompiled(uint64_t seed, Rounding rounding) {
  Graph before = wastefulNetwork(seed, rounding), after = before.clone();
  DiagnosticEngine diag;
  RemarkList remarks;
  PassContext ctx{.diag = diag, .remarks = remarks};
  REQUIRE(runPipeline(after, ctx));
  INFO("seed " << seed << "\n" << printToString(before) << printToString(after));
  Random random(seed);
  for (int round = 0; round < 2; ++round) {
    std::vector<Tensor> inputs;
    for (const Value *input : before.inputs())
      inputs.push_back(test::randomTensor(input->type, random));
    llvm::Expected<std::vector<Tensor>> wanted = interpret(before, inputs),
                                        found = runOnHost(after, inputs);
    REQUIRE(static_cast<bool>(wanted));
    if (!found)
      FAIL(llvm::toString(found.takeError()));
    REQUIRE(wanted->size() == found->size());
    for (size_t o = 0; o < wanted->size(); ++o)
      CHECK((*wanted)[o].bytes == (*found)[o].bytes);
  }
}

TEST_CASE("networks without their useless channels compute the same when compiled") {
  const char *more =
      std::getenv("MFC_TEST_CASES"); // multiplies the default, as in DifferentialTest.cpp
  const uint64_t seeds = 20 * static_cast<uint64_t>(more ? std::max(1, std::atoi(more)) : 1);
  for (uint64_t seed = 1000; seed < 1000 + seeds; ++seed)
    for (Rounding rounding : {Rounding::TfliteDouble, Rounding::TfliteSingle, Rounding::HalfEven})
      checkCompiled(seed, rounding);
}
