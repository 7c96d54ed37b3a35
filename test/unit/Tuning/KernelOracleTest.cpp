#include "TuningFixture.h"
#include "mfc/Tuning/KernelOracle.h"
#include "mfc/Tuning/ScheduleSearch.h"

#include <catch2/catch.hpp>
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <deque>

using namespace mfc;
using namespace mfc::test;

namespace {

struct Folder {
  Folder() { (void)!!llvm::sys::fs::createUniqueDirectory("mfc-oracle", path); }
  ~Folder() { llvm::sys::fs::remove_directories(path); }
  llvm::SmallString<128> path;
};

/// Every kernel with every blocking.
struct Candidates {
  explicit Candidates(PlannedModel &model) {
    for (Kernel *kernel : model.plan.kernels())
      for (Schedule &schedule : blockings(*kernel, model.target)) {
        kernels.push_back(*kernel);
        setSchedule(kernels.back(), schedule, model.target);
        list.push_back({kernel->name, scheduleText(schedule), "", &kernels.back()});
      }
  }
  std::deque<Kernel> kernels;
  std::vector<Candidate> list;
};

} // namespace

TEST_CASE("kernels that differ in their constants only are compiled once") {
  PlannedModel model("cortex-m4");
  Candidates candidates(model);
  RecordCache none("");
  KernelOracle oracle(model.graph, model.plan, model.target, none, 1);
  std::vector<CostRecord> records = llvm::cantFail(oracle.measureAll(candidates.list));
  size_t half = records.size() / 2;
  CHECK(oracle.counts().asked == 2 * half);
  CHECK(oracle.counts().compiled <= half);
  CHECK(oracle.counts().found == 0);
  for (size_t i = 0; i < half; ++i) {
    INFO(candidates.list[i].label());
    CHECK(records[i] == records[half + i]);
    CHECK(records[i].problem.empty());
    CHECK(records[i].codeBytes > 50);
    CHECK(records[i].constBytes >= 16 * 16); // the weights
    CHECK(records[i].modelledCycles.value_or(0) > 36 * 16 * 16 / 4.0);
  }
}

TEST_CASE("answers depend neither on threads nor on the cache") {
  PlannedModel model("cortex-m0plus");
  Candidates candidates(model);
  RecordCache none("");
  KernelOracle alone(model.graph, model.plan, model.target, none, 1);
  std::vector<CostRecord> wanted = llvm::cantFail(alone.measureAll(candidates.list));
  Folder folder;
  for (bool warm : {false, true}) {
    RecordCache cache(folder.path.str().str());
    KernelOracle oracle(model.graph, model.plan, model.target, cache, 4);
    CHECK(llvm::cantFail(oracle.measureAll(candidates.list)) == wanted);
    CHECK(oracle.counts().compiled == (warm ? 0 : alone.counts().compiled));
    CHECK(oracle.counts().found == (warm ? alone.counts().compiled : 0));
  }
  // Another target does not find them.
  PlannedModel other("cortex-m4");
  RecordCache cache(folder.path.str().str());
  KernelOracle oracle(other.graph, other.plan, other.target, cache, 2);
  Candidates others(other);
  (void)llvm::cantFail(oracle.measureAll(others.list));
  CHECK(oracle.counts().found == 0);
}
