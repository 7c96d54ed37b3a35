// The text form over random graphs, and what the random graphs themselves promise.
#include "RandomGraph.h"
#include "mfc/IR/Parser.h"
#include "mfc/IR/Printer.h"
#include "mfc/Ops/Ops.h"

#include <catch2/catch.hpp>
#include <map>

using namespace mfc;

static std::string textOf(const DiagnosticEngine &diag) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diag.printText(os);
  return text;
}

static RandomGraphOptions optionsFor(uint64_t seed) {
  static const Rounding roundings[] = {Rounding::TfliteDouble, Rounding::TfliteSingle, Rounding::HalfEven};
  RandomGraphOptions options;
  options.rounding = roundings[seed % 3];
  options.operations = 4 + seed % 20;
  return options;
}

TEST_CASE("random graphs verify and use every operator") {
  std::map<OpKind, unsigned> count;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Graph graph = randomGraph(seed, optionsFor(seed));
    DiagnosticEngine diag;
    bool good = verifyGraph(graph, diag);
    INFO("seed " << seed << "\n" << textOf(diag));
    REQUIRE(good);
    for (const Operation *op : graph.ops())
      ++count[op->kind()];
  }
  for (const OpInfo &info : allOps()) {
    INFO(info.name.str());
    CHECK(count[info.kind] >= 5);
  }
}

TEST_CASE("the same seed gives the same graph") {
  CHECK(printToString(randomGraph(7)) == printToString(randomGraph(7)));
  CHECK(printToString(randomGraph(7)) != printToString(randomGraph(8)));
}

TEST_CASE("printing and parsing random graphs is lossless") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Graph graph = randomGraph(seed, optionsFor(seed));
    std::string text = printToString(graph);
    DiagnosticEngine diag;
    std::optional<Graph> again = parseGraph(text, "random", diag);
    INFO("seed " << seed << "\n" << text << textOf(diag));
    REQUIRE(again);
    REQUIRE(printToString(*again) == text);
    CHECK(verifyGraph(*again, diag));
    CHECK(printToString(graph.clone()) == text);
  }
}
