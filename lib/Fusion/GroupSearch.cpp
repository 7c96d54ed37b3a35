#include "mfc/Fusion/GroupSearch.h"

#include "GroupRemarks.h"
#include "mfc/Memory/Planner.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;

namespace {

/// The best way up to some cut, as the last piece and the way before it.
struct Way {
  uint64_t sram = 0, code = 0;
  double cycles = 0;
  const Piece *last = nullptr;
  size_t before = 0; ///< index among the ways to the cut in front of the piece

  bool beats(const Way &other) const {
    return sram <= other.sram && cycles <= other.cycles && code <= other.code;
  }
};

class Search {
public:
  Search(const Graph &graph, const Plan &plan, llvm::ArrayRef<Kernel> members, llvm::ArrayRef<KernelCost> costs,
         const SearchOptions &options, RemarkList *remarks)
      : graph(graph), plan(plan), members(members), costs(costs), options(options), remarks(remarks), count(plan.kernels().size()),
        pieces(count), ways(count + 1) {}

  GroupChoice run() {
    for (size_t first = 0; first < count; ++first)
      findPieces(first);
    ways[0].push_back({});
    for (size_t cut = 0; cut < count; ++cut)
      extend(cut);
    return choose();
  }

private:
  static constexpr size_t kMostWays = 48;   ///< kept at a cut
  static constexpr size_t kMostPlanned = 12; ///< whole plans of which the memory is really planned

  const Graph &graph;
  const Plan &plan;
  llvm::ArrayRef<Kernel> members;
  llvm::ArrayRef<KernelCost> costs;
  const SearchOptions &options;
  RemarkList *remarks;
  size_t count;
  std::vector<std::vector<Piece>> pieces; ///< by first kernel
  std::vector<std::vector<Way>> ways;     ///< by cut

  void findPieces(size_t first) {
    pieces[first].push_back(measure({first, first + 1}));
    std::string why;
    for (size_t end = first + 2; end <= std::min(count, first + options.longestGroup); ++end)
      if (costs[end - 1].rowCycles && costs[first].rowCycles && scheduleRange(graph, plan, {first, end}, why))
        pieces[first].push_back(measure({first, end}));
    llvm::erase_if(pieces[first], [&](const Piece &piece) { return growth(piece, costs) > options.mostGrowth; });
  }

  Piece measure(KernelRange range) {
    Piece piece{range, memoryOf(range), 0, 0};
    for (size_t k = range.first; k < range.end; ++k) {
      bool alone = range.size() == 1;
      piece.cycles += alone ? costs[k].wholeCycles : costs[k].rowCycles.value_or(costs[k].wholeCycles);
      piece.code += alone ? costs[k].wholeBytes : costs[k].rowBytes;
    }
    return piece;
  }

  /// Bytes of what is alive in the steps of the range, packed.
  uint64_t memoryOf(KernelRange range) const {
    Plan grouped = withGroups(graph, plan, members, range);
    Lifetimes all = computeLifetimes(graph, grouped, options.memory);
    auto from = static_cast<unsigned>(range.first + 1), to = static_cast<unsigned>(range.end);
    if (range.first == 0)
      from = 0; // inputs
    if (range.end == count)
      ++to;
    Lifetimes part;
    part.steps = all.steps;
    std::vector<size_t> number(all.buffers.size(), SIZE_MAX);
    for (size_t i = 0; i < all.buffers.size(); ++i) {
      Buffer buffer = all.buffers[i];
      if (buffer.first > to || buffer.last < from)
        continue;
      number[i] = part.buffers.size();
      buffer.first = std::max(buffer.first, from), buffer.last = std::min(buffer.last, to);
      part.buffers.push_back(buffer);
    }
    for (const BufferOverlap &overlap : all.overlaps)
      if (number[overlap.input] != SIZE_MAX && number[overlap.output] != SIZE_MAX)
        part.overlaps.push_back({number[overlap.input], number[overlap.output], overlap.distance, overlap.samePlace});
    return packedBytes(part);
  }

  void extend(size_t cut) {
    for (const Piece &piece : pieces[cut])
      for (size_t i = 0; i < ways[cut].size(); ++i) {
        const Way &before = ways[cut][i];
        add(ways[piece.range.end], {std::max(before.sram, piece.sram), before.code + piece.code,
                                    before.cycles + piece.cycles, &piece, i});
      }
  }

  static void add(std::vector<Way> &list, const Way &way) {
    if (llvm::any_of(list, [&](const Way &other) { return other.beats(way); }))
      return;
    llvm::erase_if(list, [&](const Way &other) { return way.beats(other); });
    list.push_back(way);
    if (list.size() <= kMostWays)
      return;
    // The fastest of each of many sizes: drop the one that is closest to its neighbour.
    llvm::sort(list, [](const Way &a, const Way &b) { return std::tie(a.sram, a.cycles) < std::tie(b.sram, b.cycles); });
    size_t worst = 1;
    for (size_t i = 1; i + 1 < list.size(); ++i)
      if (list[i + 1].sram - list[i - 1].sram < list[worst + 1].sram - list[worst - 1].sram)
        worst = i;
    list.erase(list.begin() + static_cast<ptrdiff_t>(worst));
  }

  std::vector<KernelRange> rangesOf(const Way &way) const {
    std::vector<KernelRange> ranges;
    for (const Way *at = &way; at->last; at = &ways[at->last->range.first][at->before])
      if (at->last->range.size() > 1)
        ranges.push_back(at->last->range);
    std::reverse(ranges.begin(), ranges.end());
    return ranges;
  }

  uint64_t plannedBytes(llvm::ArrayRef<KernelRange> ranges) const {
    return packedBytes(computeLifetimes(graph, withGroups(graph, plan, members, ranges), options.memory));
  }

  /// Smaller is better, in this order.
  using Rank = std::array<double, 3>;
  Rank rank(uint64_t sram, double cycles, uint64_t code, const GroupChoice &whole) const {
    auto memory = static_cast<double>(sram), bytes = static_cast<double>(code);
    double growth = whole.modelledCycles > 0 ? cycles / whole.modelledCycles : 1; // the host has no cycle model
    double excess = options.sramLimit && sram > *options.sramLimit ? memory - static_cast<double>(*options.sramLimit) : 0;
    double late = options.cycleLimit ? cycles - *options.cycleLimit : growth - options.mostCycles;
    switch (options.objective) {
    case Objective::Cycles:
      return {excess, cycles, memory};
    case Objective::Sram:
      return {std::max(0.0, late), memory, cycles};
    case Objective::Flash:
      return {excess, bytes, cycles};
    case Objective::Balanced:
      return {excess, memory / static_cast<double>(whole.sramBytes) * growth, cycles};
    }
    llvm_unreachable("all objectives are listed");
  }

  GroupChoice choose() {
    GroupChoice whole;
    for (const KernelCost &cost : costs)
      whole.modelledCycles += cost.wholeCycles;
    whole.sramBytes = plannedBytes({});
    std::vector<Way> list = ways[count];
    llvm::stable_sort(list, [&](const Way &a, const Way &b) {
      return rank(a.sram, a.cycles, a.code, whole) < rank(b.sram, b.cycles, b.code, whole);
    });
    uint64_t wholeCode = 0;
    for (const KernelCost &cost : costs)
      wholeCode += cost.wholeBytes;
    GroupChoice best = whole;
    Rank bestRank = rank(whole.sramBytes, whole.modelledCycles, wholeCode, whole);
    for (const Way &way : llvm::ArrayRef(list).take_front(kMostPlanned)) {
      GroupChoice choice{rangesOf(way), 0, way.cycles};
      choice.sramBytes = plannedBytes(choice.groups);
      Rank now = rank(choice.sramBytes, way.cycles, way.code, whole);
      if (now < bestRank)
        best = std::move(choice), bestRank = now;
    }
    if (remarks)
      remarkOnGroups(graph, plan, costs, pieces, options, whole, best, *remarks);
    return best;
  }
};

} // namespace

GroupChoice mfc::searchGroups(const Graph &graph, const Plan &plan, llvm::ArrayRef<Kernel> members,
                              llvm::ArrayRef<KernelCost> costs, const SearchOptions &options, RemarkList *remarks) {
  return Search(graph, plan, members, costs, options, remarks).run();
}
