// reduce_mean over any dimensions: kept dimensions outside, reduced ones inside, the last dimension in lanes where it
// is kept.
#include "Kernels.h"
#include "Requantizer.h"
#include "RowSums.h"
#include "StridedLoops.h"
#include "Target/TargetHooks.h"
#include "mfc/Ops/QuantizedForms.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

namespace {
class MeanEmitter {
public:
  explicit MeanEmitter(KernelIO &io)
      : io(io), kb(io.kb), op(*io.kernel.anchor), element(op.operand(0)->type.element), real(isFloat(element)) {
    const Shape &shape = op.operand(0)->type.shape;
    std::vector<int64_t> strides = rowMajorStrides(shape), keptShape;
    kept.strides.resize(2), reduced.strides.resize(1);
    for (size_t d = 0; d < shape.size(); ++d) {
      bool gone = llvm::is_contained(op.attrs<ReduceAttrs>().axes, static_cast<int64_t>(d));
      StridedNest &nest = gone ? reduced : kept;
      nest.sizes.push_back(shape[d]);
      nest.strides.back().push_back(strides[d]);
      count *= gone ? shape[d] : 1;
    }
    kept.strides[0] = rowMajorStrides(kept.sizes);
    kept.collapse(), reduced.collapse();
    // collapse() gives a single element stride 1; there is only one, so the stride does not matter.
    const Shape &out = op.result()->type.shape;
    lastDim = out.empty() ? 1 : out.back();
    lanes = kept.strides[1].back() == 1 && lastDim % 4 == 0 ? tailLanes(io.kernel, kb.cx.hooks()) : 1;
    if (!real) {
      RequantForm form = requantForm(op);
      inputZeroPoint = form.inputZeroPoint;
      requantizer.emplace(kb, io.kernel.name, form.multipliers, form.rounding, count * (2 * elementMax(element) + 1),
                          resultRange(io.kernel));
    }
  }

  void emit() {
    if (io.byRows())
      return emitRowSums(io, lanes, [&](llvm::Value *sum, llvm::Value *channel, unsigned width) {
        if (!real)
          sum = kb.b.CreateAdd(sum, kb.wideConstant(ElementType::I32, double(-count * inputZeroPoint), width));
        storeResult(io, finish(sum, width), {channel, channel, width});
      });
    kept.emitOuter(kb, [&](llvm::ArrayRef<llvm::Value *> offsets) {
      int64_t inner = kept.sizes.back();
      kb.loop("outputs", inner / lanes, [&](llvm::Value *i) {
        llvm::Value *index = kb.mulConst(i, lanes);
        llvm::Value *out = kb.add(offsets[0], kb.mulConst(index, kept.strides[0].back()));
        llvm::Value *in = kb.add(offsets[1], kb.mulConst(index, kept.strides[1].back()));
        emitOutput(out, in);
      });
    });
  }

private:
  void emitOutput(llvm::Value *out, llvm::Value *in) {
    ElementType sumType = real ? ElementType::F32 : ElementType::I32;
    Values sum = emitSum(0, in, {kb.wideConstant(sumType, real ? 0 : double(-count * inputZeroPoint), lanes)});
    llvm::Value *result = finish(sum[0], lanes);
    llvm::Value *channel = out;
    if (lastDim != op.result()->type.count()) // the last dimension is walked innermost, so the remainder is cheap to ask for
      channel = kb.b.CreateSub(out, kb.mulConst(kb.cx.hooks().emitDivide(kb, out, kb.i32(lastDim)), lastDim));
    storeResult(io, result, {out, channel, lanes});
  }

  llvm::Value *finish(llvm::Value *sum, unsigned width) {
    if (real)
      return kb.b.CreateFMul(sum, llvm::ConstantFP::get(sum->getType(), 1.0 / static_cast<double>(count)));
    return requantizer->emit(sum, requantizer->loadChannel(kb.i32(0), width));
  }

  Values emitSum(size_t d, llvm::Value *offset, Values sum) {
    if (d == reduced.sizes.size()) {
      llvm::Value *x =
          kb.load(element, kb.at(io.pointer(op.operand(0)), kb.mulConst(offset, elementBytes(element))), lanes);
      return {real ? kb.b.CreateFAdd(sum[0], x) : kb.b.CreateAdd(sum[0], x)};
    }
    return kb.loop("reduce", reduced.sizes[d], sum, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) {
      return emitSum(d + 1, kb.add(offset, kb.mulConst(i, reduced.strides[0][d])), Values(now.begin(), now.end()));
    });
  }

  KernelIO &io;
  KernelBuilder &kb;
  const Operation &op;
  ElementType element;
  bool real;
  StridedNest kept, reduced; ///< kept: {output, input}
  int64_t count = 1, lastDim = 1;
  int32_t inputZeroPoint = 0;
  unsigned lanes = 1;
  std::optional<Requantizer> requantizer;
};
} // namespace

void mfc::emitReduceMean(KernelIO &io) { MeanEmitter(io).emit(); }
