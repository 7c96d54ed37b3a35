// Random image networks, cut into random groups that run by rows, and placed at random offsets wherever overlaps allow:
// compiled, they give what the interpreter gives. MFC_TEST_CASES multiplies their number, MFC_TEST_SEED moves them.
#include "HostModel.h"
#include "RandomGraph.h"
#include "RandomImages.h"
#include "Sweep.h"

#include "mfc/Fusion/RowGroups.h"
#include "mfc/IR/PlanPrinter.h"
#include "mfc/IR/Printer.h"
#include "mfc/Interp/Interpreter.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Memory/Planner.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Transforms/Pipeline.h"

#include "llvm/ADT/STLExtras.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

namespace {

/// How much of what is tested really happened.
struct Seen {
  uint64_t groups = 0, grouped = 0, rings = 0, means = 0, overlaps = 0;
};

/// Random cuts of the execution order.
std::vector<KernelRange> randomRanges(const Graph &graph, const Plan &plan, RandomNumbers &random) {
  std::vector<KernelRange> ranges;
  size_t count = plan.kernels().size();
  for (size_t first = 0; first < count;) {
    std::vector<KernelRange> legal;
    std::string why;
    for (size_t end = first + 2; end <= count; ++end)
      if (scheduleRange(graph, plan, {first, end}, why))
        legal.push_back({first, end});
    if (legal.empty() || random.chance(15)) {
      ++first;
      continue;
    }
    ranges.push_back(random.chance(50) ? legal.back() : random.pick(legal));
    first = ranges.back().end;
  }
  return ranges;
}

void groupAtRandom(const Graph &graph, Plan &plan, const TargetInfo &target, RandomNumbers &random, Seen &seen) {
  std::vector<KernelRange> ranges = randomRanges(graph, plan, random);
  std::vector<Kernel> members;
  for (const Kernel *kernel : plan.kernels()) {
    members.push_back(*kernel);
    std::string why;
    if (kernelRows(*kernel, why)) {
      members.back().byRows = true;
      prepareKernel(members.back(), target, {});
    }
  }
  plan = withGroups(graph, plan, members, ranges);
  for (const KernelRange &range : ranges) {
    ++seen.groups;
    seen.grouped += range.size();
  }
  for (const Group &group : plan.groups)
    if (group.kernels.size() > 1) {
      RowSchedule schedule = scheduleGroup(group, plan);
      seen.rings += schedule.rings.size();
      seen.means += llvm::count_if(schedule.members, [](const RowMember &member) { return member.rows.accumulates; });
    }
}

/// Offsets that are legal, chosen at random among those where a buffer touches another one or the start.
class RandomOffsets {
public:
  RandomOffsets(const Lifetimes &lifetimes, RandomNumbers &random)
      : lifetimes(lifetimes), random(random), offsets(lifetimes.buffers.size(), -1) {}

  std::vector<int64_t> run() {
    std::vector<size_t> order;
    for (size_t i = 0; i < offsets.size(); ++i)
      order.insert(order.begin() + random.between(0, static_cast<int64_t>(order.size())), i);
    for (size_t i : order)
      offsets[i] = choose(i);
    return offsets;
  }

private:
  const Lifetimes &lifetimes;
  RandomNumbers &random;
  std::vector<int64_t> offsets;

  int64_t size(size_t i) const { return static_cast<int64_t>(lifetimes.buffers[i].bytes); }

  /// The pair may be at these offsets.
  bool fits(size_t a, int64_t atA, size_t b, int64_t atB) const {
    const Buffer &left = lifetimes.buffers[a], &right = lifetimes.buffers[b];
    bool together = left.first <= right.last && right.first <= left.last;
    if (!together || atA + size(a) <= atB || atB + size(b) <= atA)
      return true;
    return llvm::any_of(lifetimes.overlaps, [&](const BufferOverlap &o) {
      int64_t distance = o.output == a && o.input == b ? atB - atA : o.output == b && o.input == a ? atA - atB : -1;
      return distance >= 0 && allowed(o, static_cast<uint64_t>(distance));
    });
  }
  static bool allowed(const BufferOverlap &overlap, uint64_t distance) {
    return distance >= overlap.distance || (distance == 0 && overlap.samePlace);
  }

  int64_t choose(size_t i) {
    std::vector<int64_t> tries{0}, touching;
    for (size_t b = 0; b < offsets.size(); ++b)
      if (offsets[b] >= 0)
        for (int64_t at : {offsets[b] - size(i), offsets[b], offsets[b] + size(b)})
          tries.push_back(at);
    for (const BufferOverlap &o : lifetimes.overlaps) {
      auto distance = static_cast<int64_t>(o.distance);
      if (o.output == i && offsets[o.input] >= 0)
        touching.push_back(offsets[o.input] - distance), touching.push_back(offsets[o.input]);
      if (o.input == i && offsets[o.output] >= 0)
        touching.push_back(offsets[o.output] + distance), touching.push_back(offsets[o.output]);
    }
    auto isLegal = [&](int64_t at) {
      if (at < 0 || at % 16)
        return false;
      for (size_t b = 0; b < offsets.size(); ++b)
        if (offsets[b] >= 0 && !fits(i, at, b, offsets[b]))
          return false;
      return true;
    };
    llvm::erase_if(touching, [&](int64_t at) { return !isLegal(at); });
    if (!touching.empty() && random.chance(80))
      return random.pick(touching);
    for (int64_t &at : tries)
      at = std::max<int64_t>(0, (at + 15) / 16 * 16);
    llvm::erase_if(tries, [&](int64_t at) { return !isLegal(at); });
    llvm::sort(tries);
    return random.chance(60) ? tries.front() : random.pick(tries); // behind the last one is legal
  }
};

void placeAtRandom(const Graph &graph, Plan &plan, RandomNumbers &random, Seen &seen) {
  Lifetimes lifetimes = computeLifetimes(graph, plan, {});
  std::vector<int64_t> offsets = RandomOffsets(lifetimes, random).run();
  uint64_t end = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const Buffer &buffer = lifetimes.buffers[i];
    auto offset = static_cast<uint64_t>(offsets[i]);
    (buffer.value ? plan.placements[buffer.value] : plan.scratch[buffer.kernel->anchor]).offset = offset;
    end = std::max(end, offset + buffer.bytes);
  }
  for (const BufferOverlap &o : lifetimes.overlaps) {
    auto input = offsets[o.input], output = offsets[o.output];
    seen.overlaps += output <= input && input < output + static_cast<int64_t>(lifetimes.buffers[o.output].bytes);
  }
  plan.regions[0].bytes = end;
  MemoryOf memoryOf(plan);
  for (const Operation *op : graph.ops())
    for (const Value *result : op->results())
      if (const Value *memory = memoryOf(result); memory != result && plan.placements[result].kind == PlacementKind::Arena)
        plan.placements[result].offset = plan.placements[memory].offset;
}

/// What the test adds to the plan, for messages.
std::string textOf(const Graph &graph, const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printPlan(graph, plan, os);
  return text;
}

void checkNetwork(uint64_t seed, const RandomImagesOptions &options, bool groups, bool offsets, Seen &seen) {
  Graph graph = randomImages(seed, options);
  DiagnosticEngine diag;
  RemarkList remarks;
  PassContext context{.diag = diag, .remarks = remarks};
  std::string text, planned;
  llvm::raw_string_ostream os(text);
  print(graph, os, {.elideConstants = true});
  REQUIRE(runPipeline(graph, context));
  RandomNumbers random(seed);
  std::vector<Tensor> inputs;
  for (const Value *input : graph.inputs())
    inputs.push_back(mfc::randomTensor(input->type, random.next()));
  auto wanted = interpret(graph, inputs);
  REQUIRE(static_cast<bool>(wanted));
  HostOptions host;
  host.poison = static_cast<uint8_t>(seed * 37 + 1);
  if (groups)
    host.arrange = [&](const Graph &g, Plan &plan, const TargetInfo &target) { groupAtRandom(g, plan, target, random, seen); };
  host.place = [&](const Graph &g, Plan &plan) {
    if (offsets)
      placeAtRandom(g, plan, random, seen);
    planned = textOf(g, plan);
  };
  auto found = runOnHost(graph, inputs, host);
  INFO("seed " << seed << "\n" << text << planned);
  if (!found)
    FAIL(llvm::toString(found.takeError()));
  for (size_t i = 0; i < wanted->size(); ++i) {
    INFO("output " << i << " of " << typeText((*wanted)[i].type));
    CHECK(countWrong((*wanted)[i], (*found)[i], options.quantized) == 0);
  }
}

/// Each test of its own seeds.
Seen sweep(uint64_t count, RandomImagesOptions options, bool groups, bool offsets) {
  Seen seen;
  count *= std::max<uint64_t>(1, setting("MFC_TEST_CASES", 1));
  uint64_t first = setting("MFC_TEST_SEED", 0) + (options.quantized ? 0 : 1000000);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    static const Rounding kinds[] = {Rounding::TfliteDouble, Rounding::HalfEven, Rounding::TfliteSingle};
    options.rounding = kinds[seed % 3];
    options.operations = 3 + static_cast<unsigned>(seed % 14);
    checkNetwork(seed, options, groups, offsets, seen);
  }
  return seen;
}

} // namespace

TEST_CASE("integer networks in random groups by rows equal the interpreter") {
  Seen seen = sweep(70, {}, true, false);
  CHECK(seen.groups > 60);
  CHECK(seen.grouped > 2 * seen.groups);
  CHECK(seen.rings > seen.groups);
  CHECK(seen.means > 1);
}

TEST_CASE("float networks in random groups by rows equal the interpreter") {
  Seen seen = sweep(30, {.quantized = false}, true, false);
  CHECK(seen.groups > 25);
  CHECK(seen.means > 1);
}

TEST_CASE("random groups at random offsets, results over operands wherever that is allowed") {
  Seen seen = sweep(50, {}, true, true);
  CHECK(seen.overlaps > 20);
}

TEST_CASE("whole kernels at random offsets, results over operands wherever that is allowed") {
  Seen seen = sweep(40, {}, false, true);
  CHECK(seen.overlaps > 20);
}

TEST_CASE("whole float kernels at random offsets, results over operands wherever that is allowed") {
  sweep(15, {.quantized = false}, false, true);
}
