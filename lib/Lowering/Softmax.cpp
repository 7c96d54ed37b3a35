// softmax along any dimension: rows are outer x inner, elements `inner` apart. 8-bit types use the table of
// exponentials and the fixed-point reciprocal of SoftmaxForm; floats their own exp.
#include "FloatMath.h"
#include "Kernels.h"
#include "Requantizer.h"
#include "Target/TargetHooks.h"
#include "mfc/Ops/QuantizedForms.h"

#include <limits>

using namespace mfc;

namespace {

/// 1 / sum for a sum in Q12.19, as IR: the twin of fixedReciprocal() in Numerics/FixedPoint.h.
class ReciprocalEmitter {
public:
  explicit ReciprocalEmitter(KernelBuilder &kb) : kb(kb) {}

  struct Result {
    llvm::Value *value, *bitsOverUnit;
  };

  Result emit(llvm::Value *sum) {
    // Shifts the top bit up, five halving steps: not every core counts leading zeros.
    llvm::Value *x = sum, *headroom = kb.i32(0);
    for (int step : {16, 8, 4, 2, 1}) {
      llvm::Value *room = kb.b.CreateICmpEQ(kb.b.CreateLShr(x, kb.i32(32 - step)), kb.i32(0));
      x = kb.b.CreateSelect(room, kb.b.CreateShl(x, kb.i32(step)), x);
      headroom = kb.add(headroom, kb.b.CreateSelect(room, kb.i32(step), kb.i32(0)));
    }
    llvm::Value *fraction = kb.b.CreateXor(x, kb.i32(INT32_MIN)); // drops the leading one
    return {oneOverOnePlus(fraction), kb.b.CreateSub(kb.i32(12), headroom)};
  }

private:
  llvm::Value *mulHigh(llvm::Value *a, llvm::Value *notNegative) {
    return kb.cx.hooks().emitRoundingDoublingHighMul(kb, a, notNegative, false);
  }

  llvm::Value *saturatingShiftLeft(llvm::Value *x, int exponent) {
    int32_t threshold = (1 << (31 - exponent)) - 1;
    llvm::Value *shifted = kb.b.CreateShl(x, kb.i32(exponent));
    shifted = kb.b.CreateSelect(kb.b.CreateICmpSLT(x, kb.i32(-threshold)), kb.i32(INT32_MIN), shifted);
    return kb.b.CreateSelect(kb.b.CreateICmpSGT(x, kb.i32(threshold)), kb.i32(INT32_MAX), shifted);
  }

  llvm::Value *oneOverOnePlus(llvm::Value *x) {
    // (1 + x) / 2 in Q0.31 with x in [0, 1): x/2 + 1/2, the half bit dropped.
    llvm::Value *half = kb.add(kb.b.CreateLShr(x, kb.i32(1)), kb.i32(1 << 30));
    llvm::Value *y = kb.add(mulHigh(kb.i32(-1010580540), half), kb.i32(1515870810)); // 48/17 - 32/17 d, Q2.29
    for (int step = 0; step < 3; ++step) {
      llvm::Value *residual = kb.b.CreateSub(kb.i32(1 << 29), mulHigh(half, y));
      y = kb.add(y, saturatingShiftLeft(mulHigh(residual, y), 2));
    }
    return saturatingShiftLeft(y, 1);
  }

  KernelBuilder &kb;
};

class SoftmaxEmitter {
public:
  explicit SoftmaxEmitter(KernelIO &io)
      : io(io), kb(io.kb), op(*io.kernel.anchor), element(op.operand(0)->type.element), real(isFloat(element)) {
    const Shape &shape = op.operand(0)->type.shape;
    int64_t axis = op.attrs<SoftmaxAttrs>().axis;
    auto d = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
    length = shape[d];
    for (size_t i = 0; i < shape.size(); ++i)
      (i < d ? outer : i > d ? inner : length) *= i == d ? 1 : shape[i];
    lastDim = shape.back();
    if (!real)
      form = softmaxForm(op);
  }

  void emit() {
    kb.loop("outer", outer, [&](llvm::Value *o) {
      kb.loop("inner", inner, [&](llvm::Value *i) {
        row = kb.add(kb.mulConst(o, length * inner), i);
        rowChannel = inner == 1 ? nullptr : i;
        real ? emitFloatRow() : emitByteRow();
      });
    });
  }

private:
  llvm::Value *elementIndex(llvm::Value *k) { return kb.add(row, kb.mulConst(k, inner)); }

  llvm::Value *loadAt(llvm::Value *k) {
    return kb.load(element, kb.at(io.pointer(op.operand(0)), kb.mulConst(elementIndex(k), elementBytes(element))));
  }

  void store(llvm::Value *k, llvm::Value *value) {
    // The tail's channel is the index in the last dimension: k itself, or the inner index (modulo the last dimension,
    // but tails by channel on other axes are refused by canFuseTail).
    storeResult(io, value, {elementIndex(k), rowChannel ? rowChannel : k, 1});
  }

  llvm::Value *rowMaximum() {
    ElementType wide = real ? ElementType::F32 : ElementType::I32;
    double least = real ? -std::numeric_limits<double>::infinity() : double(elementMin(element));
    return kb.loop("max", length, {kb.wideConstant(wide, least)},
                   [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *> now) {
                     llvm::Value *x = loadAt(k);
                     if (real)
                       return Values{kb.b.CreateSelect(kb.b.CreateFCmpOGT(x, now[0]), x, now[0])};
                     return Values{kb.smax(now[0], x)};
                   })[0];
  }

  void emitFloatRow() {
    llvm::Value *top = rowMaximum();
    llvm::Value *beta = llvm::ConstantFP::get(top->getType(), op.attrs<SoftmaxAttrs>().beta);
    auto exponential = [&](llvm::Value *k) {
      return emitExp(kb, kb.b.CreateFMul(kb.b.CreateFSub(loadAt(k), top), beta));
    };
    llvm::Value *sum = kb.loop("sum", length, {kb.wideConstant(ElementType::F32, 0)},
                               [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *> now) {
                                 return Values{kb.b.CreateFAdd(now[0], exponential(k))};
                               })[0];
    llvm::Value *scale = kb.b.CreateFDiv(llvm::ConstantFP::get(sum->getType(), 1), sum);
    kb.loop("divide", length, [&](llvm::Value *k) { store(k, kb.b.CreateFMul(exponential(k), scale)); });
  }

  llvm::Value *exponentialOf(llvm::Value *k, llvm::Value *top) {
    llvm::Value *table = kb.cx.constant("softmax.exp", llvm::ArrayRef<int32_t>(form.expTable.data(), 256));
    return kb.load(ElementType::I32, kb.at(table, kb.mulConst(kb.b.CreateSub(top, loadAt(k)), 4)));
  }

  void emitByteRow() {
    llvm::Value *top = rowMaximum();
    llvm::Value *sum =
        kb.loop("sum", length, {kb.i32(0)}, [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *> now) {
            llvm::Value *rounded = kb.add(exponentialOf(k, top), kb.i32(1 << 11));
            return Values{kb.add(now[0], kb.b.CreateLShr(rounded, kb.i32(12)))};
          })[0];
    ReciprocalEmitter::Result r = ReciprocalEmitter(kb).emit(sum);
    kb.loop("divide", length, [&](llvm::Value *k) {
      llvm::Value *p = kb.cx.hooks().emitRoundingDoublingHighMul(kb, exponentialOf(k, top), r.value, false);
      store(k, form.tfliteOutput ? tfliteOutput(p, r.bitsOverUnit) : rescaled(p, r.bitsOverUnit));
    });
  }

  llvm::Value *tfliteOutput(llvm::Value *p, llvm::Value *bitsOverUnit) {
    llvm::Value *shiftMinusOne = kb.add(bitsOverUnit, kb.i32(22));
    llvm::Value *tooFar = kb.b.CreateICmpSGT(shiftMinusOne, kb.i32(30));
    llvm::Value *q = kb.cx.hooks().emitRoundingShiftRight(kb, p, kb.smin(shiftMinusOne, kb.i32(30)));
    q = kb.b.CreateSelect(tooFar, kb.i32(0), q);
    return kb.clampInt(kb.b.CreateSub(q, kb.i32(128)), form.out.min, form.out.max);
  }

  llvm::Value *rescaled(llvm::Value *p, llvm::Value *bitsOverUnit) {
    Requantizer requantizer(kb, "", form.output, form.rounding, INT32_MAX, form.out);
    Requantizer::Channel c = requantizer.loadChannel(kb.i32(0), 1);
    // From a shift of 31 on nothing is left.
    c.shiftMinusOne = kb.smin(kb.add(c.shiftMinusOne, bitsOverUnit), kb.i32(30));
    return kb.clampInt(requantizer.emit(p, c), form.out.min, form.out.max);
  }

  KernelIO &io;
  KernelBuilder &kb;
  const Operation &op;
  ElementType element;
  bool real;
  int64_t outer = 1, length = 1, inner = 1, lastDim = 1;
  SoftmaxForm form;
  llvm::Value *row = nullptr, *rowChannel = nullptr;
};
} // namespace

void mfc::emitSoftmax(KernelIO &io) { SoftmaxEmitter(io).emit(); }
