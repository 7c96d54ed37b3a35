// The live bytes between two tasks depend only on the set of tasks that have run, so sets are the nodes of the search
// and the peak on the way to them the price. A task that can run below the peak so far and leaves no more bytes alive
// than before is run at once: with it done, no later step needs more, since the bytes that a task adds can only shrink
// when others run before it. That leaves few sets in networks, which are mostly chains.
#include "mfc/Memory/OrderSearch.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>

using namespace mfc;

namespace {

/// A set of tasks, a bit each.
using TaskSet = std::vector<uint64_t>;
bool has(const TaskSet &set, unsigned task) { return set[task / 64] >> (task % 64) & 1; }

struct State {
  TaskSet done;
  uint64_t live = 0, peak = 0;
  unsigned count = 0;
  size_t parent = SIZE_MAX; ///< index of a state
  unsigned task = 0;        ///< that led here
};

struct Step {
  uint64_t during = 0, after = 0; ///< live bytes
};

class OrderSearch {
public:
  explicit OrderSearch(const TaskGraph &graph) : graph(graph), writer(graph.tensors.size()) {
    for (unsigned task = 0; task < graph.tasks.size(); ++task)
      for (unsigned tensor : graph.tasks[task].writes)
        writer[tensor] = task;
  }

  State start() const;
  State next(const State &state, unsigned task) const;
  /// The order with the smallest peak, or nothing after too many states.
  std::optional<TaskOrder> exact(size_t limit);
  TaskOrder beam(size_t width);

private:
  const TaskGraph &graph;
  std::vector<std::optional<unsigned>> writer; ///< by tensor
  std::vector<State> states;

  bool isDead(unsigned tensor, const TaskSet &done, unsigned task) const;
  Step step(const State &state, unsigned task) const;
  std::vector<unsigned> ready(const TaskSet &done) const;
  std::vector<unsigned> worthTrying(const State &state) const;
  TaskOrder orderTo(size_t index) const;
};

/// Nobody needs the tensor once the task has run too.
bool OrderSearch::isDead(unsigned tensor, const TaskSet &done, unsigned task) const {
  const TaskTensor &t = graph.tensors[tensor];
  return !t.kept && llvm::all_of(t.users, [&](unsigned user) { return user == task || has(done, user); });
}

State OrderSearch::start() const {
  State state;
  state.done.assign((graph.tasks.size() + 63) / 64, 0);
  uint64_t unused = 0;
  for (unsigned tensor = 0; tensor < graph.tensors.size(); ++tensor) {
    const TaskTensor &t = graph.tensors[tensor];
    if (writer[tensor])
      continue;
    state.live += t.bytes;
    if (!t.kept && t.users.empty())
      unused += t.bytes;
  }
  state.peak = state.live;
  state.live -= unused;
  return state;
}

Step OrderSearch::step(const State &state, unsigned index) const {
  const Task &task = graph.tasks[index];
  uint64_t written = 0, freed = 0, shared = 0;
  for (unsigned tensor : task.writes) {
    written += graph.tensors[tensor].bytes;
    if (isDead(tensor, state.done, index)) // an output that nobody reads
      freed += graph.tensors[tensor].bytes;
  }
  for (unsigned tensor : task.reads)
    if (isDead(tensor, state.done, index))
      freed += graph.tensors[tensor].bytes;
  for (const TaskShare &share : task.shares)
    if (isDead(share.from, state.done, index))
      shared += share.bytes;
  return {state.live + written + task.extraBytes - shared, state.live + written - freed};
}

State OrderSearch::next(const State &state, unsigned task) const {
  Step change = step(state, task);
  State result;
  result.done = state.done;
  result.done[task / 64] |= uint64_t(1) << (task % 64);
  result.live = change.after;
  result.peak = std::max(state.peak, change.during);
  result.count = state.count + 1;
  result.task = task;
  return result;
}

std::vector<unsigned> OrderSearch::ready(const TaskSet &done) const {
  std::vector<unsigned> result;
  for (unsigned task = 0; task < graph.tasks.size(); ++task)
    if (!has(done, task) && llvm::all_of(graph.tasks[task].reads, [&](unsigned tensor) {
          return !writer[tensor] || has(done, *writer[tensor]);
        }))
      result.push_back(task);
  return result;
}

/// One task where it can do no harm, else all that can run.
std::vector<unsigned> OrderSearch::worthTrying(const State &state) const {
  std::vector<unsigned> tasks = ready(state.done);
  for (unsigned task : tasks) {
    Step change = step(state, task);
    if (change.during <= state.peak && change.after <= state.live)
      return {task};
  }
  return tasks;
}

TaskOrder OrderSearch::orderTo(size_t index) const {
  TaskOrder order;
  for (; states[index].parent != SIZE_MAX; index = states[index].parent)
    order.push_back(states[index].task);
  std::reverse(order.begin(), order.end());
  return order;
}

std::optional<TaskOrder> OrderSearch::exact(size_t limit) {
  // Smallest peak first, of those the furthest, of those the oldest: what is popped complete is best.
  using Entry = std::tuple<uint64_t, size_t, size_t>; // peak, tasks left, state
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  std::map<TaskSet, uint64_t> best; // peak on the best way so far
  auto push = [&](State state) {
    auto [it, isNew] = best.try_emplace(state.done, state.peak);
    if (!isNew && it->second <= state.peak)
      return;
    it->second = state.peak;
    queue.emplace(state.peak, graph.tasks.size() - state.count, states.size());
    states.push_back(std::move(state));
  };
  states.clear();
  push(start());
  while (!queue.empty() && states.size() <= limit) {
    size_t index = std::get<2>(queue.top());
    queue.pop();
    if (states[index].count == graph.tasks.size())
      return orderTo(index);
    if (best[states[index].done] < states[index].peak)
      continue; // found on a better way since
    for (unsigned task : worthTrying(states[index])) {
      State state = next(states[index], task);
      state.parent = index;
      push(std::move(state));
    }
  }
  return std::nullopt;
}

TaskOrder OrderSearch::beam(size_t width) {
  states = {start()};
  std::vector<size_t> level = {0};
  for (size_t count = 0; count < graph.tasks.size(); ++count) {
    std::map<TaskSet, State> reached;
    for (size_t index : level)
      for (unsigned task : worthTrying(states[index])) {
        State state = next(states[index], task);
        state.parent = index;
        auto [it, isNew] = reached.try_emplace(state.done, state);
        if (!isNew && state.peak < it->second.peak)
          it->second = std::move(state);
      }
    std::vector<State> sorted;
    for (auto &[done, state] : reached)
      sorted.push_back(std::move(state));
    llvm::stable_sort(sorted, [](const State &a, const State &b) {
      return std::pair(a.peak, a.live) < std::pair(b.peak, b.live);
    });
    level.clear();
    for (size_t i = 0; i < std::min(width, sorted.size()); ++i) {
      level.push_back(states.size());
      states.push_back(std::move(sorted[i]));
    }
  }
  return orderTo(level.front());
}

} // namespace

uint64_t mfc::peakBytes(const TaskGraph &graph, const TaskOrder &order) {
  OrderSearch search(graph);
  State state = search.start();
  for (unsigned task : order)
    state = search.next(state, task);
  return state.peak;
}

OrderSearchResult mfc::searchOrder(const TaskGraph &graph, size_t states, size_t beam) {
  TaskOrder given(graph.tasks.size());
  std::iota(given.begin(), given.end(), 0u);
  OrderSearch search(graph);
  std::optional<TaskOrder> exact = search.exact(states);
  TaskOrder found = exact ? std::move(*exact) : search.beam(beam);
  if (peakBytes(graph, found) >= peakBytes(graph, given))
    found = std::move(given);
  return {std::move(found), exact.has_value()};
}
