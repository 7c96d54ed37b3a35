// See the header.
#include "WindowRows.h"

#include "Target/TargetHooks.h"

#include <algorithm>

using namespace mfc;

WindowRows::WindowRows(const Window2D &w, int64_t block, int64_t readBytes)
    : w(w), block(block), blocks((w.outWidth + block - 1) / block), readBytes(readBytes) {
  int64_t step = w.x.stride * block;
  begin = (w.x.before + step - 1) / step;
  end = w.outWidth / block; // a last block that begins earlier is not part of a run
  int64_t room = w.inWidth * w.inChannels - readBytes; // where a block may begin at most
  int64_t last = room < 0 ? -1 : (room / w.inChannels + w.x.before) / step;
  end = std::min(end, last + 1);
  begin = std::min(begin, end);
}

int64_t WindowRows::patchPitch() const {
  return (std::max(blockColumns() * w.inChannels, readBytes) + 15) / 16 * 16;
}

bool WindowRows::rowsAlwaysInside() const {
  return w.y.before == 0 && (w.outHeight - 1) * w.y.stride + span(w.y) <= w.inHeight;
}

uint64_t WindowRows::scratchBytes() const {
  bool everything = rowsAlwaysInside() && begin == 0 && end == blocks;
  return everything ? 0 : static_cast<uint64_t>(w.y.kernel * patchPitch());
}

void WindowRows::emit(KernelIO &io, llvm::Value *n, llvm::Value *y, Body body) const {
  KernelBuilder &kb = io.kb;
  llvm::Value *startY = windowStart(kb, y, w.y);
  if (scratchBytes() == 0)
    return body(inPlace(io, n, startY, 0), kb.i32(0), kb.i32(blocks));
  int64_t reach = w.inHeight - span(w.y) + 1; // of first rows whose window is inside
  llvm::Value *inside = rowsAlwaysInside() ? kb.b.getTrue()
                        : reach <= 0       ? kb.b.getFalse()
                                           : kb.b.CreateICmpULT(startY, kb.i32(reach));
  if (begin == end)
    inside = kb.b.getFalse();
  // The run in the middle of a row is one turn.
  llvm::Value *runAt = kb.b.CreateSelect(inside, kb.i32(begin), kb.i32(-1));
  llvm::Value *turns = kb.b.CreateSelect(inside, kb.i32(begin + 1 + blocks - end), kb.i32(blocks));
  kb.loop("segments", turns, {kb.i32(0)}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    llvm::Value *x = kb.mulConst(now[0], block);
    if (w.outWidth % block)
      x = kb.smin(x, kb.i32(w.outWidth - block));
    Values rows = kb.ifElse(
        "run", kb.b.CreateICmpEQ(now[0], runAt),
        [&] {
          Values found = inPlace(io, n, startY, begin * block * w.x.stride - w.x.before);
          found.push_back(kb.i32(end - begin));
          return found;
        },
        [&] {
          Values found = gathered(io, n, startY, x);
          found.push_back(kb.i32(1));
          return found;
        });
    llvm::Value *count = rows.pop_back_val();
    body(rows, x, count);
    return Values{kb.add(now[0], count)};
  });
}

static llvm::Value *rowAddress(KernelIO &io, const Window2D &w, llvm::Value *n, llvm::Value *y) {
  KernelBuilder &kb = io.kb;
  const Value *operand = io.kernel.anchor->operand(0);
  if (io.byRows())
    return io.rowPointer(operand, y);
  llvm::Value *row = kb.add(kb.mulConst(n, w.inHeight), y);
  llvm::Value *input = io.pointer(operand);
  return kb.b.CreateGEP(kb.b.getInt8Ty(), input, kb.mulConst(row, w.inWidth * w.inChannels));
}

Values WindowRows::inPlace(KernelIO &io, llvm::Value *n, llvm::Value *startY, int64_t column) const {
  Values rows;
  for (int64_t ky = 0; ky < w.y.kernel; ++ky) {
    llvm::Value *y = io.kb.add(startY, io.kb.i32(ky * w.y.dilation));
    rows.push_back(io.kb.at(rowAddress(io, w, n, y), column * w.inChannels));
  }
  return rows;
}

Values WindowRows::gathered(KernelIO &io, llvm::Value *n, llvm::Value *startY, llvm::Value *x) const {
  KernelBuilder &kb = io.kb;
  llvm::Value *startX = windowStart(kb, x, w.x);
  llvm::Value *from = startX, *until = kb.smin(kb.add(startX, kb.i32(blockColumns())), kb.i32(w.inWidth));
  if (w.x.before)
    from = kb.smax(from, kb.i32(0));
  kb.loop("patch", w.y.kernel, {io.scratch(), startY}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    llvm::Value *inside = kb.b.CreateICmpULT(now[1], kb.i32(w.inHeight));
    inside = kb.b.CreateAnd(inside, kb.b.CreateICmpSLT(from, until));
    gatherRow(io, now[0], rowAddress(io, w, n, now[1]), inside, {startX, from, until});
    return Values{kb.at(now[0], patchPitch()), kb.add(now[1], kb.i32(w.y.dilation))};
  });
  Values rows;
  for (int64_t ky = 0; ky < w.y.kernel; ++ky)
    rows.push_back(kb.at(io.scratch(), ky * patchPitch()));
  return rows;
}

/// Zero points only where nothing is copied to.
void WindowRows::gatherRow(KernelIO &io, llvm::Value *to, llvm::Value *row, llvm::Value *inside,
                           const Columns &columns) const {
  KernelBuilder &kb = io.kb;
  const TargetHooks &hooks = kb.cx.hooks();
  const TensorType &type = io.kernel.anchor->operand(0)->type;
  int64_t zero = type.quant ? type.quant->zeroPoint() : 0, all = blockColumns() * w.inChannels;
  auto bytes = [&](llvm::Value *first, llvm::Value *end) { return kb.mulConst(kb.b.CreateSub(end, first), w.inChannels); };
  llvm::Value *none = kb.i32(0);
  llvm::Value *before = kb.b.CreateSelect(inside, bytes(columns.start, columns.from), kb.i32(all));
  llvm::Value *copied = kb.b.CreateSelect(inside, bytes(columns.from, columns.until), none);
  auto ifAny = [&](llvm::Value *count, llvm::function_ref<void()> code) {
    kb.ifThen("some", kb.b.CreateICmpNE(count, none), code);
  };
  if (w.x.before || !rowsAlwaysInside())
    ifAny(before, [&] { hooks.emitVectorFill(kb, to, zero, before); });
  ifAny(copied, [&] {
    hooks.emitVectorCopy(kb, kb.at(to, before), kb.at(row, kb.mulConst(columns.from, w.inChannels)), copied);
  });
  llvm::Value *done = kb.add(before, copied), *after = kb.b.CreateSub(kb.i32(all), done);
  if (w.x.after || end != blocks)
    ifAny(after, [&] { hooks.emitVectorFill(kb, kb.at(to, done), zero, after); });
}
