// Execution order in the abstract: tasks that read and write tensors, and the order of them with the smallest peak of
// live bytes. Knows nothing of graphs.
#ifndef MFC_MEMORY_ORDERSEARCH_H
#define MFC_MEMORY_ORDERSEARCH_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mfc {

struct TaskTensor {
  uint64_t bytes = 0;
  bool kept = false;           ///< alive until the end, whoever reads it
  std::vector<unsigned> users; ///< tasks that read it, each once
};

/// `to`, which the task writes, may lie over these many bytes of `from`, which it reads and nobody needs afterwards.
struct TaskShare {
  unsigned from = 0, to = 0; ///< tensors
  uint64_t bytes = 0;
};

struct Task {
  std::vector<unsigned> reads;  ///< tensors, each once
  std::vector<unsigned> writes; ///< tensors; no other task writes them
  uint64_t extraBytes = 0;      ///< scratch and rings, alive while the task runs
  std::vector<TaskShare> shares;
};

struct TaskGraph {
  std::vector<TaskTensor> tensors; ///< those that no task writes are there from the start
  std::vector<Task> tasks;         ///< in an order that works
};

using TaskOrder = std::vector<unsigned>;

/// Largest sum of live bytes at one step, the step before the first task included.
uint64_t peakBytes(const TaskGraph &graph, const TaskOrder &order);

struct OrderSearchResult {
  TaskOrder order;
  bool exact = false; ///< no order has a smaller peak
};

/// Best-first search over the sets of tasks that have run, for at most `states` sets; behind that limit a beam search
/// that keeps `beam` sets per step. The given order is the answer unless another one is better.
OrderSearchResult searchOrder(const TaskGraph &graph, size_t states, size_t beam);

} // namespace mfc
#endif
