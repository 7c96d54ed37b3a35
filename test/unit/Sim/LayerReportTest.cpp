// The figures of a measurement, and the table.
#include "mfc/Sim/LayerReport.h"

#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>

using namespace mfc;

static ModelFacts facts() {
  ModelFacts facts;
  facts.model = "kws", facts.target = "cortex-m4";
  facts.layers = {{"a", "mfc_kws_k0", 1000, 64, 3}, {"b", "mfc_kws_k1", 0, 32, 0}};
  facts.codeBytes = 1234;
  return facts;
}

/// Two passes; the second one took two instructions more, in layer b.
static QemuResult counts() {
  QemuResult result;
  result.passes = {1500, 1502};
  result.instructions = 3002;
  result.layers = {{-1, 2, 20, {}, {}},
                   {0, 2, 2000, {{{0x100, 2000, 10}}}, {{"RAM", 2, 8, 1, 4}}},
                   {1, 2, 982, {}, {{"RAM", 1, 4, 0, 0}}}};
  return result;
}

TEST_CASE("figures are those of one pass") {
  MeasuredModel m = measure(facts(), counts(), [](const ExecutionProfile &profile) {
    return std::optional<double>(profile.instructions.empty() ? 10 : 6000);
  });
  CHECK(m.passes == 2);
  CHECK(m.total.instructions == 1501);
  CHECK(m.leastInstructions == 1500);
  CHECK(m.mostInstructions == 1502);
  CHECK(m.outside.instructions == 10);
  REQUIRE(m.layers.size() == 2);
  CHECK(m.layers[0].cost.instructions == 1000);
  CHECK(m.layers[0].cost.cycles == 3000.0);
  CHECK(m.layers[0].calls == 2);
  CHECK(m.total.cycles == 3010.0);
  CHECK(m.macs() == 1000);
  REQUIRE(m.accesses.size() == 1);
  CHECK(m.accesses[0].reads == 2);
  CHECK(m.accesses[0].readBytes == 6);
}

TEST_CASE("without a cycle model there are dashes and the share is of instructions") {
  std::string text;
  llvm::raw_string_ostream os(text);
  printLayerTable(os, measure(facts(), counts(), {}));
  INFO(os.str());
  CHECK(
      os.str().find(
          "a                        1,000                -   66.6 %       1.00      64       3") !=
      std::string::npos);
  CHECK(os.str().find("one of 2 passes (mean; from 1,500 to 1,502 instructions)") !=
        std::string::npos);
}
