// The plan verifier finds what a planner could do wrong, one fault at a time.
#include "PlanFixture.h"

using namespace mfc;

static const char *kNet = "%a = input : f32[1,4,4,1]\n%w = constant : f32[1,1,1,1] = [1]\n"
                          "%0 = conv2d %a, %w : f32[1,4,4,1]\n%1 = clamp %0 {min = 0, max = 6} : f32[1,4,4,1]\n"
                          "%2 = reshape %1 : f32[1,16]\n%3 = softmax %2 : f32[1,16]\noutput %3";

/// A planned fixture, then what the verifier says after the change.
template <typename Change> static std::string faultsAfter(Change change) {
  PlanFixture f(kNet);
  f.kernel(1).scratchBytes = 32;
  f.planned();
  REQUIRE(f.faults() == "");
  change(f);
  return f.faults();
}

TEST_CASE("overlap of two tensors that are alive together") {
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.result(3)].offset = f.offsetOf(f.result(1)) + 16; })
            .find("are both alive in kernel k1_softmax") != std::string::npos);
}

TEST_CASE("the same place is no excuse where the kernel cannot work in place") {
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.result(3)].offset = f.offsetOf(f.result(1)); })
            .find("are both alive in kernel k1_softmax") != std::string::npos);
}

TEST_CASE("scratch over an operand") {
  CHECK(faultsAfter([](PlanFixture &f) {
          f.plan.scratch[f.kernel(1).anchor].offset = f.offsetOf(f.result(1));
        }).find("are both alive in kernel k1_softmax") != std::string::npos);
}

TEST_CASE("missing or short scratch") {
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.scratch.clear(); }) ==
        "kernel k1_softmax wants 32 bytes of scratch and has 0\n");
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.scratch[f.kernel(1).anchor].bytes = 31; }) ==
        "kernel k1_softmax wants 32 bytes of scratch and has 31\n");
}

TEST_CASE("alignment and bounds") {
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.graph.inputs()[0]].offset += 4; })
            .find("is not aligned to 16") != std::string::npos);
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.regions[0].bytes -= 1; }).find("region SRAM has") != std::string::npos);
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.graph.inputs()[0]].offset = ~uint64_t(0) - 15; })
            .find("region SRAM has") != std::string::npos);
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.graph.inputs()[0]].region = 1; })
            .find("is in region 1, there are 1") != std::string::npos);
}

TEST_CASE("a tensor without a place, with too little memory, or in the wrong kind of memory") {
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements.erase(f.result(3)); }) == "%3 is stored but has no place\n");
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.result(3)].kind = PlacementKind::Register; }) ==
        "%3 is stored but has no place\n");
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.result(3)].bytes = 63; }) ==
        "%3 has 63 bytes of memory, its type needs 64\n");
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.graph.constants()[0]].kind = PlacementKind::Arena; })
            .find("%c0 is placed in arena\n") == 0);
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.result(3)].kind = PlacementKind::Flash; }) ==
        "%3 is placed in flash\n");
}

TEST_CASE("a view somewhere else than its source") {
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.placements[f.result(2)].offset += 16; }) ==
        "%2 is a view of %1 and is somewhere else\n");
}

TEST_CASE("kernels that do not fit the graph") {
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.groups.pop_back(); })
            .find("%3 is computed by 0 kernels\n") == 0);
  CHECK(faultsAfter([](PlanFixture &f) { f.plan.groups.push_back(f.plan.groups[1]); })
            .find("%3 is computed by 2 kernels\n") == 0);
  CHECK(faultsAfter([](PlanFixture &f) { std::swap(f.plan.groups[0], f.plan.groups[1]); })
            .find("kernel k1_softmax reads %2 before it is computed\n") == 0);
  CHECK(faultsAfter([](PlanFixture &f) { f.kernel(1).inputs.clear(); }) ==
        "kernel k1_softmax does not list %2 as an input\n");
  CHECK(faultsAfter([](PlanFixture &f) { f.kernel(0).anchor = f.kernel(1).anchor; }) ==
        "kernel k0_conv2d does not contain its anchor\n");
  // The value before the clamp is stored instead: nobody stores what the softmax reads.
  CHECK(faultsAfter([](PlanFixture &f) { f.kernel(0).output = f.result(0); })
            .find("kernel k1_softmax reads %2 before it is computed\n") == 0);
}

TEST_CASE("an input that must be preserved") {
  PlanFixture f(kNet);
  f.planned();
  MemoryOptions keep;
  keep.preserveInputs = true;
  CHECK(f.faults(keep).find("are both alive") != std::string::npos);
}
