// The plan verifier finds what a planner could do wrong, one fault at a time.
#include "PlanFixture.h"
#include "mfc/Fusion/RowGroups.h"

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

//===-- Rows -----------------------------------------------------------------------------------------------------===//

static std::string rowNet() {
  std::string ones = "1";
  for (int i = 1; i < 18; ++i)
    ones += ", 1";
  return "%a = input : f32[1,8,4,2]\n%w = constant : f32[1,3,3,2] = [" + ones + "]\n"
         "%0 = depthwise_conv2d %a, %w {pad = [1, 1, 1, 1]} : f32[1,8,4,2]\n"
         "%1 = depthwise_conv2d %0, %w {pad = [1, 1, 1, 1]} : f32[1,8,4,2]\n"
         "%2 = depthwise_conv2d %1, %w {pad = [1, 1, 1, 1]} : f32[1,8,4,2]\noutput %2";
}

/// Two of three kernels in a group, the last one alone: %0 in a ring of three rows of 32 bytes, %1 over %a, %2 over %1.
struct RowPlan : PlanFixture {
  RowPlan() : PlanFixture(rowNet(), unfused()) {
    std::vector<Kernel> members;
    for (Kernel *k : plan.kernels()) {
      k->scratchBytes = 16;
      members.push_back(*k);
      members.back().byRows = true;
    }
    plan = withGroups(graph, plan, members, KernelRange{0, 2});
    planned();
    REQUIRE(faults() == "");
    REQUIRE(plan.placements[result(0)].kind == PlacementKind::Ring);
    REQUIRE(plan.placements[result(0)].rows == 3);
    // %1 where %a is: when its row s is written, the first kernel has made s + 2 rows and next reads from row s + 1 on.
    // %2 two rows in front of %1.
    place(result(2), 128), place(result(1), 192), place(graph.inputs()[0], 192), place(result(0), 448);
    plan.scratch[kernel(0).anchor].offset = 544, plan.scratch[kernel(1).anchor].offset = 560;
    plan.scratch[kernel(2).anchor].offset = 448;
    plan.regions[0].bytes = 576;
    REQUIRE(faults() == "");
  }
  void place(const Value *value, uint64_t offset) { plan.placements[value].offset = offset; }
};

TEST_CASE("a ring that is a row too small") {
  RowPlan f;
  f.plan.placements[f.result(0)].rows = 2;
  f.plan.placements[f.result(0)].bytes = 64;
  CHECK(f.faults().find("the ring of %0 keeps 2 rows, its readers need 3") != std::string::npos);
}

TEST_CASE("a ring with fewer bytes than its rows have") {
  RowPlan f;
  f.plan.placements[f.result(0)].bytes = 95;
  CHECK(f.faults().find("%0 has 95 bytes of memory, its type needs 96") != std::string::npos);
}

TEST_CASE("a result that follows its operand a row too near") {
  RowPlan group;
  group.place(group.graph.inputs()[0], 176);
  CHECK(group.faults().find("are both alive in kernel k0_depthwise_conv2d") != std::string::npos);
  RowPlan alone;
  alone.place(alone.result(2), 144); // 48 in front of %1, 64 are wanted
  CHECK(alone.faults().find("are both alive in kernel k2_depthwise_conv2d") != std::string::npos);
  RowPlan above;
  above.place(above.result(2), 208); // behind the start of its operand
  CHECK(above.faults().find("are both alive in kernel k2_depthwise_conv2d") != std::string::npos);
}

TEST_CASE("a ring under a whole tensor of its group, and under a scratch") {
  RowPlan f;
  f.place(f.result(0), 192);
  CHECK(f.faults().find("are both alive in kernel k0_depthwise_conv2d") != std::string::npos);
  RowPlan scratch;
  scratch.plan.scratch[scratch.kernel(1).anchor].offset = 512;
  CHECK(scratch.faults().find("are both alive in kernel k1_depthwise_conv2d") != std::string::npos);
}

TEST_CASE("an operand that is needed later is not written over by rows") {
  MemoryOptions keep;
  keep.preserveInputs = true;
  RowPlan f;
  CHECK(f.faults(keep).find("are both alive in kernel k0_depthwise_conv2d") != std::string::npos);
}
