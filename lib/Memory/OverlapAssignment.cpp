#include "mfc/Memory/OverlapAssignment.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace mfc;

namespace {

/// For a block that is placed: what an alive neighbour at offset 0 forbids for its offset, both ends excluded.
struct Neighbour {
  size_t block;
  int64_t after, before; ///< forbidden: after < offset - neighbour's offset < before
  bool samePlace = false; ///< 0 is not forbidden
};

/// Sizes are rounded up to one alignment, so that top and bottom are alike.
class Placer {
public:
  Placer(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps) : count(blocks.size()) {
    align = 1;
    for (const Block &block : blocks)
      align = std::max(align, static_cast<int64_t>(block.align));
    for (const Block &block : blocks) {
      tops.push_back(static_cast<int64_t>(block.bytes));
      bytes.push_back((tops.back() + align - 1) / align * align);
    }
    neighbours.resize(count);
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < count; ++b)
        if (a != b && blocks[a].overlaps(blocks[b]))
          neighbours[a].push_back({b, -bytes[a], bytes[b]});
    for (const AllowedOverlap &overlap : overlaps)
      allow(overlap);
  }

  /// Smallest feasible offset for each block in turn. `fromTop`: in the mirror image.
  int64_t place(llvm::ArrayRef<size_t> order, bool fromTop, std::vector<int64_t> &offsets) const {
    offsets.assign(count, -1);
    int64_t total = 0;
    std::vector<std::pair<int64_t, int64_t>> forbidden;
    for (size_t block : order) {
      forbidden.clear();
      for (const Neighbour &n : neighbours[block]) {
        if (offsets[n.block] < 0)
          continue;
        int64_t low = n.after, high = n.before;
        if (fromTop) // offset' = -offset - bytes
          std::tie(low, high) = std::pair(bytes[n.block] - bytes[block] - high, bytes[n.block] - bytes[block] - low);
        int64_t at = offsets[n.block];
        int64_t same = fromTop ? at + bytes[n.block] - bytes[block] : at;
        if (n.samePlace && at + low < same && same < at + high) {
          forbidden.push_back({at + low, same});
          low = same - at;
        }
        forbidden.push_back({at + low, at + high});
      }
      llvm::sort(forbidden);
      int64_t offset = 0;
      for (auto [low, high] : forbidden)
        if (low < offset && offset < high)
          offset = (high + align - 1) / align * align;
      offsets[block] = offset;
      total = std::max(total, offset + bytes[block]);
    }
    if (fromTop)
      for (size_t i = 0; i < count; ++i)
        offsets[i] = total - offsets[i] - bytes[i];
    return total;
  }

  /// End of the highest block, without the rounding.
  int64_t top(llvm::ArrayRef<int64_t> offsets) const {
    int64_t most = 0;
    for (size_t i = 0; i < count; ++i)
      most = std::max(most, offsets[i] + tops[i]);
    return most;
  }

private:
  size_t count;
  int64_t align;
  std::vector<int64_t> bytes, tops;
  std::vector<std::vector<Neighbour>> neighbours;

  void allow(const AllowedOverlap &overlap) {
    int64_t distance = (overlap.distance + align - 1) / align * align;
    for (Neighbour &n : neighbours[overlap.over]) // may be at -distance and below
      if (n.block == overlap.under)
        n.after = std::max(n.after, -distance), n.samePlace |= overlap.samePlace;
    for (Neighbour &n : neighbours[overlap.under]) // may be at distance and above
      if (n.block == overlap.over)
        n.before = std::min(n.before, distance), n.samePlace |= overlap.samePlace;
  }
};

class OverlapSearch {
public:
  OverlapSearch(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps)
      : blocks(blocks), placer(blocks, overlaps), bound(overlappingLowerBound(blocks, overlaps)) {}

  Assignment run(bool thorough) {
    best.total = UINT64_MAX;
    if (thorough) // overlaps mostly beat it
      best = assignOffsets(blocks, {.nodes = 0});
    best.bound = bound;
    std::vector<size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), 0);
    auto length = [&](size_t i) { return uint64_t(blocks[i].last - blocks[i].first + 1); };
    auto by = [&](auto key) {
      llvm::stable_sort(order, [&](size_t a, size_t b) { return key(a) < key(b); });
      improve(order);
    };
    by([&](size_t i) { return std::pair(uint64_t(blocks[i].first), ~blocks[i].bytes); });
    by([&](size_t i) { return std::pair(~uint64_t(blocks[i].last), ~blocks[i].bytes); });
    by([&](size_t i) { return std::pair(~blocks[i].bytes, uint64_t(blocks[i].first)); });
    by([&](size_t i) { return std::pair(~(blocks[i].bytes * length(i)), uint64_t(blocks[i].first)); });
    by([&](size_t i) { return std::pair(~length(i), ~blocks[i].bytes); });
    return std::move(best);
  }

private:
  static constexpr int kRepairs = 24;

  llvm::ArrayRef<Block> blocks;
  Placer placer;
  uint64_t bound;
  Assignment best;

  /// A block that reaches the far end is placed earlier.
  void improve(std::vector<size_t> order) {
    for (bool fromTop : {false, true}) {
      std::vector<size_t> now = order;
      for (int repair = 0; repair < kRepairs && best.total > bound; ++repair) {
        std::vector<int64_t> offsets;
        placer.place(now, fromTop, offsets);
        keep(offsets);
        size_t worst = farthest(now, offsets, fromTop);
        if (worst == 0)
          break;
        std::rotate(now.begin() + static_cast<ptrdiff_t>(worst / 2), now.begin() + static_cast<ptrdiff_t>(worst),
                    now.begin() + static_cast<ptrdiff_t>(worst) + 1);
      }
    }
  }

  void keep(llvm::ArrayRef<int64_t> offsets) {
    auto total = static_cast<uint64_t>(placer.top(offsets));
    if (total >= best.total)
      return;
    best.total = total;
    best.offsets.assign(offsets.begin(), offsets.end());
  }

  /// Its place in the order.
  size_t farthest(llvm::ArrayRef<size_t> order, llvm::ArrayRef<int64_t> offsets, bool fromTop) const {
    size_t worst = 0;
    auto reach = [&](size_t i) {
      return fromTop ? -offsets[order[i]] : offsets[order[i]] + static_cast<int64_t>(blocks[order[i]].bytes);
    };
    for (size_t i = 1; i < order.size(); ++i)
      if (reach(i) > reach(worst))
        worst = i;
    return worst;
  }
};

} // namespace

Assignment mfc::assignOverlapping(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps,
                                  const AssignmentEffort &effort) {
  if (overlaps.empty())
    return assignOffsets(blocks, effort);
  return OverlapSearch(blocks, overlaps).run(effort.nodes != 0);
}

uint64_t mfc::overlappingLowerBound(llvm::ArrayRef<Block> blocks, llvm::ArrayRef<AllowedOverlap> overlaps) {
  unsigned steps = 0;
  for (const Block &block : blocks)
    steps = std::max(steps, block.last + 1);
  std::vector<int64_t> live(steps, 0);
  for (const Block &block : blocks)
    for (unsigned step = block.first; step <= block.last; ++step)
      live[step] += static_cast<int64_t>(block.bytes);
  for (const AllowedOverlap &overlap : overlaps) {
    const Block &over = blocks[overlap.over], &under = blocks[overlap.under];
    auto a = static_cast<int64_t>(over.bytes), b = static_cast<int64_t>(under.bytes);
    int64_t shared = std::clamp<int64_t>(a - (overlap.samePlace ? 0 : overlap.distance), 0, std::min(a, b));
    for (unsigned step = std::max(over.first, under.first); step <= std::min(over.last, under.last); ++step)
      live[step] -= shared;
  }
  int64_t most = 0;
  for (int64_t bytes : live)
    most = std::max(most, bytes);
  for (const Block &block : blocks)
    most = std::max(most, static_cast<int64_t>(block.bytes));
  return static_cast<uint64_t>(most);
}
