// Execution order against brute force. The planner's lower bound is the peak of live bytes, worked out from intervals and
// not from sets of tasks, so it is the judge.
#include "PlanFixture.h"
#include "RandomGraph.h"
#include "mfc/Memory/ExecutionOrder.h"
#include "mfc/Memory/OrderSearch.h"

#include <algorithm>
#include <numeric>

using namespace mfc;

/// Four wide maps from a narrow one, each summed up at once: the model's order computes all maps first.
static const char *kWideFirst = "%a = input : f32[1,2,2,1]\n%w = constant : f32[8,1,1,1] = [1, 2, 3, 4, 5, 6, 7, 8]\n"
                                "%v = constant : f32[1,1,1,8] = [1, 1, 1, 1, 1, 1, 1, 1]\n"
                                "%0 = conv2d %a, %w : f32[1,2,2,8]\n%1 = conv2d %a, %w : f32[1,2,2,8]\n"
                                "%2 = conv2d %0, %v : f32[1,2,2,1]\n%3 = conv2d %1, %v : f32[1,2,2,1]\n"
                                "output %2\noutput %3";

TEST_CASE("branches run one after the other") {
  PlanFixture f(kWideFirst);
  uint64_t before = f.planned().lowerBound;
  CHECK(before == 16 + 128 + 128);
  f.remarks.clear();
  OrderResult result = orderGroups(f.graph, f.plan, {}, &f.remarks);
  CHECK(result.before == before);
  CHECK(result.after == 16 + 128 + 16);
  CHECK(result.exact);
  REQUIRE(f.remarks.size() == 1);
  CHECK(f.remarks[0].message == "peak of live bytes 160 B, 272 B in the model's order; no order needs less");
  CHECK(f.planned().lowerBound == result.after);
  CHECK(f.faults() == "");
}

TEST_CASE("the model's order stays where none is better") {
  PlanFixture f("%a = input : f32[4]\n%0 = exp %a : f32[4]\n%1 = softmax %0 : f32[4]\noutput %1\noutput %0");
  std::string first = f.kernel(0).name, second = f.kernel(1).name;
  f.remarks.clear();
  OrderResult result = orderGroups(f.graph, f.plan, {}, &f.remarks);
  CHECK(result.before == result.after);
  CHECK(f.kernel(0).name == first);
  CHECK(f.kernel(1).name == second);
  REQUIRE(f.remarks.size() == 1);
  CHECK(f.remarks[0].message.find("kept the model's order, peak of live bytes ") == 0);
}

/// The smallest lower bound of all orders in which every kernel's operands are there.
static uint64_t bruteForcePeak(PlanFixture &f, const MemoryOptions &options) {
  std::vector<Group> groups = f.plan.groups;
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t(0));
  uint64_t best = UINT64_MAX;
  do {
    llvm::DenseSet<const Value *> there;
    MemoryOf memoryOf(f.plan);
    bool works = true;
    for (size_t index : order) {
      const Kernel &kernel = groups[index].kernels[0];
      for (const Value *input : kernel.inputs) {
        const Value *memory = memoryOf(input);
        works &= !memory->producer() || there.contains(memory);
      }
      there.insert(kernel.output);
    }
    if (!works)
      continue;
    for (size_t i = 0; i < order.size(); ++i)
      f.plan.groups[i] = groups[order[i]];
    best = std::min(best, f.planned(options).lowerBound);
  } while (std::next_permutation(order.begin(), order.end()));
  f.plan.groups = groups;
  return best;
}

TEST_CASE("random graphs: as good as brute force, by best-first search; the beam is never worse than the model's order") {
  unsigned compared = 0, improved = 0, beamBest = 0;
  for (uint64_t seed = 0; seed < 250; ++seed) {
    RandomGraphOptions graphOptions;
    graphOptions.operations = 4 + seed % 5;
    MemoryOptions options;
    options.preserveInputs = seed % 7 == 0;
    PlanFixture f(randomGraph(seed, graphOptions));
    if (f.plan.groups.size() > 6)
      continue;
    RandomNumbers random(seed);
    for (Kernel *kernel : f.plan.kernels())
      if (random.chance(30))
        kernel->scratchBytes = static_cast<uint64_t>(random.between(1, 500));
    uint64_t model = f.planned(options).lowerBound, best = bruteForcePeak(f, options);
    PlanFixture beam(randomGraph(seed, graphOptions));
    for (size_t i = 0; i < f.plan.groups.size(); ++i)
      beam.kernel(i).scratchBytes = f.kernel(i).scratchBytes;
    OrderResult limited = orderGroups(beam.graph, beam.plan, options, nullptr, {0, 8});
    OrderResult result = orderGroups(f.graph, f.plan, options);
    INFO("seed " << seed << ", " << f.plan.groups.size() << " groups");
    REQUIRE(result.exact);
    REQUIRE(result.before == model);
    REQUIRE(result.after == best);
    REQUIRE(f.planned(options).lowerBound == best);
    REQUIRE(f.faults(options) == "");
    REQUIRE(limited.after <= model);
    REQUIRE(beam.planned(options).lowerBound == limited.after);
    ++compared;
    improved += best < model;
    beamBest += limited.after == best;
  }
  CHECK(compared > 100);
  CHECK(improved > 5);
  CHECK(beamBest * 10 >= compared * 9);
}

TEST_CASE("a long chain with side branches needs few states") {
  TaskGraph graph;
  constexpr unsigned kTasks = 600;
  graph.tensors.push_back({100, false, {0}});
  for (unsigned i = 0; i < kTasks; ++i) {
    graph.tensors.push_back({100 + i % 7, i + 1 == kTasks, {}});
    if (i + 1 < kTasks)
      graph.tensors.back().users.push_back(i + 1);
    graph.tasks.push_back({{i}, {i + 1}, 10, {}});
  }
  OrderSearchResult result = searchOrder(graph, 2000, 4);
  CHECK(result.exact);
  CHECK(std::is_sorted(result.order.begin(), result.order.end()));
}
