#include "Table.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace mfc::shared;

namespace {
/// Keeps finished jobs until their turn to be printed.
class Printer {
public:
  explicit Printer(size_t jobs) : finished(jobs), isFinished(jobs, false) {}

  void finish(size_t job, std::vector<Row> rows) {
    std::lock_guard guard(lock);
    finished[job] = std::move(rows);
    isFinished[job] = true;
    for (; next < finished.size() && isFinished[next]; ++next)
      for (const Row &row : finished[next])
        print(row);
    std::fflush(stdout);
  }

  unsigned passed = 0;
  std::vector<Row> failures;

private:
  void print(const Row &row) {
    std::printf("%-4s  %-38s %-16s %-8s %s\n", row.passed ? "ok" : "FAIL", row.model.c_str(), row.engine.c_str(),
                row.testCase.c_str(), row.detail.c_str());
    if (row.passed)
      ++passed;
    else
      failures.push_back(row);
  }

  std::mutex lock;
  std::vector<std::vector<Row>> finished;
  std::vector<bool> isFinished;
  size_t next = 0;
};
} // namespace

unsigned Table::run(unsigned threads) {
  std::printf("%-4s  %-38s %-16s %-8s %s\n", "", "model", "run by", "case", "elements that differ, instructions");
  Printer printer(jobs.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t job; (job = next++) < jobs.size();)
      printer.finish(job, jobs[job]());
  };
  std::vector<std::thread> pool;
  for (unsigned i = 0; i < threads; ++i)
    pool.emplace_back(work);
  for (std::thread &thread : pool)
    thread.join();
  if (!printer.failures.empty())
    std::printf("\nfailures:\n");
  for (const Row &row : printer.failures)
    std::printf("  %s, %s, case %s: %s\n", row.model.c_str(), row.engine.c_str(), row.testCase.c_str(),
                row.detail.c_str());
  std::printf("\n%u passed, %zu failed\n", printer.passed, printer.failures.size());
  // Nothing run is no success.
  return printer.passed ? static_cast<unsigned>(printer.failures.size()) : 1;
}
