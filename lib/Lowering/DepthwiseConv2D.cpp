// depthwise_conv2d over NHWC: for every pixel a table of tap addresses is made (padding points to a row of zero
// points), then channels are walked in blocks, so that borders cost nothing in the inner loop and the zero point
// folds into the bias.
//
// The constants of a block of channels are one stream in the order in which the code meets them: where the sums start
// (integers), the weights [taps][block], the requantization's record. The last block may be smaller.
#include "GemmShape.h"
#include "HeliumDepthwise.h"
#include "HeliumDepthwiseRows.h"
#include "Kernels.h"
#include "PlanarDepthwise.h"
#include "Requantizer.h"
#include "RowTable.h"
#include "Target/TargetHooks.h"
#include "Window2D.h"
#include "mfc/IR/Tensor.h"
#include "mfc/Ops/QuantizedForms.h"

#include <algorithm>
#include <optional>

using namespace mfc;

namespace {

/// Taps up to this number are unrolled; more are a loop.
constexpr int64_t kUnrolledTaps = 9;

/// The addresses of the taps, at the start of the scratch.
uint64_t tapTableBytes(const Window2D &window, const TargetInfo &target) {
  return static_cast<uint64_t>(window.taps()) * (target.pointerBits / 8);
}

/// -128 * 2^8 is the least 16-bit number.
constexpr int kWeightScaleBits = 8;

class DepthwiseEmitter {
public:
  explicit DepthwiseEmitter(KernelIO &io)
      : io(io), kb(io.kb), op(*io.kernel.anchor), w(window2D(op)), multiplier(w.outChannels / w.inChannels),
        inputType(op.operand(0)->type.element), weightType(op.operand(1)->type.element),
        sumType(isFloat(inputType) ? ElementType::F32 : ElementType::I32),
        pointerBytes(kb.cx.target.pointerBits / 8) {
    if (w.padded())
      makeZeroRow();
    if (DepthwiseLanes::fits(io.kernel, kb.cx.target)) {
      vectors.emplace(io);
      return;
    }
    lanes = tailLanes(io.kernel, kb.cx.hooks());
    block = io.kernel.schedule.channelBlock;
    bool bytes = inputType == ElementType::I8 && weightType == ElementType::I8;
    wordPairs = bytes && multiplier == 1 && kb.cx.hooks().depthwiseWordPairs() && w.inChannels % 4 == 0;
    makeConstants();
  }

  void emit() {
    if (io.byRows()) {
      if (io.inRing(op.operand(0)))
        rowTable.emplace(io, op.operand(0), w.y, tapTableBytes(w, kb.cx.target));
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
  void makeConstants() {
    if (isFloat(inputType)) {
      if (const Value *value = op.operandOrNull(2))
        bias = kb.cx.constant(io.kernel.name + ".bias", value->bytes(), 4);
    } else {
      start = foldedBias(op);
      RequantForm form = requantForm(op);
      requantizer.emplace(kb, io.kernel.name, form.multipliers, form.rounding, accumulatorBound(op),
                          resultRange(io.kernel));
      useLines();
    }
    std::vector<uint8_t> stream;
    for (int64_t first = 0; first < w.outChannels; first += block)
      appendBlock(stream, first, std::min(block, w.outChannels - first));
    constants = kb.cx.constant(io.kernel.name + ".weights", llvm::ArrayRef<uint8_t>(stream), 4);
  }

  /// Weights of 16 bits have room for a scale, which lines make use of.
  void useLines() {
    int bits = wordPairs && w.outChannels % 4 == 0 ? kWeightScaleBits : 0;
    if (lanes > 1 || !requantizer->useLines({accumulatorRanges(op), {bits, bits}}))
      return;
    weightScale = 1 << bits;
    for (size_t c = 0; c < start.size(); ++c)
      start[c] = start[c] * weightScale + requantizer->lineOffset(static_cast<int64_t>(c));
  }

  void makeZeroRow() {
    Tensor row(TensorType{inputType, {w.inChannels}, {}});
    if (!isFloat(inputType))
      for (int64_t c = 0; c < w.inChannels; ++c)
        row.setInteger(c, op.operand(0)->type.quant ? op.operand(0)->type.quant->zeroPoint() : 0);
    zeroRow = kb.cx.constant(io.kernel.name + ".padding", llvm::ArrayRef<uint8_t>(row.bytes), 4);
  }

  void appendBlock(std::vector<uint8_t> &bytes, int64_t first, int64_t channels) {
    if (requantizer)
      for (int64_t c = 0; c < channels; ++c)
        appendInteger(bytes, start[static_cast<size_t>(first + c)], 4);
    int64_t size = elementBytes(weightType);
    llvm::ArrayRef<uint8_t> raw = op.operand(1)->bytes();
    for (int64_t tap = 0; tap < w.taps(); ++tap) {
      if (pairsIn(channels)) {
        for (int64_t c : {0, 2, 1, 3})
          appendInteger(bytes, static_cast<int8_t>(raw[static_cast<size_t>(tap * w.outChannels + first + c)]) * weightScale, 2);
        continue;
      }
      auto from = raw.begin() + (tap * w.outChannels + first) * size;
      bytes.insert(bytes.end(), from, from + channels * size);
    }
    bytes.resize((bytes.size() + 3) / 4 * 4);
    if (requantizer)
      requantizer->appendRecord(bytes, first, static_cast<unsigned>(channels));
  }

  /// A block whose weights are widened to 16 bits, in the order of TargetHooks::emitDepthwiseQuad().
  bool pairsIn(int64_t channels) const { return wordPairs && channels == 4; }
  int64_t tapBytes(int64_t channels) const { return channels * (pairsIn(channels) ? 2 : elementBytes(weightType)); }
  int64_t startBytes(int64_t channels) const { return requantizer ? 4 * channels : 0; }
  int64_t weightBytes(int64_t channels) const { return (w.taps() * tapBytes(channels) + 3) / 4 * 4; }
  int64_t blockBytes(int64_t channels) const {
    int64_t record = requantizer ? requantizer->recordBytes(static_cast<unsigned>(channels)) : 0;
    return startBytes(channels) + weightBytes(channels) + record;
  }

  void emitPixel(llvm::Value *n, llvm::Value *y, llvm::Value *x) {
    emitTapTable(n, y, x);
    OutputPixel pixel = io.pixel(n, y, x);
    if (vectors)
      return vectors->emitPixel(pixel.offset);
    int64_t whole = w.outChannels / block, rest = w.outChannels % block;
    Values end = kb.loop("channels", whole, {constants, kb.i32(0)}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      emitBlock(now[0], now[1], pixel, block);
      return Values{kb.at(now[0], blockBytes(block)), kb.add(now[1], kb.i32(block))};
    });
    if (rest)
      emitBlock(end[0], end[1], pixel, rest);
  }

  /// Byte offset of a tap in the table of addresses.
  llvm::Value *slotOffset(llvm::Value *ky, llvm::Value *kx) {
    llvm::Value *tap = kb.add(kb.mulConst(ky, w.x.kernel), kx);
    if (!vectors)
      return kb.mulConst(tap, pointerBytes);
    if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(tap))
      return kb.i32(vectors->slot(number->getSExtValue()) * pointerBytes);
    std::vector<int32_t> offsets;
    for (int64_t t = 0; t < w.taps(); ++t)
      offsets.push_back(static_cast<int32_t>(vectors->slot(t) * pointerBytes));
    return kb.load(ElementType::I32, kb.at(kb.cx.constant(io.kernel.name + ".taps", offsets), kb.mulConst(tap, 4)));
  }

  /// table[tap] = address of the tap's channel 0, or of the padding row.
  void emitTapTable(llvm::Value *n, llvm::Value *y, llvm::Value *x) {
    llvm::Value *startY = windowStart(kb, y, w.y), *startX = windowStart(kb, x, w.x);
    int64_t pixelBytes = w.inChannels * elementBytes(inputType);
    llvm::Value *corner = nullptr;
    if (!rowTable) {
      corner = kb.mulConst(kb.add(kb.mulConst(n, w.inHeight), startY), w.inWidth);
      corner = kb.b.CreateGEP(kb.b.getInt8Ty(), io.pointer(op.operand(0)), kb.mulConst(kb.add(corner, startX), pixelBytes));
    }
    auto tapRow = [&](llvm::Value *ky) {
      llvm::Value *base = rowTable ? rowTable->row(ky) : corner;
      llvm::Value *offset = rowTable ? kb.mulConst(startX, pixelBytes)
                                     : kb.mulConst(ky, w.y.dilation * w.inWidth * pixelBytes);
      return kb.b.CreateGEP(kb.b.getInt8Ty(), base, offset);
    };
    auto tap = [&](llvm::Value *row, llvm::Value *ky, llvm::Value *insideY, llvm::Value *kx, llvm::Value *insideX) {
      llvm::Value *address = kb.b.CreateGEP(kb.b.getInt8Ty(), row, kb.mulConst(kx, w.x.dilation * pixelBytes));
      if (zeroRow)
        address = kb.b.CreateSelect(kb.b.CreateAnd(insideY, insideX), address, zeroRow);
      llvm::Value *slot = slotOffset(ky, kx);
      kb.b.CreateAlignedStore(address, kb.at(io.scratch(), slot), llvm::Align(pointerBytes));
    };
    auto insideY = [&](llvm::Value *ky) { return inside(kb.add(startY, kb.mulConst(ky, w.y.dilation)), w.y, w.inHeight); };
    auto insideX = [&](llvm::Value *kx) { return inside(kb.add(startX, kb.mulConst(kx, w.x.dilation)), w.x, w.inWidth); };
    if (w.taps() > kUnrolledTaps) {
      kb.loop("taps.y", w.y.kernel, [&](llvm::Value *ky) {
        llvm::Value *valid = insideY(ky), *row = tapRow(ky);
        kb.loop("taps.x", w.x.kernel, [&](llvm::Value *kx) { tap(row, ky, valid, kx, insideX(kx)); });
      });
      return;
    }
    Values columns;
    for (int64_t kx = 0; kx < w.x.kernel; ++kx)
      columns.push_back(insideX(kb.i32(kx)));
    for (int64_t ky = 0; ky < w.y.kernel; ++ky) {
      llvm::Value *valid = insideY(kb.i32(ky)), *row = tapRow(kb.i32(ky));
      for (int64_t kx = 0; kx < w.x.kernel; ++kx)
        tap(row, kb.i32(ky), valid, kb.i32(kx), columns[static_cast<size_t>(kx)]);
    }
  }

  /// 0 <= position < size, as one unsigned comparison.
  llvm::Value *inside(llvm::Value *position, const Window &window, int64_t size) {
    if (!window.before && !window.after)
      return kb.b.getTrue();
    return kb.b.CreateICmpULT(position, kb.i32(size));
  }

  void emitBlock(llvm::Value *stream, llvm::Value *channel, const OutputPixel &pixel, int64_t channels) {
    unsigned width = lanes > 1 && channels % lanes == 0 ? lanes : 1;
    llvm::Value *inputOffset = kb.mulConst(inputChannel(channel), elementBytes(inputType));
    llvm::Value *weights = kb.at(stream, startBytes(channels));
    Values sums;
    for (int64_t c = 0; c < channels; c += width) {
      if (requantizer)
        sums.push_back(kb.load(sumType, kb.at(stream, 4 * c), width));
      else
        sums.push_back(bias ? kb.load(sumType, kb.at(kb.at(bias, kb.mulConst(channel, 4)), 4 * c), width)
                            : kb.wideConstant(sumType, 0, width));
    }
    llvm::Value *record = kb.at(weights, weightBytes(channels));
    if (w.taps() <= kUnrolledTaps) {
      for (int64_t tap = 0; tap < w.taps(); ++tap)
        sums = emitTap(kb.at(io.scratch(), tap * pointerBytes), inputOffset, kb.at(weights, tap * tapBytes(channels)),
                       channels, width, sums);
    } else {
      size_t count = sums.size();
      Values carried = sums;
      carried.push_back(io.scratch());
      carried.push_back(weights);
      carried = kb.loop("taps", w.taps(), carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
        Values next = emitTap(now[count], inputOffset, now[count + 1], channels, width,
                              Values(now.begin(), now.begin() + count));
        next.push_back(kb.at(now[count], pointerBytes));
        next.push_back(kb.at(now[count + 1], tapBytes(channels)));
        return next;
      });
      sums.assign(carried.begin(), carried.begin() + count);
    }
    if (width == 1)
      for (llvm::Value *&sum : sums)
        sum = kb.pin(sum);
    storeBlock(sums, channel, record, pixel, static_cast<unsigned>(channels), width);
  }

  llvm::Value *inputChannel(llvm::Value *channel) {
    if (multiplier == 1)
      return channel;
    if (w.inChannels == 1)
      return kb.i32(0);
    return kb.cx.hooks().emitDivide(kb, channel, kb.i32(multiplier));
  }

  Values emitTap(llvm::Value *slot, llvm::Value *inputOffset, llvm::Value *tapWeights, int64_t channels, unsigned width,
                 Values sums) {
    llvm::Value *pointer = kb.loadAs(kb.b.getPtrTy(), slot, pointerBytes);
    pointer = kb.at(pointer, inputOffset);
    if (pairsIn(channels))
      return kb.cx.hooks().emitDepthwiseQuad(kb, pointer, tapWeights, sums);
    llvm::Value *shared = multiplier > 1 ? kb.splat(kb.load(inputType, pointer), width) : nullptr;
    for (int64_t c = 0; c < channels; c += width) {
      llvm::Value *x = shared ? shared : kb.load(inputType, kb.at(pointer, c * elementBytes(inputType)), width);
      llvm::Value *weight = kb.load(weightType, kb.at(tapWeights, c * elementBytes(weightType)), width);
      llvm::Value *&sum = sums[static_cast<size_t>(c / width)];
      sum = emitMultiplyAdd(kb, x, weight, sum);
    }
    return sums;
  }

  void storeBlock(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *channel, llvm::Value *record,
                  const OutputPixel &pixel, unsigned channels, unsigned width) {
    for (unsigned i = 0; i < sums.size(); ++i) {
      llvm::Value *result = sums[i];
      if (requantizer)
        result = requantizer->emit(result, requantizer->loadRecord(record, channels, i * width, width));
      storeResult(io, result, io.position(pixel, channel, width, i * width));
    }
  }

  KernelIO &io;
  KernelBuilder &kb;
  const Operation &op;
  Window2D w;
  int64_t multiplier, block = 1;
  unsigned lanes = 1;
  ElementType inputType, weightType, sumType;
  unsigned pointerBytes;
  bool wordPairs = false;
  int32_t weightScale = 1; ///< of the widened weights
  llvm::GlobalVariable *constants = nullptr, *bias = nullptr, *zeroRow = nullptr;
  std::vector<int32_t> start;
  std::optional<Requantizer> requantizer;
  std::optional<RowTable> rowTable;       ///< of an input in a ring
  std::optional<HeliumDepthwise> vectors; ///< instead of the block's constants and code above
};
} // namespace

void mfc::emitDepthwiseConv2D(KernelIO &io) {
  if (depthwiseByRows(io.kernel, io.kb.cx.target))
    emitDepthwiseRows(io);
  else if (io.kernel.schedule.planar)
    PlanarDepthwise(io).emit();
  else
    DepthwiseEmitter(io).emit();
}

std::vector<Schedule> mfc::depthwiseSchedules(const Kernel &kernel, const TargetInfo &target) {
  std::unique_ptr<TargetHooks> hooks = createTargetHooks(target);
  Schedule schedule;
  schedule.parts = hooks->depthwiseParts();
  if (DepthwiseLanes::fits(kernel, target) || depthwiseByRows(kernel, target))
    return {schedule};
  Window2D w = window2D(*kernel.anchor);
  int64_t multiplier = w.outChannels / w.inChannels, lanes = tailLanes(kernel, *hooks);
  std::vector<Schedule> schedules;
  if (PlanarDepthwise::fits(kernel, target)) {
    schedules.push_back(schedule);
    schedules.back().planar = true;
  }
  for (int64_t wanted : {int64_t(hooks->depthwiseBlock()), int64_t(1), int64_t(2), int64_t(4), int64_t(8)}) {
    int64_t block = std::min<int64_t>(std::max(wanted, lanes), w.outChannels);
    bool straddles = multiplier > 1 && multiplier % block != 0; // a block reads one input channel a sum, or the same one
    schedule.channelBlock = straddles ? 1 : static_cast<unsigned>(block);
    schedules.push_back(schedule);
  }
  return schedules;
}

uint64_t mfc::depthwiseScratchBytes(const Kernel &kernel, const TargetInfo &target) {
  if (depthwiseByRows(kernel, target))
    return depthwiseRowsScratchBytes(kernel);
  if (kernel.schedule.planar)
    return PlaneLayout(window2D(*kernel.anchor), kernel.byRows).bytes();
  return tapTableBytes(window2D(*kernel.anchor), target) + RowTable::bytes(kernel, target);
}
