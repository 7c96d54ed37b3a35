// depthwise_conv2d over NHWC: for every pixel a table of tap addresses is made (padding points to a row of zero
// points), then channels are walked in blocks, so that borders cost nothing in the inner loop and the zero point
// folds into the bias.
//
// Weights are stored by block: [channels / block][taps][block], the last block smaller.
#include "GemmShape.h"
#include "Kernels.h"
#include "Requantizer.h"
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

class DepthwiseEmitter {
public:
  explicit DepthwiseEmitter(KernelIO &io)
      : io(io), kb(io.kb), op(*io.kernel.anchor), w(window2D(op)), multiplier(w.outChannels / w.inChannels),
        inputType(op.operand(0)->type.element), weightType(op.operand(1)->type.element),
        sumType(isFloat(inputType) ? ElementType::F32 : ElementType::I32),
        pointerBytes(kb.cx.target.pointerBits / 8) {
    lanes = tailLanes(io.kernel, kb.cx.hooks());
    block = std::min<int64_t>(std::max(kb.cx.hooks().depthwiseBlock(), lanes), w.outChannels);
    if (multiplier > 1 && multiplier % block != 0) // a block must not straddle input channels
      block = 1;
    makeConstants();
  }

  void emit() {
    kb.loop("batch", w.batch, [&](llvm::Value *n) {
      kb.loop("rows", w.outHeight, [&](llvm::Value *y) {
        kb.loop("columns", w.outWidth, [&](llvm::Value *x) { emitPixel(n, y, x); });
      });
    });
  }

private:
  void makeConstants() {
    int64_t size = elementBytes(weightType);
    llvm::ArrayRef<uint8_t> raw = op.operand(1)->bytes();
    std::vector<uint8_t> packed;
    for (int64_t first = 0; first < w.outChannels; first += block)
      for (int64_t tap = 0; tap < w.taps(); ++tap) {
        auto from = raw.begin() + (tap * w.outChannels + first) * size;
        packed.insert(packed.end(), from, from + std::min(block, w.outChannels - first) * size);
      }
    weights = kb.cx.constant(io.kernel.name + ".weights", llvm::ArrayRef<uint8_t>(packed), 4);
    if (isFloat(inputType)) {
      if (const Value *value = op.operandOrNull(2))
        bias = kb.cx.constant(io.kernel.name + ".bias", value->bytes(), 4);
    } else {
      std::vector<int32_t> folded = foldedBias(op);
      bias = kb.cx.constant(io.kernel.name + ".bias", llvm::ArrayRef<int32_t>(folded));
      RequantForm form = requantForm(op);
      requantizer.emplace(kb, io.kernel.name, form.multipliers, form.rounding, accumulatorBound(op), form.out.zeroPoint);
    }
    if (!w.padded())
      return;
    Tensor row(TensorType{inputType, {w.inChannels}, {}});
    if (!isFloat(inputType))
      for (int64_t c = 0; c < w.inChannels; ++c)
        row.setInteger(c, op.operand(0)->type.quant ? op.operand(0)->type.quant->zeroPoint() : 0);
    zeroRow = kb.cx.constant(io.kernel.name + ".padding", llvm::ArrayRef<uint8_t>(row.bytes), 4);
  }

  void emitPixel(llvm::Value *n, llvm::Value *y, llvm::Value *x) {
    emitTapTable(n, y, x);
    llvm::Value *pixel = kb.add(kb.mulConst(kb.add(kb.mulConst(n, w.outHeight), y), w.outWidth), x);
    llvm::Value *offset = kb.mulConst(pixel, w.outChannels);
    int64_t whole = w.outChannels / block, rest = w.outChannels % block;
    Values end = kb.loop("channels", whole, {weights, kb.i32(0)}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      emitBlock(now[0], now[1], offset, block);
      return Values{kb.at(now[0], w.taps() * block * elementBytes(weightType)), kb.add(now[1], kb.i32(block))};
    });
    if (rest)
      emitBlock(end[0], end[1], offset, rest);
  }

  /// table[tap] = address of the tap's channel 0, or of the padding row.
  void emitTapTable(llvm::Value *n, llvm::Value *y, llvm::Value *x) {
    llvm::Value *startY = windowStart(kb, y, w.y), *startX = windowStart(kb, x, w.x);
    llvm::Value *input = io.pointer(op.operand(0));
    int64_t pixelBytes = w.inChannels * elementBytes(inputType);
    kb.loop("taps.y", w.y.kernel, [&](llvm::Value *ky) {
      llvm::Value *inY = kb.add(startY, kb.mulConst(ky, w.y.dilation));
      llvm::Value *row = kb.mulConst(kb.add(kb.mulConst(n, w.inHeight), inY), w.inWidth);
      llvm::Value *insideY = inside(inY, w.y, w.inHeight);
      kb.loop("taps.x", w.x.kernel, [&](llvm::Value *kx) {
        llvm::Value *inX = kb.add(startX, kb.mulConst(kx, w.x.dilation));
        llvm::Value *address = kb.b.CreateGEP(kb.b.getInt8Ty(), input, kb.mulConst(kb.add(row, inX), pixelBytes));
        if (zeroRow) {
          llvm::Value *valid = kb.b.CreateAnd(insideY, inside(inX, w.x, w.inWidth));
          address = kb.b.CreateSelect(valid, address, zeroRow);
        }
        llvm::Value *slot = kb.mulConst(kb.add(kb.mulConst(ky, w.x.kernel), kx), pointerBytes);
        kb.b.CreateAlignedStore(address, kb.at(io.scratch(), slot), llvm::Align(pointerBytes));
      });
    });
  }

  /// 0 <= position < size, as one unsigned comparison.
  llvm::Value *inside(llvm::Value *position, const Window &window, int64_t size) {
    if (!window.before && !window.after)
      return kb.b.getTrue();
    return kb.b.CreateICmpULT(position, kb.i32(size));
  }

  void emitBlock(llvm::Value *blockWeights, llvm::Value *channel, llvm::Value *offset, int64_t channels) {
    unsigned width = lanes > 1 && channels % lanes == 0 ? lanes : 1;
    llvm::Value *inputOffset = kb.mulConst(inputChannel(channel), elementBytes(inputType));
    Values sums;
    for (int64_t c = 0; c < channels; c += width)
      sums.push_back(bias ? kb.load(sumType, kb.at(kb.at(bias, kb.mulConst(channel, 4)), 4 * c), width)
                          : kb.wideConstant(sumType, 0, width));
    if (w.taps() <= kUnrolledTaps) {
      for (int64_t tap = 0; tap < w.taps(); ++tap)
        sums = emitTap(kb.at(io.scratch(), tap * pointerBytes), inputOffset,
                       kb.at(blockWeights, tap * channels * elementBytes(weightType)), channels, width, sums);
    } else {
      size_t count = sums.size();
      Values carried = sums;
      carried.push_back(io.scratch());
      carried.push_back(blockWeights);
      carried = kb.loop("taps", w.taps(), carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
        Values next = emitTap(now[count], inputOffset, now[count + 1], channels, width,
                              Values(now.begin(), now.begin() + count));
        next.push_back(kb.at(now[count], pointerBytes));
        next.push_back(kb.at(now[count + 1], channels * elementBytes(weightType)));
        return next;
      });
      sums.assign(carried.begin(), carried.begin() + count);
    }
    storeBlock(sums, channel, offset, width);
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
    llvm::Value *shared = multiplier > 1 ? kb.splat(kb.load(inputType, pointer), width) : nullptr;
    for (int64_t c = 0; c < channels; c += width) {
      llvm::Value *x = shared ? shared : kb.load(inputType, kb.at(pointer, c * elementBytes(inputType)), width);
      llvm::Value *weight = kb.load(weightType, kb.at(tapWeights, c * elementBytes(weightType)), width);
      llvm::Value *&sum = sums[static_cast<size_t>(c / width)];
      sum = emitMultiplyAdd(kb, x, weight, sum);
    }
    return sums;
  }

  void storeBlock(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *channel, llvm::Value *offset, unsigned width) {
    for (size_t i = 0; i < sums.size(); ++i) {
      llvm::Value *c = kb.add(channel, kb.i32(static_cast<int64_t>(i * width)));
      llvm::Value *result = sums[i];
      if (requantizer)
        result = requantizer->emit(result, requantizer->loadChannel(c, width));
      storeResult(io, result, {kb.add(offset, c), c, width});
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
  llvm::GlobalVariable *weights = nullptr, *bias = nullptr, *zeroRow = nullptr;
  std::optional<Requantizer> requantizer;
};
} // namespace

void mfc::emitDepthwiseConv2D(KernelIO &io) { DepthwiseEmitter(io).emit(); }

uint64_t mfc::depthwiseScratchBytes(const Operation &op, const TargetInfo &target) {
  return static_cast<uint64_t>(window2D(op).taps()) * (target.pointerBits / 8);
}
