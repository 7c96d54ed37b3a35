#include "mfc/Tuning/ScheduleSearch.h"

#include "mfc/IR/OperationNames.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Memory/Planner.h"
#include "mfc/Support/HumanText.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

using namespace mfc;

static double bytesOf(const CostRecord &record) {
  return static_cast<double>(record.codeBytes + record.constBytes);
}

/// What the goal makes of a record that has everything: smaller is better. The second number decides between equal ones.
static std::pair<double, double> priceOf(const CostRecord &record, Goal goal) {
  double bytes = bytesOf(record), cycles = record.modelledCycles.value_or(0);
  switch (goal) {
  case Goal::Cycles:
    return {cycles, bytes};
  case Goal::Balanced:
    return {std::log(bytes + 1) + std::log(cycles + 1) / kCyclesPerByte, bytes};
  case Goal::Bytes:
    return {bytes, cycles};
  }
  llvm_unreachable("covered switch");
}

size_t mfc::bestRecord(llvm::ArrayRef<CostRecord> records, Goal goal, double modelCycles) {
  bool anyCycles = llvm::any_of(records, [](const CostRecord &r) { return r.problem.empty() && r.modelledCycles; });
  Goal known = anyCycles ? goal : Goal::Bytes;
  auto usable = [&](const CostRecord &r) { return r.problem.empty() && (r.modelledCycles || !anyCycles); };
  std::optional<size_t> best;
  for (size_t i = 0; i < records.size(); ++i)
    if (usable(records[i]) && (!best || priceOf(records[i], known) < priceOf(records[*best], known)))
      best = i;
  if (!best)
    return 0;
  if (known != Goal::Cycles)
    return *best;
  const double fewest = *records[*best].modelledCycles;
  const double most = fewest + std::max(fewest * kTiePercent, modelCycles * kModelTiePercent) / 100;
  for (size_t i = 0; i < records.size(); ++i)
    if (usable(records[i]) && *records[i].modelledCycles <= most && bytesOf(records[i]) < bytesOf(records[*best]))
      best = i;
  return *best;
}

namespace {

/// One kernel, what was tried for it, and the best so far.
struct Search {
  Kernel *kernel;
  std::map<uint64_t, bool> rooms; ///< by scratch bytes: whether they do not make the arena larger
  std::deque<Kernel> tried; ///< copies with other schedules; the first is the rule of thumb
  std::vector<CostRecord> records;
  size_t best = 0;
};

class Searcher {
public:
  Searcher(const Graph &graph, Plan &plan, const TargetInfo &target, Goal goal, const MemoryOptions &memory,
           CostOracle &oracle)
      : graph(graph), plan(plan), target(target), goal(goal), memory(memory), oracle(oracle),
        arena(packedBytes(computeLifetimes(graph, plan, memory))) {
    for (Kernel *kernel : plan.kernels())
      searches.push_back({kernel, {}, {}, {}, 0});
  }

  llvm::Error run() {
    if (llvm::Error error = measure([&](const Search &s) { return blockings(*s.kernel, target); }))
      return error;
    if (llvm::Error error =
            measure([&](const Search &s) { return refinements(*s.kernel, s.tried[s.best].schedule); }))
      return error;
    choose();
    return llvm::Error::success();
  }

  void explain(RemarkList &remarks) const;

private:
  uint64_t arenaWith(Kernel &kernel, uint64_t scratch);
  bool fits(Search &search, const Kernel &candidate);
  void choose();
  llvm::Error measure(llvm::function_ref<std::vector<Schedule>(const Search &)> menu);
  Remark remark(const Search &search, const std::string &subject) const;

  const Graph &graph;
  Plan &plan;
  const TargetInfo &target;
  Goal goal;
  MemoryOptions memory;
  CostOracle &oracle;
  uint64_t arena; ///< bytes with the rules of thumb
  std::vector<Search> searches; ///< by kernel, in execution order
};

/// Sets the schedules. Scratch memories that fit alone may not fit together; the later ones then go without.
void Searcher::choose() {
  double cycles = 0;
  for (const Search &search : searches)
    cycles += search.records[search.best].modelledCycles.value_or(0);
  for (Search &search : searches) {
    search.best = bestRecord(search.records, goal, cycles);
    const Kernel &wanted = search.tried[search.best];
    if (wanted.scratchBytes > search.kernel->scratchBytes && arenaWith(*search.kernel, wanted.scratchBytes) > arena)
      search.best = 0;
    setSchedule(*search.kernel, search.tried[search.best].schedule, target);
  }
}

/// The arena of the plan with other scratch memory for one kernel.
uint64_t Searcher::arenaWith(Kernel &kernel, uint64_t scratch) {
  uint64_t own = std::exchange(kernel.scratchBytes, scratch);
  uint64_t bytes = packedBytes(computeLifetimes(graph, plan, memory));
  kernel.scratchBytes = own;
  return bytes;
}

bool Searcher::fits(Search &search, const Kernel &candidate) {
  if (candidate.scratchBytes <= search.kernel->scratchBytes)
    return true;
  auto [answer, first] = search.rooms.try_emplace(candidate.scratchBytes, false);
  if (first)
    answer->second = arenaWith(*search.kernel, candidate.scratchBytes) <= arena;
  return answer->second;
}

/// One candidate for every schedule that the menus offer and that was not tried before; all of them in one batch.
llvm::Error Searcher::measure(llvm::function_ref<std::vector<Schedule>(const Search &)> menu) {
  std::vector<Candidate> candidates;
  std::vector<Search *> owners;
  for (Search &search : searches)
    for (Schedule &schedule : menu(search)) {
      Kernel copy = *search.kernel;
      setSchedule(copy, std::move(schedule), target);
      bool known = llvm::any_of(search.tried, [&](const Kernel &k) { return k.schedule == copy.schedule; });
      if (known || !fits(search, copy))
        continue;
      search.tried.push_back(std::move(copy));
      Candidate candidate;
      candidate.name = search.kernel->name;
      candidate.schedule = scheduleText(search.tried.back().schedule);
      candidate.kernel = &search.tried.back();
      candidates.push_back(std::move(candidate));
      owners.push_back(&search);
    }
  llvm::Expected<std::vector<CostRecord>> records = oracle.measureAll(candidates);
  if (!records)
    return records.takeError();
  for (size_t i = 0; i < candidates.size(); ++i)
    owners[i]->records.push_back(std::move((*records)[i]));
  for (Search &search : searches)
    search.best = bestRecord(search.records, goal);
  return llvm::Error::success();
}

static std::string numbers(const CostRecord &record) {
  if (!record.problem.empty())
    return record.problem;
  std::string text = record.modelledCycles ? grouped(*record.modelledCycles) + " cycles, " : "";
  return text + grouped(bytesOf(record)) + " bytes (code " + grouped(static_cast<double>(record.codeBytes)) + "), " +
         std::to_string(record.spills + record.reloads) + " spills and reloads";
}

Remark Searcher::remark(const Search &search, const std::string &subject) const {
  auto label = [&](size_t i) { return scheduleText(search.tried[i].schedule); };
  Remark remark{RemarkKind::Passed, "schedule", search.best ? "chosen" : "by-rule", subject, "", {}};
  remark.message = label(search.best) + " of " + std::to_string(search.tried.size()) + " candidates: " +
                   numbers(search.records[search.best]);
  if (search.best)
    remark.message += "; by rule of thumb " + label(0) + ": " + numbers(search.records[0]);
  remark.args.push_back({"Schedule", label(search.best)});
  for (size_t i = 0; i < search.tried.size(); ++i)
    remark.args.push_back({label(i), numbers(search.records[i])});
  return remark;
}

void Searcher::explain(RemarkList &remarks) const {
  OperationNames nameOf(graph);
  for (const Search &search : searches)
    if (search.tried.size() > 1)
      remarks.push_back(remark(search, nameOf(*search.kernel->anchor)));
}

} // namespace

llvm::Error mfc::chooseSchedules(const Graph &graph, Plan &plan, const TargetInfo &target, Goal goal,
                                 const MemoryOptions &memory, CostOracle &oracle, RemarkList *remarks) {
  Searcher searcher(graph, plan, target, goal, memory, oracle);
  if (llvm::Error error = searcher.run())
    return error;
  if (remarks)
    searcher.explain(*remarks);
  return llvm::Error::success();
}

void mfc::takeSchedules(Plan &plan, const TargetInfo &target, unsigned number) {
  for (Kernel *kernel : plan.kernels()) {
    std::vector<Schedule> menu;
    for (const Schedule &blocking : blockings(*kernel, target)) {
      menu.push_back(blocking);
      for (Schedule &refined : refinements(*kernel, blocking))
        menu.push_back(std::move(refined));
    }
    setSchedule(*kernel, menu[number % menu.size()], target);
  }
}
