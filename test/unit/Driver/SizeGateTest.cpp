// Differences of builds and thresholds on them.
#include "SizeDiff.h"

#include "llvm/ADT/STLExtras.h"
#include <catch2/catch.hpp>

using namespace mfc;

namespace {

LayerInfo layer(const char *name, uint64_t code, uint64_t constants, uint64_t live,
                uint64_t stack) {
  LayerInfo layer;
  layer.name = name;
  layer.kernel = std::string("mfc_x_") + name;
  layer.codeBytes = code;
  layer.constBytes = constants;
  layer.liveBytes = live;
  layer.stackBytes = stack;
  return layer;
}

ReadReport build(std::vector<LayerInfo> layers) {
  ReadReport report;
  ModelInfo &info = report.info;
  info.name = "x";
  info.regions.push_back({"SRAM", 0, 0, 16, 0});
  for (const LayerInfo &layer : layers) {
    info.totals.codeBytes += layer.codeBytes;
    info.totals.constBytes += layer.constBytes;
    info.totals.arenaBytes = std::max(info.totals.arenaBytes, layer.liveBytes);
    info.totals.stackBytes = std::max(info.totals.stackBytes, layer.stackBytes);
    if (layer.modelledCycles)
      info.totals.modelledCycles = info.totals.modelledCycles.value_or(0) + *layer.modelledCycles;
  }
  info.regions[0].bytes = info.totals.arenaBytes;
  info.layers = std::move(layers);
  return report;
}

std::vector<SizeFailure> check(const SizeDiff &diff, const char *totals,
                               const char *layers = nullptr) {
  SizeGate gate;
  if (totals)
    llvm::cantFail(gate.totals.parse(totals));
  if (layers)
    llvm::cantFail(gate.layers.parse(layers));
  return llvm::cantFail(gate.check(diff));
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("each metric has its gate, which names the layer") {
  ReadReport old = build({layer("a", 100, 1000, 500, 64), layer("b", 100, 1000, 400, 32)});
  SECTION("constants") {
    auto failures = check(compareReports(old, build({layer("a", 100, 1000, 500, 64),
                                                     layer("b", 100, 1100, 400, 32)})),
                          "1%");
    REQUIRE(failures.size() == 2);
    CHECK(failures[0].metric == "flash");
    CHECK(failures[1].metric == "const");
    REQUIRE(failures[1].notes.size() == 1);
    CHECK(contains(failures[1].notes[0], "layer 'b': 1,100 bytes, +100 (+10 %)"));
  }
  SECTION("stack") {
    auto failures = check(compareReports(old, build({layer("a", 100, 1000, 500, 64),
                                                     layer("b", 100, 1000, 400, 80)})),
                          "stack=0");
    REQUIRE(failures.size() == 1);
    CHECK(contains(failures[0].notes.at(0), "most now in layer 'b': 80 bytes, +48"));
  }
  SECTION("arena: the layer at the new peak stands first, whatever else grew") {
    auto failures = check(compareReports(old, build({layer("a", 100, 1000, 520, 64),
                                                     layer("b", 100, 1000, 600, 32)})),
                          "sram=1%,region:SRAM=1%");
    REQUIRE(failures.size() == 2);
    CHECK(failures[1].metric == "region:SRAM");
    REQUIRE(failures[0].notes.size() == 2);
    CHECK(contains(failures[0].notes[0], "most now in layer 'b'"));
    CHECK(contains(failures[0].notes[1], "grew: layer 'a': 520 bytes, +20"));
  }
  SECTION("cycles") {
    ReadReport before = old, after = old;
    for (ReadReport *report : {&before, &after}) {
      for (LayerInfo &layer : report->info.layers)
        layer.modelledCycles = 1000;
      *report = build(report->info.layers);
    }
    after.info.layers[1].modelledCycles = 1100;
    after = build(after.info.layers);
    auto failures = check(compareReports(before, after), "cycles=2%");
    REQUIRE(failures.size() == 1);
    CHECK(contains(failures[0].message,
                   "cycles grew from 2,000 to 2,100 modelled cycles, +100 (+5 %), allowed is 2 %"));
    CHECK(contains(failures[0].notes.at(0), "layer 'b': 1,100 modelled cycles"));
    CHECK(check(compareReports(before, after), "cycles=5%").empty()); // not more than
    CHECK(check(compareReports(after, before), "0").empty());         // less is never too much
  }
}

TEST_CASE("layers are matched by name; those of one name by their order") {
  SizeDiff diff = compareReports(
      build({layer("a", 10, 0, 0, 0), layer("a", 20, 0, 0, 0), layer("old", 5, 0, 0, 0)}),
      build({layer("new", 7, 0, 0, 0), layer("a", 10, 0, 0, 0), layer("a", 25, 0, 0, 0)}));
  using Status = LayerDiff::Status;
  std::vector<std::pair<std::string, Status>> found;
  for (const LayerDiff &layer : diff.layers)
    found.emplace_back(layer.name, layer.status);
  CHECK(found ==
        std::vector<std::pair<std::string, Status>>{{"new", Status::Added},
                                                    {"a", Status::Same},
                                                    {"a", Status::Changed},
                                                    {"old", Status::Removed},
                                                    {kOutsideLayers.str(), Status::Changed}});
  auto failures = check(diff, nullptr, "code=0");
  REQUIRE(failures.size() == 3);
  CHECK(contains(failures[0].message, "layer 'new': 7 bytes, new"));
  CHECK(contains(failures[1].message, "layer 'a': 25 bytes, +5 (+25 %)"));
  CHECK(contains(failures[2].message, "(outside the layers)"));
}

TEST_CASE("growth from nothing exceeds every share") {
  Threshold share, number;
  share.percent = 1000;
  number.absolute = 64;
  CHECK(share.exceededBy({0.0, 1.0}));
  CHECK(!share.exceededBy({0.0, 0.0}));
  CHECK(!number.exceededBy({0.0, 64.0}));
  CHECK(number.exceededBy({0.0, 65.0}));
  CHECK(!number.exceededBy({100.0, std::nullopt}));
}

TEST_CASE("thresholds that cannot be checked are errors") {
  ReadReport one = build({layer("a", 10, 0, 0, 0)});
  SizeDiff diff = compareReports(one, one);
  for (const char *text : {"cycles=1%", "speed=1%"}) {
    SizeGate gate;
    llvm::cantFail(gate.totals.parse(text));
    auto failures = gate.check(diff);
    CHECK(!failures);
    llvm::consumeError(failures.takeError());
  }
  CHECK(check(diff, "1%").empty());            // for all: passes over cycles, which nobody knows
  CHECK(check(diff, "region:DTCM=0").empty()); // not used by either
  for (const char *text : {"", "x", "1%%", "=1", "code=", "code=x%", "1,2x"}) {
    INFO(text);
    Thresholds thresholds;
    llvm::Error error = thresholds.parse(text);
    CHECK(bool(error));
    llvm::consumeError(std::move(error));
  }
}
