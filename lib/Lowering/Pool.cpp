// max_pool2d and avg_pool2d: windows clipped to the input, channels in lanes.
#include "Kernels.h"
#include "Requantizer.h"
#include "RowSums.h"
#include "RowTable.h"
#include "Target/TargetHooks.h"
#include "Window2D.h"
#include "mfc/Ops/QuantizedForms.h"
#include "mfc/Ops/RowAccess.h"

#include <cmath>
#include <limits>

using namespace mfc;

namespace {
class PoolEmitter {
public:
  explicit PoolEmitter(KernelIO &io)
      : io(io), kb(io.kb), op(*io.kernel.anchor), w(window2D(op)), element(op.operand(0)->type.element),
        average(op.kind() == OpKind::AvgPool2D), real(isFloat(element)), input(io.stored(op.operand(0))) {
    if (average && !real)
      form = poolForm(op);
  }

  void emit() {
    if (io.byRows() && isGlobalMean(op)) {
      bounds[0] = {kb.i32(0), kb.i32(w.inHeight)};
      bounds[1] = {kb.i32(0), kb.i32(w.inWidth)};
      return emitRowSums(io, tailLanes(io.kernel, kb.cx.hooks()),
                         [&](llvm::Value *sum, llvm::Value *channel, unsigned lanes) {
                           storeResult(io, finishAverage(sum, lanes), {channel, channel, lanes});
                         });
    }
    if (io.byRows()) {
      if (io.inRing(op.operand(0)))
        rowTable.emplace(io, op.operand(0), w.y, 0);
      kb.loop("columns", w.outWidth, [&](llvm::Value *x) { emitPixel(kb.i32(0), io.step(), x); });
      return;
    }
    kb.loop("batch", w.batch, [&](llvm::Value *n) {
      kb.loop("rows", w.outHeight, [&](llvm::Value *y) {
        kb.loop("columns", w.outWidth, [&](llvm::Value *x) { emitPixel(n, y, x); });
      });
    });
  }

private:
  void emitPixel(llvm::Value *n, llvm::Value *y, llvm::Value *x) {
    unsigned lanes = input.strides[3] == 1 ? tailLanes(io.kernel, kb.cx.hooks()) : 1;
    llvm::Value *startY = windowStart(kb, y, w.y), *startX = windowStart(kb, x, w.x);
    bounds[0] = tapBounds(kb, startY, w.y, w.inHeight);
    bounds[1] = tapBounds(kb, startX, w.x, w.inWidth);
    first = kb.mulConst(startX, input.strides[2]);
    if (!rowTable)
      first = kb.add(kb.add(kb.mulConst(n, input.strides[0]), kb.mulConst(startY, input.strides[1])), first);
    OutputPixel pixel = io.pixel(n, y, x);
    int64_t whole = w.outChannels / lanes;
    kb.loop("channels", whole, [&](llvm::Value *i) { emitChannels(kb.mulConst(i, lanes), pixel, lanes); });
    if (lanes > 1)
      kb.loop("channels.rest", w.outChannels % lanes,
              [&](llvm::Value *i) { emitChannels(kb.add(kb.i32(whole * lanes), i), pixel, 1); });
  }

  void emitChannels(llvm::Value *channel, const OutputPixel &pixel, unsigned lanes) {
    llvm::Value *base = kb.add(first, kb.mulConst(channel, input.strides[3]));
    ElementType sumType = real ? ElementType::F32 : ElementType::I32;
    double start = average ? 0 : real ? -std::numeric_limits<double>::infinity() : double(elementMin(element));
    Values acc{kb.wideConstant(sumType, start, lanes)};
    acc = kb.rangeLoop("window.y", bounds[0].begin, bounds[0].end, acc,
                       [&](llvm::Value *ky, llvm::ArrayRef<llvm::Value *> outer) {
                         return kb.rangeLoop("window.x", bounds[1].begin, bounds[1].end, outer,
                                             [&](llvm::Value *kx, llvm::ArrayRef<llvm::Value *> now) {
                                               return Values{accumulate(now[0], base, ky, kx, lanes)};
                                             });
                       });
    storeResult(io, average ? finishAverage(acc[0], lanes) : acc[0], io.position(pixel, channel, lanes));
  }

  llvm::Value *accumulate(llvm::Value *acc, llvm::Value *base, llvm::Value *ky, llvm::Value *kx, unsigned lanes) {
    llvm::Value *index = rowTable ? base : kb.add(base, kb.mulConst(ky, w.y.dilation * input.strides[1]));
    index = kb.add(index, kb.mulConst(kx, w.x.dilation * input.strides[2]));
    llvm::Value *origin = rowTable ? rowTable->row(ky) : input.base;
    llvm::Value *address = kb.b.CreateGEP(kb.b.getInt8Ty(), origin, kb.mulConst(index, elementBytes(element)));
    llvm::Value *x = kb.load(element, address, lanes);
    if (average)
      return real ? kb.b.CreateFAdd(acc, x) : kb.b.CreateAdd(acc, x);
    return real ? kb.b.CreateSelect(kb.b.CreateFCmpOGT(x, acc), x, acc) : kb.smax(acc, x);
  }

  /// Elements inside the input at this output, i32.
  llvm::Value *insideCount() {
    return kb.b.CreateMul(kb.b.CreateSub(bounds[0].end, bounds[0].begin), kb.b.CreateSub(bounds[1].end, bounds[1].begin));
  }

  llvm::Value *finishAverage(llvm::Value *sum, unsigned lanes) {
    bool whole = op.attrs<PoolAttrs>().countIncludePad;
    llvm::Value *inside = insideCount();
    llvm::Value *count = whole ? kb.i32(w.taps()) : inside;
    if (real) {
      llvm::Value *divisor = kb.b.CreateSIToFP(count, kb.b.getFloatTy());
      llvm::Value *reciprocal = kb.b.CreateFDiv(llvm::ConstantFP::get(kb.b.getFloatTy(), 1), divisor);
      return kb.b.CreateFMul(sum, kb.splat(reciprocal, lanes));
    }
    if (whole && form.inputZeroPoint) { // padding adds the zero point
      llvm::Value *padding = kb.b.CreateSub(count, inside);
      sum = kb.b.CreateAdd(sum, kb.splat(kb.mulConst(padding, form.inputZeroPoint), lanes));
    }
    return form.divides ? divided(sum, count, lanes) : rescaled(sum, count, lanes);
  }

  /// sum / count, ties away from zero.
  llvm::Value *divided(llvm::Value *sum, llvm::Value *count, unsigned lanes) {
    llvm::Value *divisor = kb.splat(count, lanes);
    llvm::Value *half = kb.splat(kb.b.CreateLShr(count, kb.i32(1)), lanes);
    llvm::Value *sign = kb.b.CreateAShr(sum, kb.intLike(sum, 31));
    llvm::Value *nudged = kb.b.CreateAdd(sum, kb.b.CreateSub(kb.b.CreateXor(half, sign), sign));
    return kb.clampInt(kb.cx.hooks().emitDivide(kb, nudged, divisor), form.out.min, form.out.max);
  }

  /// (sum - count * zero point) times the multiplier of this count, looked up in a table by count.
  llvm::Value *rescaled(llvm::Value *sum, llvm::Value *count, unsigned lanes) {
    std::vector<FixedMultiplier> byCount(static_cast<size_t>(form.counts.back().first));
    int64_t largest = form.counts.back().first;
    for (size_t i = 0; i < byCount.size(); ++i)
      byCount[i] = form.counts.front().second;
    for (auto &[n, m] : form.counts)
      byCount[static_cast<size_t>(n - 1)] = m;
    if (form.counts.size() == 1)
      byCount.resize(1);
    sum = kb.b.CreateSub(sum, kb.splat(kb.mulConst(count, form.inputZeroPoint), lanes));
    Requantizer requantizer(kb, io.kernel.name + ".count", byCount, op.attrs<PoolAttrs>().rounding,
                            largest * (elementMax(element) * 2 + 1), form.out);
    Requantizer::Channel c = requantizer.loadChannel(kb.b.CreateSub(count, kb.i32(1)), 1);
    for (llvm::Value **v : {&c.multiplier, &c.preShift, &c.shiftMinusOne, &c.addend})
      if (*v)
        *v = kb.splat(*v, lanes);
    return kb.clampInt(requantizer.emit(sum, c), form.out.min, form.out.max);
  }

  KernelIO &io;
  KernelBuilder &kb;
  const Operation &op;
  Window2D w;
  ElementType element;
  bool average, real;
  StoredOperand input;
  PoolForm form;
  TapBounds bounds[2]{};
  llvm::Value *first = nullptr; ///< element index of the window's corner, channel 0; in its row, with a table of rows
  std::optional<RowTable> rowTable;
};
} // namespace

void mfc::emitPool(KernelIO &io) { PoolEmitter(io).emit(); }

uint64_t mfc::poolScratchBytes(const Kernel &kernel, const TargetInfo &target) {
  if (!kernel.byRows)
    return 0;
  return isGlobalMean(*kernel.anchor) ? rowSumBytes(kernel) : RowTable::bytes(kernel, target);
}
