// conv2d. A 1x1 window without padding reads its pixels where they are; any other window is first gathered into a
// patch of K = kh * kw * channels consecutive elements in scratch memory, padding filled with the zero point, so that one
// matrix-product core serves every kernel size, stride, dilation, group and border. An input in another layout (NCHW at
// the border of the graph) is read by its own strides while the patch is gathered.
#include "Copy.h"
#include "Gemm.h"
#include "Kernels.h"
#include "RowTable.h"
#include "StridedLoops.h"
#include "Window2D.h"
#include "mfc/IR/Remap.h"

#include <algorithm>

using namespace mfc;

namespace {

bool isPointwise(const Kernel &kernel) {
  const Operation &op = *kernel.anchor;
  Window2D w = window2D(op);
  return !inputRemap(kernel, op.operand(0)) && w.taps() == 1 && !w.padded() && op.attrs<ConvAttrs>().groups == 1;
}

/// All pixels are one row, in the input and in the output.
bool isFlat(const Kernel &kernel) {
  Window2D w = window2D(*kernel.anchor);
  std::vector<int64_t> to = storedStrides(kernel);
  bool rows = w.outHeight == 1 || to[1] == w.outWidth * to[2];
  bool images = w.batch == 1 || to[0] == w.outHeight * w.outWidth * to[2];
  return isPointwise(kernel) && !kernel.byRows && w.y.stride == 1 && w.x.stride == 1 && rows && images;
}

/// Pixels that lie in one row, and so can share a block.
int64_t pixelsInRow(const Kernel &kernel) {
  Window2D w = window2D(*kernel.anchor);
  return isFlat(kernel) ? w.batch * w.outHeight * w.outWidth : w.outWidth;
}

/// Elements of one patch: what one output of one group reads.
int64_t patchElements(const Operation &op) {
  const TensorType &weights = op.operand(1)->type;
  return weights.dim(1) * weights.dim(2) * weights.dim(3);
}

/// Bytes between patches: each starts aligned, for word copies.
int64_t patchBytes(const Operation &op) {
  return (patchElements(op) * elementBytes(op.operand(0)->type.element) + 15) / 16 * 16;
}

/// Patches that are kept at once: one when the product copies them.
int64_t patchCount(const Kernel &kernel) {
  const GemmShape &shape = kernel.schedule.product;
  return shape.preparedBytes ? 1 : shape.pixels;
}

/// Scratch in front of the table of rows: patches, then the product's.
uint64_t rowTableOffset(const Kernel &kernel) {
  uint64_t product = gemmScratchBytes(kernel, pixelsInRow(kernel));
  if (isPointwise(kernel))
    return product;
  return product + static_cast<uint64_t>(patchCount(kernel) * patchBytes(*kernel.anchor));
}

constexpr int64_t kLongRow = 100; ///< pixels

class ConvEmitter {
public:
  explicit ConvEmitter(KernelIO &io)
      : io(io), kb(io.kb), op(*io.kernel.anchor), w(window2D(op)), groups(op.attrs<ConvAttrs>().groups),
        element(op.operand(0)->type.element), size(elementBytes(element)), groupChannels(w.inChannels / groups),
        patches(isPointwise(io.kernel) ? 0 : patchCount(io.kernel)),
        gemm(io, pixelsInRow(io.kernel), patches ? kb.at(io.scratch(), patches * patchBytes(op)) : io.scratch()) {
    StoredOperand stored = io.stored(op.operand(0));
    input = stored.base, strides = std::move(stored.strides);
    zeroPoint = op.operand(0)->type.quant ? op.operand(0)->type.quant->zeroPoint() : 0;
    ring = io.inRing(op.operand(0));
  }

  void emit() {
    bool pointwise = isPointwise(io.kernel);
    if (io.byRows())
      return emitRow(pointwise);
    if (isFlat(io.kernel)) {
      w.outWidth *= w.outHeight * w.batch, w.inWidth *= w.inHeight * w.batch;
      w.outHeight = w.inHeight = w.batch = 1; // one row: strides of n and y do not matter any more
    }
    kb.loop("batch", w.batch, [&](llvm::Value *n) {
      kb.loop("rows", w.outHeight, [&](llvm::Value *y) {
        emitColumns(n, y, pointwise);
      });
    });
  }

private:
  /// The one row of this step.
  void emitRow(bool pointwise) {
    if (ring && pointwise)
      ringRow = io.rowPointer(op.operand(0), kb.mulConst(io.step(), w.y.stride));
    else if (ring)
      rowTable.emplace(io, op.operand(0), w.y, rowTableOffset(io.kernel));
    emitColumns(kb.i32(0), io.step(), pointwise);
  }

  void emitColumns(llvm::Value *n, llvm::Value *y, bool pointwise) {
    int64_t block = gemm.pixelBlock(), whole = w.outWidth / block, rest = w.outWidth % block;
    // One pixel of many again is less than code for a smaller last block. Results lie at least kPixelsAtOnce in front
    // of the pixels that they may go over.
    if (gemm.longBlocks() && rest && w.outWidth >= kLongRow) {
      kb.loop("columns", whole + 1, [&](llvm::Value *i) {
        emitPixels(n, y, kb.smin(kb.mulConst(i, block), kb.i32(w.outWidth - block)), block, pointwise);
      });
      return;
    }
    kb.loop("columns", whole, [&](llvm::Value *i) { emitPixels(n, y, kb.mulConst(i, block), block, pointwise); });
    if (rest)
      emitPixels(n, y, kb.i32(whole * block), rest, pointwise);
  }

  void emitPixels(llvm::Value *n, llvm::Value *y, llvm::Value *x, int64_t count, bool pointwise) {
    OutputPixel pixel = io.pixel(n, y, x);
    if (pointwise) {
      int64_t distance = w.x.stride * w.inChannels * size;
      gemm.begin({count, distance, alignOf(distance), false});
      llvm::Value *column = kb.mulConst(x, w.x.stride);
      llvm::Value *first = ringRow ? kb.at(ringRow, kb.mulConst(column, strides[2] * size))
                                   : inputPixel(n, kb.mulConst(y, w.y.stride), column);
      for (unsigned p = 0; p < (gemm.rowsAreCopied() ? count : 1); ++p)
        gemm.setRow(p, kb.at(first, p * distance));
      return gemm.emit(pixel, kb.i32(0));
    }
    kb.loop("groups", groups, [&](llvm::Value *group) {
      gemm.begin({count, patchBytes(op), 16, true});
      for (int64_t p = 0; p < count; ++p) {
        llvm::Value *patch = kb.at(io.scratch(), gemm.rowsAreCopied() ? 0 : p * patchBytes(op));
        gatherPatch(patch, n, y, kb.add(x, kb.i32(p)), group);
        if (p == 0 || gemm.rowsAreCopied())
          gemm.setRow(static_cast<unsigned>(p), patch);
      }
      gemm.emit(pixel, group);
    });
  }

  llvm::Value *inputPixel(llvm::Value *n, llvm::Value *y, llvm::Value *x) {
    llvm::Value *offset = kb.mulConst(n, strides[0] * size);
    offset = kb.add(offset, kb.mulConst(y, strides[1] * size));
    return kb.at(input, kb.add(offset, kb.mulConst(x, strides[2] * size)));
  }

  void gatherPatch(llvm::Value *patch, llvm::Value *n, llvm::Value *y, llvm::Value *x, llvm::Value *group) {
    llvm::Value *startY = windowStart(kb, y, w.y), *startX = windowStart(kb, x, w.x);
    if (!runsAreRows())
      return gatherAnywhere(patch, n, startY, startX, group);
    if (!w.padded())
      return gatherInside(patch, n, startY, startX);
    auto inside = [&](llvm::Value *start, const Window &window, int64_t size) { // the first and so the last tap
      int64_t last = size - (window.kernel - 1) * window.dilation;
      return last > 0 ? kb.b.CreateICmpULT(start, kb.i32(last)) : kb.b.getFalse();
    };
    kb.ifElse(
        "inside", kb.b.CreateAnd(inside(startY, w.y, w.inHeight), inside(startX, w.x, w.inWidth)),
        [&] {
          gatherInside(patch, n, startY, startX);
          return Values{};
        },
        [&] {
          gatherAnywhere(patch, n, startY, startX, group);
          return Values{};
        });
  }

  /// A row of taps is one run of memory.
  bool runsAreRows() const { return w.x.dilation == 1 && groups == 1 && strides[2] == w.inChannels && strides[3] == 1; }

  /// A window with all taps inside the input.
  void gatherInside(llvm::Value *patch, llvm::Value *n, llvm::Value *startY, llvm::Value *startX) {
    int64_t rowBytes = w.x.kernel * groupChannels * size, pitch = w.y.dilation * strides[1] * size;
    llvm::Value *from = rowTable ? nullptr : inputPixel(n, startY, startX);
    auto source = [&](llvm::Value *ky, llvm::Value *walking) {
      return rowTable ? kb.at(rowTable->row(ky), kb.mulConst(startX, strides[2] * size)) : walking;
    };
    if (w.y.kernel * rowBytes <= 160) {
      for (int64_t ky = 0; ky < w.y.kernel; ++ky)
        emitShortCopy(kb, kb.at(patch, ky * rowBytes), source(kb.i32(ky), rowTable ? nullptr : kb.at(from, ky * pitch)),
                      rowBytes, alignOf(rowBytes));
      return;
    }
    Values start{patch};
    if (!rowTable)
      start.push_back(from);
    kb.loop("patch.rows", w.y.kernel, start, [&](llvm::Value *ky, llvm::ArrayRef<llvm::Value *> now) {
      emitShortCopy(kb, now[0], source(ky, now.back()), rowBytes, alignOf(rowBytes));
      Values next{kb.at(now[0], rowBytes)};
      if (!rowTable)
        next.push_back(kb.at(now[1], pitch));
      return next;
    });
  }

  void gatherAnywhere(llvm::Value *patch, llvm::Value *n, llvm::Value *startY, llvm::Value *startX, llvm::Value *group) {
    TapBounds boundsY = tapBounds(kb, startY, w.y, w.inHeight), boundsX = tapBounds(kb, startX, w.x, w.inWidth);
    int64_t rowBytes = w.x.kernel * groupChannels * size;
    auto fillRows = [&](llvm::Value *begin, llvm::Value *end) {
      fill(kb.at(patch, kb.mulConst(begin, rowBytes)), kb.mulConst(kb.b.CreateSub(end, begin), rowBytes), rowBytes);
    };
    if (w.y.before || w.y.dilation > 1)
      fillRows(kb.i32(0), boundsY.begin);
    kb.rangeLoop("patch", boundsY.begin, boundsY.end, {}, [&](llvm::Value *ky, llvm::ArrayRef<llvm::Value *>) {
      llvm::Value *inputY = kb.add(startY, kb.mulConst(ky, w.y.dilation));
      llvm::Value *inputRow = rowTable ? rowTable->row(ky) : inputPixel(n, inputY, kb.i32(0));
      gatherRow(kb.at(patch, kb.mulConst(ky, rowBytes)), inputRow, startX, boundsX, group);
      return Values{};
    });
    if (w.y.after || w.y.dilation > 1)
      fillRows(boundsY.end, kb.i32(w.y.kernel));
  }

  /// One row of taps: border, inside, border. `inputRow`: column 0.
  void gatherRow(llvm::Value *to, llvm::Value *inputRow, llvm::Value *startX, TapBounds bounds, llvm::Value *group) {
    int64_t tapBytes = groupChannels * size;
    auto tap = [&](llvm::Value *k) { return kb.at(to, kb.mulConst(k, tapBytes)); };
    auto bytes = [&](llvm::Value *from, llvm::Value *end) { return kb.mulConst(kb.b.CreateSub(end, from), tapBytes); };
    auto source = [&](llvm::Value *k) {
      llvm::Value *column = kb.add(startX, kb.mulConst(k, w.x.dilation));
      llvm::Value *pixel = kb.at(inputRow, kb.mulConst(column, strides[2] * size));
      return kb.at(pixel, kb.mulConst(group, groupChannels * strides[3] * size));
    };
    if (w.x.before || w.x.dilation > 1)
      fill(to, bytes(kb.i32(0), bounds.begin), tapBytes);
    if (strides[3] != 1)
      gatherStrided(tap, source, bounds);
    else if (runsAreRows())
      emitCopy(kb, tap(bounds.begin), source(bounds.begin), bytes(bounds.begin, bounds.end), alignOf(tapBytes));
    else
      kb.rangeLoop("taps", bounds.begin, bounds.end, {}, [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *>) {
        emitCopy(kb, tap(k), source(k), kb.i32(tapBytes), alignOf(tapBytes));
        return Values{};
      });
    if (w.x.after || w.x.dilation > 1)
      fill(tap(bounds.end), bytes(bounds.end, kb.i32(w.x.kernel)), tapBytes);
  }

  /// Taps whose channels are not neighbours in memory.
  void gatherStrided(llvm::function_ref<llvm::Value *(llvm::Value *)> tap,
                     llvm::function_ref<llvm::Value *(llvm::Value *)> source, TapBounds bounds) {
    kb.rangeLoop("taps", bounds.begin, bounds.end, {}, [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *>) {
      llvm::Value *to = tap(k), *from = source(k);
      kb.loop("tap.channels", groupChannels, [&](llvm::Value *c) {
        llvm::Value *value = kb.load(element, kb.at(from, kb.mulConst(c, strides[3] * size)));
        kb.store(element, value, kb.at(to, kb.mulConst(c, size)));
      });
      return Values{};
    });
  }

  /// Tensors and scratch are aligned, so the run lengths and the distances of their starts decide.
  unsigned alignOf(int64_t runBytes) const {
    auto distances = static_cast<uint64_t>((strides[0] | strides[1] | strides[2]) * size);
    return commonAlign(static_cast<uint64_t>(runBytes), distances);
  }

  void fill(llvm::Value *to, llvm::Value *bytes, int64_t runBytes) {
    emitFill(kb, to, element, zeroPoint, bytes, commonAlign(static_cast<uint64_t>(runBytes), 16));
  }

  KernelIO &io;
  KernelBuilder &kb;
  const Operation &op;
  Window2D w;
  int64_t groups;
  ElementType element;
  int64_t size, groupChannels, zeroPoint = 0;
  int64_t patches; ///< in scratch, in front of the matrix product's part
  GemmEmitter gemm;
  llvm::Value *input = nullptr;
  bool ring = false;              ///< the input is one
  llvm::Value *ringRow = nullptr; ///< of a 1x1 window
  std::optional<RowTable> rowTable; ///< of larger ones
  std::vector<int64_t> strides; ///< of n, y, x, channel in the stored input, elements
};
} // namespace

void mfc::emitConv2D(KernelIO &io) { ConvEmitter(io).emit(); }

std::vector<Schedule> mfc::convSchedules(const Kernel &kernel, const TargetInfo &target, bool all) {
  return productSchedules(kernel, pixelsInRow(kernel), target, all);
}

uint64_t mfc::convScratchBytes(const Kernel &kernel, const TargetInfo &target) {
  return rowTableOffset(kernel) + (isPointwise(kernel) ? 0 : RowTable::bytes(kernel, target));
}
