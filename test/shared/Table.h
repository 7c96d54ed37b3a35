// Runs jobs on all cores and prints their rows in job order, as soon as all earlier ones are done.
#ifndef MFC_TEST_SHARED_TABLE_H
#define MFC_TEST_SHARED_TABLE_H

#include <functional>
#include <string>
#include <vector>

namespace mfc::shared {

struct Row {
  std::string model, engine, testCase;
  bool passed = false;
  std::string detail; ///< differing elements, instructions; on failure the reason
};

class Table {
public:
  /// Adds work that yields rows. Jobs may run at the same time.
  void add(std::function<std::vector<Row>()> job) { jobs.push_back(std::move(job)); }
  /// Runs everything; returns the number of failed rows after printing the summary.
  unsigned run(unsigned threads);

private:
  std::vector<std::function<std::vector<Row>()>> jobs;
};

} // namespace mfc::shared
#endif
