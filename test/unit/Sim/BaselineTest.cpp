// Baselines: the text form, and which changes count.
#include "mfc/Sim/Baseline.h"

#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>

using namespace mfc;

namespace {

MeasuredModel sample() {
  MeasuredModel m;
  m.model = "kws", m.target = "cortex-m4", m.board = "mps2-an386";
  for (auto [name, instructions] :
       {std::pair("CONV_2D#10", 3000u), {"CONV_2D#2", 10000u}, {"softmax \"x\"", 100u}}) {
    MeasuredLayer layer;
    layer.facts.name = name;
    layer.cost = {instructions, 2.0 * instructions};
    m.layers.push_back(layer);
  }
  m.total = {13150, 26300.25};
  return m;
}

std::vector<Change> changes(const MeasuredModel &before, const MeasuredModel &after,
                            double tolerance = 2) {
  auto result = compare(baselineOf(before), baselineOf(after), tolerance);
  if (!result)
    FAIL(llvm::toString(result.takeError()));
  return *result;
}

} // namespace

TEST_CASE("a baseline is one line a layer, sorted by name, and reads back") {
  std::string text = writeBaseline(baselineOf(sample()));
  CHECK(text == R"({
  "schema": 1,
  "model": "kws",
  "target": "cortex-m4",
  "board": "mps2-an386",
  "total": {"instructions": 13150, "modelled_cycles": 26300},
  "layers": {
    "CONV_2D#2": {"instructions": 10000, "modelled_cycles": 20000},
    "CONV_2D#10": {"instructions": 3000, "modelled_cycles": 6000},
    "softmax \"x\"": {"instructions": 100, "modelled_cycles": 200}
  }
}
)");
  auto read = parseBaseline(text, "x.json");
  REQUIRE(bool(read));
  CHECK(writeBaseline(*read) == text);
  auto same = compare(*read, baselineOf(sample()), 0);
  REQUIRE(bool(same));
  CHECK(same->empty());
}

TEST_CASE("only growth beyond the tolerance is worse") {
  MeasuredModel now = sample();
  now.layers[1].cost = {10200, 20401};
  std::vector<Change> list = changes(sample(), now);
  REQUIRE(list.size() == 2);
  CHECK(list[0].layer == "CONV_2D#2");
  CHECK(list[0].kind == ChangeKind::Within); // exactly 2 %
  CHECK(list[1].figure == Figure::Cycles);
  CHECK(list[1].kind == ChangeKind::Worse);
  CHECK(list[1].percent() == Approx(2.005));
  now.layers[1].cost = {9000, 20000};
  list = changes(sample(), now);
  REQUIRE(list.size() == 1);
  CHECK(list[0].kind == ChangeKind::Better);
}

TEST_CASE("layers that come and go are said, and a grown total names its cause") {
  MeasuredModel now = sample();
  now.layers[0].facts.name = "CONV_2D#11";
  now.layers[0].cost = {6000, 12000.0};
  now.layers[1].cost = {10100, 20200.0};
  now.total = {16250, 32500.0};
  std::vector<Change> list = changes(sample(), now);
  REQUIRE(list.size() == 8);
  CHECK(list[2].kind == ChangeKind::Removed);
  CHECK(list[2].layer == "CONV_2D#10");
  CHECK(list[4].kind == ChangeKind::Added);
  CHECK(list[4].layer == "CONV_2D#11");
  CHECK(list[6].layer.empty());
  CHECK(list[6].kind == ChangeKind::Worse);
  CHECK(mainCause(list, Figure::Instructions) == "CONV_2D#11");
}

TEST_CASE("a core without a cycle model is compared by instructions") {
  MeasuredModel now = sample();
  for (MeasuredLayer &layer : now.layers)
    layer.cost.cycles.reset();
  now.total.cycles.reset();
  CHECK(changes(sample(), now).empty());
  CHECK(changes(now, sample()).empty());
  auto read = parseBaseline(writeBaseline(baselineOf(now)), "x.json");
  REQUIRE(bool(read));
  CHECK_FALSE(read->total.cycles);
}

TEST_CASE("a baseline of something else is no baseline") {
  for (auto field : {&MeasuredModel::model, &MeasuredModel::target, &MeasuredModel::board}) {
    MeasuredModel other = sample();
    other.*field = "other";
    auto result = compare(baselineOf(other), baselineOf(sample()), 2);
    REQUIRE_FALSE(bool(result));
    CHECK(llvm::toString(result.takeError()).find("'other'") != std::string::npos);
  }
  for (const char *text : {"", "[]", "{}", R"({"schema":2,"total":{"instructions":1},"layers":{}})",
                           R"({"schema":1,"total":{"instructions":-1},"layers":{}})",
                           R"({"schema":1,"total":{"instructions":1},"layers":{"a":{}}})"}) {
    INFO(text);
    auto result = parseBaseline(text, "x.json");
    CHECK_FALSE(bool(result));
    llvm::consumeError(result.takeError());
  }
}

TEST_CASE("the diff shows before, now and percent") {
  MeasuredModel now = sample();
  now.layers[2].cost = {150, 300.0};
  std::string text;
  llvm::raw_string_ostream os(text);
  printChanges(os, changes(sample(), now));
  CHECK(os.str().find("softmax \"x\"") != std::string::npos);
  CHECK(os.str().find("100  150  +50.00 %") != std::string::npos);
}
