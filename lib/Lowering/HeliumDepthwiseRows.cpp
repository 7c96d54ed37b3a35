// See the header.
#include "HeliumDepthwiseRows.h"

#include <algorithm>

using namespace mfc;

static constexpr int64_t kLanes = DepthwiseLanes::kLanes;
static constexpr int64_t kMostRows = 5;  ///< row addresses that stay in registers
static constexpr int64_t kMostTaps = 16; ///< they are straight code

namespace {
/// What a vector holds.
struct RowShape {
  explicit RowShape(const Kernel &kernel) : w(window2D(*kernel.anchor)) {
    bool column = !kernel.byRows && w.inWidth == 1 && w.outWidth == 1 && w.x.kernel == 1 && !w.x.before && !w.x.after;
    if (column) { // one pixel a row: the same memory is one row
      std::swap(w.x, w.y);
      std::swap(w.inWidth, w.inHeight);
      std::swap(w.outWidth, w.outHeight);
    }
    channels = w.outChannels;
    // The last vector of a row may go back over pixels, which must not have a place that results went over.
    if (w.x.stride == 1 && !column)
      pixels = std::clamp<int64_t>(kLanes / channels, 1, w.outWidth);
    blocks = (channels + kLanes - 1) / kLanes;
    used = std::min(kLanes, pixels * channels);
  }

  /// Where block i begins: the last one not behind the end.
  int64_t firstChannel(int64_t i) const { return std::min(i * kLanes, std::max<int64_t>(channels - kLanes, 0)); }

  WindowRows windows() const {
    int64_t lastTap = (w.x.kernel - 1) * w.x.dilation * channels;
    return {w, pixels, lastTap + std::max(channels, kLanes)};
  }

  std::vector<ByteVectors::LaneChannels> laneChannels() const {
    std::vector<ByteVectors::LaneChannels> all;
    for (int64_t i = 0; i < blocks; ++i) {
      all.emplace_back();
      for (int64_t lane = 0; lane < kLanes; ++lane)
        all.back()[static_cast<size_t>(lane)] = (firstChannel(i) + lane) % channels;
    }
    return all;
  }

  Window2D w;
  int64_t channels, pixels = 1, blocks, used; ///< blocks of channels; lanes whose results count
};

class RowsEmitter {
public:
  explicit RowsEmitter(KernelIO &io)
      : io(io), kb(io.kb), shape(io.kernel), w(shape.w),
        lanes(io, shape.laneChannels(), ByteVectors::Order::Halves),
        align(shape.channels % 4 == 0 ? 4 : 1), centre((w.x.kernel - 1) / 2 * w.x.dilation * shape.channels) {
    auto *memory = llvm::ArrayType::get(kb.b.getInt8Ty(), 2 * kLanes * lanes.groups().sizes.size());
    llvm::AllocaInst *made = kb.b.CreateAlloca(memory); // in the entry block: part of the frame
    made->setAlignment(llvm::Align(8)); // more would have the frame realigned
    groupSums = made;
  }

  void emit() {
    if (io.byRows())
      return emitRow(kb.i32(0), io.step(), kb.i32(0));
    kb.loop("batch", w.batch, [&](llvm::Value *n) {
      kb.loop("rows", w.outHeight,
              [&](llvm::Value *y) { emitRow(n, y, kb.add(kb.mulConst(n, w.outHeight), y)); });
    });
  }

private:
  /// `row`: where the pixels are in the output.
  void emitRow(llvm::Value *n, llvm::Value *y, llvm::Value *row) {
    llvm::Value *first = kb.mulConst(row, w.outWidth);
    shape.windows().emit(io, n, y, [&](llvm::ArrayRef<llvm::Value *> rows, llvm::Value *x, llvm::Value *count) {
      emitRun(rows, kb.at(io.output(), kb.mulConst(kb.add(first, x), shape.channels)), count);
    });
  }

  /// carried: addresses of the rows (of the middle tap, which keeps offsets small), and of the results.
  void emitRun(llvm::ArrayRef<llvm::Value *> rows, llvm::Value *to, llvm::Value *count) {
    Values carried;
    for (llvm::Value *row : rows)
      carried.push_back(kb.at(row, centre));
    carried.push_back(to);
    kb.loop("pixels", count, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      emitBlocks(now);
      Values next;
      for (llvm::Value *row : now.drop_back())
        next.push_back(kb.at(row, shape.pixels * w.x.stride * shape.channels));
      next.push_back(kb.at(now.back(), shape.pixels * shape.channels));
      return next;
    });
  }

  void emitBlocks(llvm::ArrayRef<llvm::Value *> at) {
    if (shape.channels % kLanes == 0 || shape.blocks == 1) {
      Values carried(at.begin(), at.end());
      carried.push_back(lanes.constants());
      kb.loop("channels", shape.blocks, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
        emitBlock(now.drop_back(), now.back());
        Values next;
        for (llvm::Value *address : now.drop_back())
          next.push_back(kb.at(address, kLanes));
        next.push_back(kb.at(now.back(), lanes.blockBytes()));
        return next;
      });
      return;
    }
    kb.loop("channels", shape.blocks, {lanes.constants()}, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) {
      llvm::Value *first = kb.smin(kb.mulConst(i, kLanes), kb.i32(shape.channels - kLanes));
      Values addresses;
      for (llvm::Value *address : at)
        addresses.push_back(kb.at(address, first));
      emitBlock(addresses, now[0]);
      return Values{kb.at(now[0], lanes.blockBytes())};
    });
  }

  void emitBlock(llvm::ArrayRef<llvm::Value *> at, llvm::Value *block) {
    std::vector<int64_t> tapAt(static_cast<size_t>(w.taps()));
    for (size_t tap = 0; tap < tapAt.size(); ++tap)
      tapAt[static_cast<size_t>(lanes.groups().slots[tap])] = static_cast<int64_t>(tap);
    size_t slot = 0;
    int64_t kept = 0;
    for (int64_t size : lanes.groups().sizes) {
      DepthwiseLanes::Sums group;
      for (int64_t i = 0; i < size; ++i, ++slot) {
        int64_t ky = tapAt[slot] / w.x.kernel, kx = tapAt[slot] % w.x.kernel;
        llvm::Value *x = kb.at(at[static_cast<size_t>(ky)], kx * w.x.dilation * shape.channels - centre);
        lanes.addTap(group, kb.loadBytes(x, align), kb.at(block, static_cast<int64_t>(slot) * kLanes));
      }
      kept = keep(group, kept);
    }
    FourVectors sums = lanes.start(block);
    for (unsigned v = 0; v < 4; ++v)
      sums[v] = addKept(sums[v], v, kept);
    lanes.store(sums, block, at.back(), static_cast<unsigned>(shape.used));
  }

  /// Sums of groups go through the stack: the four vectors of 32-bit sums and what the next taps need are more than
  /// the registers hold, and a widening load does what VMOVL would have to do.
  int64_t keep(const DepthwiseLanes::Sums &group, int64_t at) {
    for (llvm::Value *half : {group.even, group.odd}) {
      kb.b.CreateAlignedStore(half, kb.at(groupSums, at), llvm::Align(8));
      at += kLanes;
    }
    return at;
  }

  llvm::Value *addKept(llvm::Value *sum, unsigned vector, int64_t end) {
    for (int64_t at = 0; at < end; at += 2 * kLanes) {
      int64_t part = (vector % 2) * kLanes + (vector / 2) * (kLanes / 2);
      sum = kb.add(sum, kb.load(ElementType::I16, kb.at(groupSums, at + part), 4));
    }
    return sum;
  }

  KernelIO &io;
  KernelBuilder &kb;
  RowShape shape;
  const Window2D &w;
  DepthwiseLanes lanes;
  unsigned align; ///< of addresses of pixels
  int64_t centre; ///< bytes from a row of taps to its middle
  llvm::Value *groupSums;
};
} // namespace

bool mfc::depthwiseByRows(const Kernel &kernel, const TargetInfo &target) {
  if (!DepthwiseLanes::fits(kernel, target))
    return false;
  Window2D w = RowShape(kernel).w;
  return w.y.kernel <= kMostRows && w.taps() <= kMostTaps;
}

void mfc::emitDepthwiseRows(KernelIO &io) { RowsEmitter(io).emit(); }

uint64_t mfc::depthwiseRowsScratchBytes(const Kernel &kernel) {
  return RowShape(kernel).windows().scratchBytes();
}
