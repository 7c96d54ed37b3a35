// Placement in several memories: by price and capacity, and random graphs under the verifier.
#include "PlanFixture.h"
#include "RandomGraph.h"
#include "mfc/Memory/RegionPlanner.h"

using namespace mfc;

/// One wide early map (512 B), small ones behind it.
static const char *kWideEarly = "%a = input : f32[1,4,4,1]\n%w = constant : f32[8,1,1,1] = [1, 2, 3, 4, 5, 6, 7, 8]\n"
                                "%v = constant : f32[1,1,1,8] = [1, 1, 1, 1, 1, 1, 1, 1]\n"
                                "%0 = conv2d %a, %w : f32[1,4,4,8]\n%1 = conv2d %0, %v : f32[1,4,4,1]\n"
                                "%2 = softmax %1 : f32[1,4,4,1]\noutput %2";

static std::string regionOf(const PlanFixture &f, const Value *value) {
  return f.plan.regions[f.plan.placements.at(value).region].name;
}

static std::string missed(const PlanFixture &f) {
  std::string text;
  for (const Remark &remark : f.remarks)
    if (remark.kind == RemarkKind::Missed && remark.pass == "memory")
      text += remark.message + "\n";
  return text;
}

TEST_CASE("small tensors in the cheap memory, the big one where it fits") {
  PlanFixture f(kWideEarly);
  planRegions(f.graph, f.plan, {}, {{"SRAM", 1024, 1}, {"DTCM", 256, 0}, {"EXT", 8192, 20}}, &f.remarks);
  CHECK(f.faults() == "");
  CHECK(missed(f) == "");
  CHECK(regionOf(f, f.result(0)) == "SRAM");
  CHECK(regionOf(f, f.graph.inputs()[0]) == "DTCM");
  CHECK(regionOf(f, f.result(1)) == "DTCM");
  CHECK(regionOf(f, f.result(2)) == "DTCM");
  CHECK(f.plan.regions[2].bytes == 0);
}

TEST_CASE("a smaller memory pushes the big tensor further out, or is too small") {
  PlanFixture further(kWideEarly);
  planRegions(further.graph, further.plan, {}, {{"SRAM", 500, 1}, {"DTCM", 256, 0}, {"EXT", 8192, 20}});
  CHECK(further.faults() == "");
  CHECK(regionOf(further, further.result(0)) == "EXT");
  PlanFixture none(kWideEarly);
  planRegions(none.graph, none.plan, {}, {{"SRAM", 500, 1}, {"DTCM", 256, 0}}, &none.remarks);
  CHECK(missed(none).find("a result of conv2d (512 B) fits into no region") == 0);
  CHECK(none.faults() == "region SRAM has 500 bytes, the model needs 512\n");
}

TEST_CASE("the verifier tells regions apart") {
  PlanFixture f(kWideEarly);
  planRegions(f.graph, f.plan, {}, {{"A", 4096, 0}, {"B", 4096, 1}});
  REQUIRE(f.faults() == "");
  for (const Value *value : {f.graph.inputs()[0], f.result(0)}) // alive together, at one offset: each alone in its region
    f.plan.placements[value].offset = 0;
  CHECK(f.faults().find("are both alive") != std::string::npos);
  f.plan.placements[f.result(0)].region = 1;
  f.plan.regions[1].bytes = 512;
  CHECK(f.faults().find("'s0'") == std::string::npos);
  f.plan.placements[f.result(0)].region = 2;
  CHECK(f.faults().find("is in region 2, there are 2") != std::string::npos);
}

TEST_CASE("random graphs: plans over two regions verify, and one roomy region is as good as the planner's") {
  unsigned both = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomGraphOptions graphOptions;
    graphOptions.operations = 4 + seed % 16;
    MemoryOptions options;
    options.inPlace = seed % 3 != 0;
    PlanFixture single(randomGraph(seed, graphOptions)), split(randomGraph(seed, graphOptions));
    uint64_t bytes = single.planned(options).bytes;
    INFO("seed " << seed << ", " << bytes << " B");
    planRegions(split.graph, split.plan, options, {{"SRAM", bytes + 4096, 1}, {"DTCM", bytes / 2 + 1, 0}},
                &split.remarks);
    REQUIRE(missed(split) == "");
    REQUIRE(split.faults(options) == "");
    both += split.plan.regions[0].bytes != 0 && split.plan.regions[1].bytes != 0;
  }
  CHECK(both > 100);
}
