// Lifetimes and the planner on graphs whose answer is worked out by hand.
#include "PlanFixture.h"

using namespace mfc;

static const Buffer *bufferOf(const Lifetimes &lifetimes, const Value *value) {
  for (const Buffer &buffer : lifetimes.buffers)
    if (buffer.value == value)
      return &buffer;
  return nullptr;
}

static const char *kTwoConvs = "%a = input : f32[1,4,4,1]\n%w = constant : f32[1,1,1,1] = [1]\n"
                               "%0 = conv2d %a, %w : f32[1,4,4,1]\n%1 = conv2d %0, %w : f32[1,4,4,1]\n"
                               "%2 = reshape %1 : f32[4,4]\n%3 = transpose %2 {perm = [1, 0]} : f32[4,4]\n"
                               "%4 = transpose %0 {perm = [0, 2, 1, 3]} : f32[1,4,4,1]\n"
                               "output %3\noutput %4";

TEST_CASE("lifetimes count steps from the inputs to the outputs") {
  PlanFixture f(kTwoConvs);
  Lifetimes lifetimes = computeLifetimes(f.graph, f.plan, {});
  CHECK(lifetimes.steps == 6); // inputs, four kernels, outputs
  auto check = [&](const Value *value, unsigned first, unsigned last) {
    const Buffer *buffer = bufferOf(lifetimes, value);
    REQUIRE(buffer);
    CHECK(buffer->first == first);
    CHECK(buffer->last == last);
    CHECK(buffer->bytes == 64);
    CHECK(buffer->align == 16);
  };
  check(f.graph.inputs()[0], 0, 1);
  check(f.result(0), 1, 4); // read again by the last kernel
  check(f.result(1), 2, 3); // through its view
  CHECK(bufferOf(lifetimes, f.result(2)) == nullptr);
  check(f.result(3), 3, 5); // an output
  check(f.result(4), 4, 5);
}

TEST_CASE("inputs may be overwritten unless they are preserved") {
  PlanFixture f(kTwoConvs);
  CHECK(f.planned().bytes == 192);
  CHECK(f.faults() == "");
  MemoryOptions keep;
  keep.preserveInputs = true;
  CHECK(bufferOf(computeLifetimes(f.graph, f.plan, keep), f.graph.inputs()[0])->last == 5);
  CHECK(f.planned(keep).bytes == 256);
  CHECK(f.plan.regions[0].lowerBound == 256);
  CHECK(f.faults(keep) == "");
}

TEST_CASE("all inputs are alive before the first kernel, unused ones too") {
  PlanFixture f("%a = input : f32[4]\n%b = input : f32[8]\n%0 = neg %a : f32[4]\noutput %0");
  CHECK(f.planned().bytes == 48);
  CHECK(f.faults() == "");
}

TEST_CASE("an operand that is needed later is not overwritten") {
  PlanFixture f("%a = input : f32[4]\n%0 = neg %a : f32[4]\n%1 = abs %a : f32[4]\noutput %0\noutput %1");
  CHECK(f.planned().bytes == 32);
  CHECK(f.offsetOf(f.graph.inputs()[0]) != f.offsetOf(f.result(0)));
  CHECK(f.offsetOf(f.graph.inputs()[0]) == f.offsetOf(f.result(1)));
  CHECK(f.faults() == "");
}

TEST_CASE("in-place results can be switched off") {
  PlanFixture f("%a = input : f32[4]\n%0 = neg %a : f32[4]\noutput %0");
  MemoryOptions options;
  options.inPlace = false;
  CHECK(f.planned(options).bytes == 32);
  CHECK(f.planned().bytes == 16);
}

TEST_CASE("views share the place of their source") {
  PlanFixture f(kTwoConvs);
  f.planned();
  CHECK(f.plan.placements.at(f.result(2)).offset == f.offsetOf(f.result(1)));
  CHECK(f.plan.placements.at(f.result(2)).bytes == 64);
}

TEST_CASE("scratch is alive during its kernel only and has its own alignment") {
  PlanFixture f(kTwoConvs);
  f.kernel(0).scratchBytes = 1000;
  f.kernel(0).scratchAlign = 64;
  f.kernel(2).scratchBytes = 900;
  const Region &region = f.planned();
  REQUIRE(f.plan.scratch.size() == 2);
  const Placement &first = f.plan.scratch.at(f.kernel(0).anchor);
  CHECK(first.bytes == 1000);
  CHECK(first.offset % 64 == 0);
  CHECK(region.align == 64);
  CHECK(region.lowerBound == 1000 + 64 + 32); // the result may follow the operand, 8 pixels of 4 bytes behind
  CHECK(region.bytes < 1900);
  CHECK(f.faults() == "");
}

TEST_CASE("alignment is an option") {
  PlanFixture f("%a = input : i8[3] q(1, 0)\n%b = input : i8[3] q(1, 0)\n%0 = add %a, %b : i8[3] q(2, 0)\noutput %0");
  MemoryOptions options;
  options.align = 1;
  CHECK(f.planned(options).bytes == 6);
  options.align = 32;
  CHECK(f.planned(options).bytes == 35);
  CHECK(f.plan.regions[0].align == 32);
  CHECK(f.faults(options) == "");
}

TEST_CASE("a region that is there keeps its name and capacity") {
  PlanFixture f("%a = input : f32[4]\n%0 = neg %a : f32[4]\noutput %0");
  f.plan.regions.push_back({"DTCM", 15, 0, 0, 16});
  CHECK(f.planned().name == "DTCM");
  CHECK(f.plan.regions[0].capacity == 15);
  CHECK(f.faults() == "region DTCM has 15 bytes, the model needs 16\n");
}

TEST_CASE("with the caller's buffers, inputs and outputs are not in the arena") {
  FuseOptions options;
  options.callerIO = true;
  PlanFixture f(kTwoConvs, options);
  CHECK(f.planned().bytes == 128);
  CHECK(f.plan.placements.at(f.graph.inputs()[0]).kind == PlacementKind::Caller);
  CHECK(f.plan.placements.at(f.graph.inputs()[0]).ioIndex == 0);
  CHECK(f.plan.placements.at(f.result(3)).kind == PlacementKind::Caller);
  CHECK(f.plan.placements.at(f.result(3)).ioIndex == 1);
  CHECK(f.plan.placements.at(f.result(4)).ioIndex == 2);
  CHECK(f.faults() == "");
}

TEST_CASE("the remark has the totals") {
  PlanFixture f("%a = input : f32[4]\n%0 = neg %a : f32[4]\noutput %0");
  f.planned();
  REQUIRE(f.remarks.size() == 1);
  CHECK(f.remarks[0].message == "16 B for 2 buffers, 1 of them over an operand; lower bound 16 B, gap 0 B");
}
