#include "TuningFixture.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Memory/Planner.h"
#include "mfc/Tuning/ScheduleSearch.h"

#include <catch2/catch.hpp>
#include "llvm/ADT/STLExtras.h"

using namespace mfc;
using namespace mfc::test;

namespace {

CostRecord record(double cycles, uint64_t code, uint64_t constants = 0) {
  CostRecord record;
  record.modelledCycles = cycles;
  record.codeBytes = code;
  record.constBytes = constants;
  return record;
}

/// Prefers one schedule; remembers what it was asked.
class WishOracle : public CostOracle {
public:
  explicit WishOracle(std::string wish) : wish(std::move(wish)) {}
  std::vector<std::string> asked;
  llvm::Expected<CostRecord> measure(const Candidate &candidate) override {
    asked.push_back(candidate.label());
    CHECK(candidate.schedule == scheduleText(candidate.kernel->schedule));
    return record(candidate.schedule == wish ? 10 : 1000, 100);
  }

private:
  std::string wish;
};

class BrokenOracle : public CostOracle {
  llvm::Expected<CostRecord> measure(const Candidate &) override { return llvm::createStringError("no compiler"); }
};

} // namespace

TEST_CASE("the best record depends on the goal") {
  std::vector<CostRecord> records = {record(1000, 400), record(800, 600), record(798, 900), record(1200, 300, 50)};
  // 798 and 800 are a tie, fewer bytes win.
  CHECK(bestRecord(records, Goal::Cycles) == 1);
  CHECK(bestRecord(records, Goal::Bytes) == 3);
  // 400 -> 350 bytes is 13 percent, for 20 percent of the cycles: too few for more bytes.
  CHECK(bestRecord(records, Goal::Balanced) == 3);
  records.push_back(record(300, 410));
  CHECK(bestRecord(records, Goal::Balanced) == 4);
  // 200 cycles more of a million hardly count.
  CHECK(bestRecord({record(1000, 400), record(802, 600), record(800, 900)}, Goal::Cycles, 990000) == 1);
  CHECK(bestRecord({record(1000, 400), record(802, 600), record(800, 900)}, Goal::Cycles, 1000000) == 0);
  // Equal records: the first.
  CHECK(bestRecord({record(5, 5), record(5, 5)}, Goal::Cycles) == 0);
}

TEST_CASE("constants count as bytes, and a tie is not carried on") {
  CHECK(bestRecord({record(100, 100, 1000), record(100, 200, 10)}, Goal::Bytes) == 1);
  // Each is within the tie of the one before, the last is not within that of the first.
  CHECK(bestRecord({record(1000, 50), record(1002.5, 40), record(1005, 30)}, Goal::Cycles) == 1);
}

TEST_CASE("records without code or without an estimate do not win") {
  CostRecord broken;
  broken.problem = "ran out of registers";
  CostRecord unknown = record(0, 10);
  unknown.modelledCycles.reset();
  CHECK(bestRecord({broken, record(1000, 1000)}, Goal::Bytes) == 1);
  CHECK(bestRecord({unknown, record(1000, 1000)}, Goal::Cycles) == 1);
  CostRecord smaller = unknown;
  smaller.codeBytes = 5;
  CHECK(bestRecord({unknown, smaller, broken}, Goal::Cycles) == 1);
  CHECK(bestRecord({broken, broken}, Goal::Cycles) == 0);
}

TEST_CASE("every kernel gets the best of its menu") {
  PlannedModel model("cortex-m4");
  Kernel *kernel = model.plan.kernels().front();
  std::vector<Schedule> menu = blockings(*kernel, model.target);
  REQUIRE(menu.size() > 3);
  CHECK(menu.front() == kernel->schedule);
  Schedule wanted = menu.back();
  std::vector<Schedule> refined = refinements(*kernel, wanted);
  REQUIRE_FALSE(refined.empty());
  CHECK_FALSE(llvm::is_contained(refined, wanted));
  WishOracle oracle(scheduleText(wanted));
  RemarkList remarks;
  llvm::cantFail(chooseSchedules(model.graph, model.plan, model.target, Goal::Cycles, {}, oracle, &remarks));
  for (const Kernel *chosen : model.plan.kernels())
    CHECK(chosen->schedule == wanted);
  // Nothing was asked twice, and what the first stage found was refined.
  std::vector<std::string> asked = oracle.asked;
  llvm::sort(asked);
  CHECK(std::adjacent_find(asked.begin(), asked.end()) == asked.end());
  CHECK(llvm::is_contained(asked, kernel->name + "@" + scheduleText(refined.back())));
  REQUIRE(remarks.size() == 2);
  CHECK(remarks[0].pass == "schedule");
  CHECK(remarks[0].args[0].second == scheduleText(wanted));
  CHECK(remarks[0].args.size() == asked.size() / 2 + 1);
  CHECK_THAT(remarks[0].message, Catch::Contains("10 cycles") && Catch::Contains("1,000 cycles"));
}

TEST_CASE("scratch memory follows the schedule and does not make the arena larger") {
  PlannedModel model("cortex-m4");
  const uint64_t arena = packedBytes(computeLifetimes(model.graph, model.plan, {}));
  const uint64_t scratch = model.plan.kernels().front()->scratchBytes;
  // Three rows instead of two, widened: more scratch memory than the rule of thumb's, while the arena is full.
  std::string wish = "p3c2k4.byte-pairs.rows2.no-lsr.no-sched";
  WishOracle oracle(wish);
  llvm::cantFail(chooseSchedules(model.graph, model.plan, model.target, Goal::Cycles, {}, oracle, nullptr));
  CHECK(packedBytes(computeLifetimes(model.graph, model.plan, {})) <= arena);
  for (const Kernel *kernel : model.plan.kernels()) {
    Kernel same = *kernel;
    setSchedule(same, kernel->schedule, model.target);
    CHECK(kernel->scratchBytes == same.scratchBytes);
    if (scheduleText(kernel->schedule) == wish)
      CHECK(kernel->scratchBytes > scratch);
  }
}

TEST_CASE("what the oracle cannot answer is an error") {
  PlannedModel model("cortex-m4");
  BrokenOracle oracle;
  llvm::Error error = chooseSchedules(model.graph, model.plan, model.target, Goal::Cycles, {}, oracle, nullptr);
  CHECK_THAT(llvm::toString(std::move(error)), Catch::Contains("no compiler"));
}
