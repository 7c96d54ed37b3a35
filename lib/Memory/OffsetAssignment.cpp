// Greedy placement of blocks in several orders. Each order places one block after the other in a gap between the
// blocks that are alive with it; what differs is the order and which gap is taken. What that leaves above the lower
// bound is searched (OffsetSearch.h).
#include "mfc/Memory/OffsetSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

using namespace mfc;

/// Repairs tried on the best orders. Each costs one placement of all blocks, about count^2 steps: bounded so that
/// 400 blocks take about a second and models (up to 100) milliseconds.
static unsigned repairRounds(size_t count) {
  return static_cast<unsigned>(std::clamp<size_t>(200'000'000 / (count * count + 1), 200, 2000));
}

namespace {

enum class Fit { Best, First };

using Order = std::vector<size_t>; ///< indices of blocks

/// The gap for a block among the blocks alive with it, which are given as sorted [begin, end) ranges.
uint64_t chooseGap(const Block &block, llvm::ArrayRef<std::pair<uint64_t, uint64_t>> taken, Fit fit) {
  uint64_t cursor = 0, best = 0, bestSlack = UINT64_MAX;
  for (auto [begin, end] : taken) {
    uint64_t offset = llvm::alignTo(cursor, block.align);
    if (offset + block.bytes <= begin) {
      if (fit == Fit::First)
        return offset;
      uint64_t slack = begin - offset - block.bytes;
      if (slack < bestSlack) {
        bestSlack = slack;
        best = offset;
      }
    }
    cursor = std::max(cursor, end);
  }
  return bestSlack != UINT64_MAX ? best : llvm::alignTo(cursor, block.align);
}

Assignment placeInOrder(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<size_t> order, Fit fit) {
  Assignment result;
  result.offsets.assign(blocks.size(), 0);
  std::vector<std::pair<uint64_t, size_t>> placed; // offset, block: sorted
  std::vector<std::pair<uint64_t, uint64_t>> taken;
  for (size_t index : order) {
    const Block &block = blocks[index];
    if (block.bytes == 0)
      continue;
    taken.clear();
    for (auto [offset, other] : placed)
      if (block.overlaps(blocks[other]))
        taken.emplace_back(offset, offset + blocks[other].bytes);
    uint64_t offset = chooseGap(block, taken, fit);
    result.offsets[index] = offset;
    result.total = std::max(result.total, offset + block.bytes);
    std::pair<uint64_t, size_t> entry(offset, index);
    placed.insert(llvm::upper_bound(placed, entry), entry);
  }
  return result;
}

/// Bottom up: always the block that can lie lowest on what is placed already, equal ones in the given order.
Order skylineOrder(llvm::ArrayRef<Block> blocks, Order left) {
  std::vector<uint64_t> floor(blocks.size()); // lowest offset above everything placed that is alive with it
  Order order;
  while (!left.empty()) {
    auto lowest = std::min_element(left.begin(), left.end(), [&](size_t a, size_t b) { return floor[a] < floor[b]; });
    size_t chosen = *lowest;
    left.erase(lowest);
    order.push_back(chosen);
    for (size_t other : left)
      if (blocks[other].overlaps(blocks[chosen]))
        floor[other] = std::max(floor[other], floor[chosen] + blocks[chosen].bytes);
  }
  return order;
}

/// The orders to try: descending by key, equal keys by index; and the skyline orders with these as tie-breakers.
std::vector<Order> startOrders(llvm::ArrayRef<Block> blocks) {
  auto length = [](const Block &b) { return uint64_t(b.last) - b.first + 1; };
  using Key = std::tuple<uint64_t, uint64_t>;
  std::function<Key(const Block &)> keys[] = {
      [&](const Block &b) { return Key(b.bytes, length(b)); },
      [&](const Block &b) { return Key(length(b), b.bytes); },
      [&](const Block &b) { return Key(b.bytes * length(b), b.bytes); },
      [&](const Block &b) { return Key(UINT64_MAX - b.first, b.bytes); },
      [&](const Block &b) { return Key(b.last, b.bytes); },
  };
  std::vector<Order> orders;
  for (const auto &key : keys) {
    Order order(blocks.size());
    std::iota(order.begin(), order.end(), size_t(0));
    llvm::stable_sort(order, [&](size_t a, size_t b) { return key(blocks[a]) > key(blocks[b]); });
    orders.push_back(skylineOrder(blocks, order));
    orders.push_back(std::move(order));
  }
  return orders;
}

struct Attempt {
  Order order;
  Fit fit = Fit::Best;
  Assignment assignment;
};

/// Places a block that reaches the top before all others, or a little earlier, and keeps what is not worse. Which
/// block and how far follows from the round, so that rounds differ without chance.
void repair(llvm::ArrayRef<Block> blocks, uint64_t bound, Attempt &best) {
  const unsigned rounds = repairRounds(blocks.size());
  for (unsigned round = 0; round < rounds && best.assignment.total > bound; ++round) {
    std::vector<size_t> top; // positions in the order
    for (size_t i = 0; i < best.order.size(); ++i)
      if (best.assignment.offsets[best.order[i]] + blocks[best.order[i]].bytes == best.assignment.total)
        top.push_back(i);
    size_t from = top[round % top.size()];
    size_t to = round % 3 == 0 ? 0 : from * (round % 7) / 8;
    Order order = best.order;
    std::rotate(order.begin() + to, order.begin() + from, order.begin() + from + 1);
    Assignment assignment = placeInOrder(blocks, order, best.fit);
    if (assignment.total <= best.assignment.total)
      best = {std::move(order), best.fit, std::move(assignment)};
  }
}

/// What no assignment can beat when alignment counts: at every step all blocks but the highest end at an aligned
/// offset. Only for knowing when to stop; the reported bound is the plain sum of bytes.
uint64_t alignedBound(llvm::ArrayRef<Block> blocks) {
  uint64_t align = UINT64_MAX, bound = 0;
  for (const Block &block : blocks)
    align = std::min(align, block.align);
  for (const Block &start : blocks) { // the most is alive where some block begins
    uint64_t sum = 0, largestRest = 0;
    for (const Block &block : blocks)
      if (block.bytes != 0 && block.first <= start.first && start.first <= block.last) {
        uint64_t rounded = llvm::alignTo(block.bytes, align);
        sum += rounded;
        largestRest = std::max(largestRest, rounded - block.bytes);
      }
    bound = std::max(bound, sum - largestRest);
  }
  return bound;
}

} // namespace

uint64_t mfc::liveLowerBound(llvm::ArrayRef<Block> blocks) {
  std::map<unsigned, int64_t> change; // by step
  for (const Block &block : blocks) {
    change[block.first] += static_cast<int64_t>(block.bytes);
    change[block.last + 1] -= static_cast<int64_t>(block.bytes);
  }
  int64_t live = 0, most = 0;
  for (auto [step, delta] : change)
    most = std::max(most, live += delta);
  return static_cast<uint64_t>(most);
}

/// The greedy placements and their repairs; stops at a total that is small enough.
static Assignment greedyAssignment(llvm::ArrayRef<Block> blocks, uint64_t enough) {
  std::vector<Attempt> attempts;
  for (const Order &order : startOrders(blocks))
    for (Fit fit : {Fit::Best, Fit::First})
      attempts.push_back({order, fit, placeInOrder(blocks, order, fit)});
  llvm::stable_sort(attempts, [](const Attempt &a, const Attempt &b) { return a.assignment.total < b.assignment.total; });
  // The best starts often lead to different ends.
  for (size_t i = 0; i < 3 && attempts[0].assignment.total > enough; ++i) {
    repair(blocks, enough, attempts[i]);
    if (attempts[i].assignment.total < attempts[0].assignment.total)
      std::swap(attempts[0], attempts[i]);
  }
  return std::move(attempts[0].assignment);
}

/// One limit, many variants. Measured on the instances of MiniMalloc: the plain orders answer within some ten thousand
/// nodes or hardly ever, perturbed ones within three thousand, and one instance only after four million of its order, which
/// is tried last.
static SearchAnswer searchVariants(llvm::ArrayRef<Block> blocks, uint64_t limit, uint64_t nodes) {
  const uint64_t plain = std::max<uint64_t>(nodes / 160, 3000), perturbed = 3000, shortOnes = nodes - nodes / 2;
  constexpr unsigned kDeepVariant = 12; // by area in steps of time
  SearchAnswer answer;
  uint64_t spent = 0;
  auto search = [&](unsigned variant, uint64_t share) {
    answer = searchOffsets(blocks, limit, variant, share);
    spent += answer.nodes;
    return answer.end == SearchEnd::Gaveup;
  };
  bool open = nodes != 0;
  for (unsigned variant = 0; open && spent < shortOnes; ++variant)
    open = search(variant, std::min(variant < kPlainVariants ? plain : perturbed, shortOnes - spent));
  if (open && spent < nodes)
    search(kDeepVariant, nodes - spent);
  answer.nodes = spent;
  return answer;
}

/// Searches at the bound first: that is where most instances have their answer, and where the search is narrowest. A
/// limit that is too hard is followed by one half-way to what is known.
static void searchBelow(llvm::ArrayRef<Block> blocks, const AssignmentEffort &effort, Assignment &best) {
  uint64_t nodes = effort.nodes;
  uint64_t tooHard = 0; // limits up to here were given up
  while (best.total > std::max(best.bound, effort.goal) && nodes != 0) {
    uint64_t limit = std::max(best.bound, effort.goal);
    if (tooHard >= limit)
      limit = tooHard + (best.total - tooHard) / 2;
    if (limit <= tooHard || limit >= best.total)
      return;
    SearchAnswer answer = searchVariants(blocks, limit, limit == effort.goal ? nodes : (nodes + 1) / 2);
    nodes -= std::min(nodes, std::max<uint64_t>(answer.nodes, 1));
    if (answer.end == SearchEnd::Impossible)
      best.bound = std::min(answer.nextTotal, best.total);
    else if (answer.end == SearchEnd::Gaveup)
      tooHard = limit;
    else {
      best.offsets = std::move(answer.offsets);
      best.total = 0;
      for (size_t i = 0; i < blocks.size(); ++i)
        best.total = std::max(best.total, best.offsets[i] + blocks[i].bytes);
    }
  }
}

Assignment mfc::assignOffsets(llvm::ArrayRef<Block> all, const AssignmentEffort &effort) {
  std::vector<Block> blocks; // with a size
  llvm::copy_if(all, std::back_inserter(blocks), [](const Block &block) { return block.bytes != 0; });
  Assignment sized;
  if (!blocks.empty()) {
    AssignmentEffort bounded = effort;
    if (effort.nodes == UINT64_MAX)
      bounded.nodes = std::clamp<uint64_t>(4'000'000 / blocks.size(), 20'000, 200'000);
    uint64_t bound = alignedBound(blocks);
    sized = greedyAssignment(blocks, std::max(bound, effort.goal));
    sized.bound = bound;
    searchBelow(blocks, bounded, sized);
  }
  Assignment result = sized;
  result.offsets.clear();
  size_t next = 0;
  for (const Block &block : all)
    result.offsets.push_back(block.bytes != 0 ? sized.offsets[next++] : 0);
  return result;
}
