#include "mfc/Memory/RowSchedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>

using namespace mfc;

int64_t RowMember::end(int64_t callerStep) const {
  int64_t most = 0;
  for (const Window &window : demand)
    most = std::max(most, callerStep * window.stride - window.before + window.span());
  return std::clamp<int64_t>(most, 0, rows.steps);
}

const RingUse *RowSchedule::ring(const Value *value) const {
  auto it = llvm::find_if(rings, [&](const RingUse &use) { return use.value == value; });
  return it == rings.end() ? nullptr : &*it;
}

namespace {

/// One of them may be a view of the other.
bool sharesMemory(const Value *a, const Value *b) {
  return viewSource(const_cast<Value *>(a)) == viewSource(const_cast<Value *>(b));
}

/// One result and who reads it inside the group.
struct Reader {
  size_t kernel;
  const RowAccess *access;
};

/// Runs the group with counters. Faults of the choice of callers show as a read of rows that are not there.
class Simulation {
public:
  Simulation(const std::vector<Kernel> &kernels, std::vector<RowMember> &members,
             const std::vector<std::vector<Reader>> &readers, std::vector<const Value *> sources)
      : kernels(kernels), members(members), readers(readers), sources(std::move(sources)),
        done(kernels.size(), 0), most(kernels.size(), 0), passing(kernels.size(), true), called(kernels.size()),
        distance(kernels.size(), std::vector<int64_t>(this->sources.size(), 0)) {
    for (size_t k = 0; k < kernels.size(); ++k)
      if (members[k].caller)
        called[*members[k].caller].push_back(k);
  }

  bool run() {
    size_t last = kernels.size() - 1;
    for (int64_t s = 0; s < members[last].rows.steps; ++s)
      if (!step(last, s))
        return false;
    return true;
  }

  int64_t stepsOf(size_t k) const { return done[k]; }
  int64_t rowsOf(size_t k) const { return most[k]; }
  bool isPassing(size_t k) const { return passing[k]; }
  uint64_t ringBytes() const {
    uint64_t sum = 0;
    for (size_t k = 0; k + 1 < kernels.size(); ++k)
      sum += static_cast<uint64_t>(most[k]) * (kernels[k].output->type.bytes() / static_cast<uint64_t>(members[k].rows.steps));
    return sum;
  }
  uint64_t distanceOf(size_t k, size_t source) const { return static_cast<uint64_t>(distance[k][source]); }

private:
  const std::vector<Kernel> &kernels;
  std::vector<RowMember> &members;
  const std::vector<std::vector<Reader>> &readers;
  std::vector<const Value *> sources; ///< tensors read from outside
  std::vector<int64_t> done;  ///< finished steps
  std::vector<int64_t> most;  ///< rows of the result alive at once
  std::vector<bool> passing;
  std::vector<std::vector<size_t>> called;
  std::vector<std::vector<int64_t>> distance; ///< by kernel and source

  bool step(size_t k, int64_t s) {
    for (size_t c : called[k])
      while (done[c] < members[c].end(s))
        if (!step(c, done[c]))
          return false;
    if (!inputsAreThere(k, s))
      return false;
    note(k, s);
    done[k] = s + 1;
    return true;
  }

  bool inputsAreThere(size_t k, int64_t s) const {
    for (size_t producer = 0; producer < k; ++producer)
      for (const Reader &reader : readers[producer])
        if (reader.kernel == k && reader.access->stepRows(s).end > rowsDone(producer))
          return false;
    return true;
  }

  int64_t rowsDone(size_t k) const {
    if (!members[k].rows.accumulates)
      return done[k];
    return done[k] == members[k].rows.steps ? std::numeric_limits<int64_t>::max() : 0;
  }

  /// First row of a result that a step to come, or the one that runs, still reads.
  int64_t firstNeeded(size_t producer) const {
    int64_t first = std::numeric_limits<int64_t>::max();
    for (const Reader &reader : readers[producer])
      first = std::min(first, firstRead(reader.kernel, *reader.access));
    return first;
  }

  int64_t firstRead(size_t k, const RowAccess &access) const {
    if (done[k] >= members[k].rows.steps)
      return std::numeric_limits<int64_t>::max();
    return access.whole ? 0 : access.stepRows(done[k]).begin;
  }

  /// Kernel k writes row s of its result now.
  void note(size_t k, int64_t s) {
    most[k] = std::max(most[k], s + 1 - std::min(firstNeeded(k), s));
    for (size_t p = 0; p < kernels.size(); ++p) {
      size_t lastReader = p;
      for (const Reader &reader : readers[p])
        lastReader = std::max(lastReader, reader.kernel);
      if ((k < p || k > lastReader) && done[p] > firstNeeded(p))
        passing[p] = false;
    }
    const Value *output = kernels[k].output;
    const KernelRows &rows = members[k].rows;
    if (rows.accumulates && s + 1 < rows.steps)
      return;
    int64_t bytes = static_cast<int64_t>(output->type.bytes());
    int64_t end = rows.accumulates ? bytes : (s + 1) * (bytes / rows.steps);
    for (size_t i = 0; i < sources.size(); ++i)
      if (std::optional<int64_t> first = firstByteNeeded(sources[i]))
        distance[k][i] = std::max(distance[k][i], end - *first);
  }

  /// Of a tensor from outside, whatever shapes it is read in; nothing if all are done with it.
  std::optional<int64_t> firstByteNeeded(const Value *source) const {
    std::optional<int64_t> first;
    for (size_t reader = 0; reader < kernels.size(); ++reader)
      for (const RowAccess &access : members[reader].rows.inputs) {
        int64_t row = firstRead(reader, access);
        if (!sharesMemory(access.value, source) || row == std::numeric_limits<int64_t>::max())
          continue;
        int64_t byte = row * static_cast<int64_t>(access.rowBytes());
        first = std::min(first.value_or(byte), byte);
      }
    return first;
  }
};

class Scheduler {
public:
  Scheduler(const std::vector<Kernel> &kernels, llvm::ArrayRef<const Value *> kept, std::string &why)
      : kernels(kernels), kept(kept), why(why), readers(kernels.size()) {}

  std::optional<RowSchedule> run() {
    for (const Kernel &kernel : kernels) {
      std::optional<KernelRows> rows = kernelRows(kernel, why);
      if (!rows) {
        why = kernel.name + ": " + why;
        return std::nullopt;
      }
      result.members.push_back({std::move(*rows), std::nullopt, {}, 0});
    }
    if (!findReaders())
      return std::nullopt;
    return chooseCallers();
  }

private:
  static constexpr unsigned kMostTrials = 64; ///< choices of callers

  const std::vector<Kernel> &kernels;
  llvm::ArrayRef<const Value *> kept;
  std::string &why;
  RowSchedule result;
  std::vector<std::vector<Reader>> readers; ///< by the kernel that writes
  std::vector<const Value *> sources;

  std::nullopt_t refuse(const llvm::Twine &reason) {
    why = reason.str();
    return std::nullopt;
  }

  bool findReaders() {
    llvm::DenseMap<const Value *, size_t> writer;
    for (size_t k = 0; k < kernels.size(); ++k) {
      for (const RowAccess &access : result.members[k].rows.inputs) {
        auto it = writer.find(access.value);
        if (it == writer.end()) {
          addSource(access);
          continue;
        }
        if (access.whole || access.planar)
          return refuse(kernels[k].name + " reads the result of " + kernels[it->second].name + " not by rows"), false;
        readers[it->second].push_back({k, &access});
      }
      writer[kernels[k].output] = k;
    }
    for (size_t k = 0; k + 1 < kernels.size(); ++k)
      if (readers[k].empty())
        return refuse("nothing in the group reads the result of " + kernels[k].name), false;
    return true;
  }

  void addSource(const RowAccess &access) {
    if (!llvm::is_contained(sources, access.value))
      sources.push_back(access.value);
  }

  /// Who may call a kernel, and how far it then has to be.
  struct Caller {
    size_t kernel;
    llvm::SmallVector<Window, 2> demand;
  };

  /// Its readers; and kernels that read the same result of the group, step by step with it: then that result need not be
  /// kept until the reader comes (a shortcut beside a longer branch).
  std::vector<Caller> callersOf(size_t k) const {
    std::vector<Caller> list;
    for (const Reader &reader : readers[k])
      list.push_back({reader.kernel, reader.access->windows});
    for (size_t other = 0; other < kernels.size(); ++other)
      if (other != k && readsSame(other, k) && result.members[other].rows.steps == result.members[k].rows.steps &&
          llvm::none_of(list, [&](const Caller &caller) { return caller.kernel == other; }) && !leadsTo(k, other))
        list.push_back({other, {Window{}}});
    return list;
  }

  bool readsSame(size_t a, size_t b) const {
    return llvm::any_of(readers, [&](const std::vector<Reader> &of) {
      auto reads = [&](size_t k) { return llvm::any_of(of, [&](const Reader &reader) { return reader.kernel == k; }); };
      return reads(a) && reads(b);
    });
  }

  /// Kernel `to` is called, over any number of steps, because of `from`: then it cannot call it.
  bool leadsTo(size_t to, size_t from) const {
    for (const Reader &reader : readers[from])
      if (reader.kernel == to || leadsTo(to, reader.kernel))
        return true;
    return false;
  }

  /// Few kernels have more than one possible caller: combinations are tried, and the one with the smallest rings is taken.
  std::optional<RowSchedule> chooseCallers() {
    std::vector<std::vector<Caller>> callers;
    uint64_t trials = 1;
    for (size_t k = 0; k + 1 < kernels.size(); ++k) {
      callers.push_back(callersOf(k));
      trials = std::min<uint64_t>(trials * callers[k].size(), kMostTrials);
    }
    std::optional<uint64_t> best;
    uint64_t fewest = UINT64_MAX;
    for (uint64_t trial = 0; trial < trials; ++trial) {
      setCallers(callers, trial);
      Simulation simulation(kernels, result.members, readers, sources);
      if (!simulation.run() || simulation.ringBytes() >= fewest)
        continue;
      best = trial;
      fewest = simulation.ringBytes();
    }
    if (!best)
      return refuse("no kernel that reads a branch is always ahead of the others");
    setCallers(callers, *best);
    Simulation simulation(kernels, result.members, readers, sources);
    simulation.run();
    return finish(simulation);
  }

  void setCallers(llvm::ArrayRef<std::vector<Caller>> callers, uint64_t trial) {
    for (size_t k = 0; k < callers.size(); ++k) {
      const Caller &caller = callers[k][trial % callers[k].size()];
      trial /= callers[k].size();
      result.members[k].caller = caller.kernel;
      result.members[k].demand = caller.demand;
    }
  }

  bool isWhole(size_t k) const {
    return k + 1 == kernels.size() || llvm::is_contained(kept, kernels[k].output);
  }

  std::optional<RowSchedule> finish(const Simulation &simulation) {
    for (size_t k = 0; k < kernels.size(); ++k) {
      RowMember &member = result.members[k];
      member.steps = simulation.stepsOf(k);
      bool complete = member.steps == member.rows.steps;
      if (isWhole(k)) {
        if (!complete)
          return refuse(kernels[k].name + " would not make all rows of its result");
        for (size_t i = 0; i < sources.size(); ++i)
          result.overlaps.push_back({sources[i], kernels[k].output, simulation.distanceOf(k, i)});
        continue;
      }
      if (member.rows.accumulates)
        return refuse("the mean over all rows that " + kernels[k].name + " computes ends the group");
      result.rings.push_back({kernels[k].output, static_cast<unsigned>(simulation.rowsOf(k)), simulation.isPassing(k)});
    }
    return std::move(result);
  }
};

/// A 1x1 convolution over all pixels: pixel p is written when the pixels before p + kPixelsAtOnce are read.
bool walksPixels(const Kernel &kernel, const KernelRows &rows) {
  if (kernel.anchor->kind() != OpKind::Conv2D)
    return false;
  const auto &attrs = kernel.anchor->attrs<ConvAttrs>();
  const TensorType &weights = kernel.anchor->operand(1)->type;
  bool padded = llvm::any_of(attrs.pad, [](int64_t pad) { return pad != 0; });
  return weights.dim(1) == 1 && weights.dim(2) == 1 && !padded && attrs.stride[0] == 1 && attrs.stride[1] == 1 &&
         rows.input(kernel.anchor->operand(0));
}

} // namespace

std::optional<RowSchedule> mfc::scheduleRows(const std::vector<Kernel> &kernels, llvm::ArrayRef<const Value *> kept,
                                             std::string &why) {
  return Scheduler(kernels, kept, why).run();
}

RowSchedule mfc::scheduleGroup(const Group &group, const Plan &plan) {
  std::vector<const Value *> kept;
  for (const Kernel &kernel : group.kernels)
    if (const Placement *place = plan.placementOf(kernel.output); !place || place->kind != PlacementKind::Ring)
      kept.push_back(kernel.output);
  std::string why;
  std::optional<RowSchedule> schedule = scheduleRows(group.kernels, kept, why);
  assert(schedule && "a group was made from a schedule");
  return std::move(*schedule);
}

std::vector<RowOverlap> mfc::wholeOverlaps(const Kernel &kernel) {
  if (kernel.schedule.planar) // many rows of some channels, then of the next ones
    return {};
  std::string why;
  std::vector<Kernel> alone{kernel};
  std::optional<RowSchedule> schedule = scheduleRows(alone, {}, why);
  if (!schedule)
    return {};
  const KernelRows &rows = schedule->members[0].rows;
  if (rows.accumulates) // without rows, channel after channel
    return {};
  if (!walksPixels(kernel, rows))
    return std::move(schedule->overlaps);
  std::vector<RowOverlap> overlaps;
  const TensorType &out = kernel.output->type;
  int64_t pixels = out.dim(1) * out.dim(2), outBytes = static_cast<int64_t>(out.bytes()) / pixels;
  auto distanceOf = [&](const RowAccess &access) {
    const TensorType &in = access.value->type;
    if (access.whole || in.count() % pixels != 0 || in.dim(1) != out.dim(1) || in.dim(2) != out.dim(2))
      return out.bytes();
    int64_t inBytes = static_cast<int64_t>(in.bytes()) / pixels;
    int64_t atStart = std::min(kPixelsAtOnce, pixels) * outBytes;
    int64_t atEnd = pixels * outBytes - std::max<int64_t>(pixels - kPixelsAtOnce, 0) * inBytes;
    return static_cast<uint64_t>(std::max({atStart, atEnd, int64_t(0)}));
  };
  for (const RowAccess &access : rows.inputs) {
    uint64_t distance = 0;
    for (const RowAccess &other : rows.inputs)
      if (sharesMemory(access.value, other.value))
        distance = std::max(distance, distanceOf(other));
    overlaps.push_back({access.value, kernel.output, distance});
  }
  return overlaps;
}
