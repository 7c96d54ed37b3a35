// Element-wise operators without an anchor: one pass over the output, operands broadcast, the whole chain in registers.
#include "Elementwise.h"
#include "Kernels.h"
#include "StridedLoops.h"
#include "Target/TargetHooks.h"
#include "mfc/IR/Remap.h"

#include <algorithm>

using namespace mfc;

namespace {
class ChainEmitter {
public:
  explicit ChainEmitter(KernelIO &io) : io(io), kb(io.kb) {
    Shape shape = io.kernel.anchor->result()->type.shape;
    nest.strides.push_back(storedStrides(io.kernel));
    lanes = 4;
    for (const Operation *op : io.kernel.ops) {
      if (!hasTrait(op->kind(), OpTrait::Elementwise))
        continue;
      lanes = std::min(lanes, elementwiseLanes(*op, kb.cx.hooks()));
      for (const Value *operand : op->operands())
        addOperand(operand, *op, shape);
    }
    nest.sizes = shape;
    if (io.byRows())
      nest.sizes[1] = 1;
    nest.collapse();
    for (const auto &strides : nest.strides) // lanes load neighbours or splat
      if (strides.back() != 0 && strides.back() != 1)
        lanes = 1;
  }

  void emit() {
    nest.emitOuter(kb, [&](llvm::ArrayRef<llvm::Value *> offsets) {
      int64_t inner = nest.sizes.back(), whole = inner / lanes;
      kb.loop("elements", whole, [&](llvm::Value *i) { emitElements(offsets, kb.mulConst(i, lanes), lanes); });
      if (lanes > 1)
        kb.loop("elements.rest", inner % lanes,
                [&](llvm::Value *i) { emitElements(offsets, kb.add(kb.i32(whole * lanes), i), 1); });
    });
  }

private:
  /// Operands from memory get a column in the nest. After a view, shapes differ but the elements are the same.
  void addOperand(const Value *operand, const Operation &user, const Shape &shape) {
    const Value *source = io.computed(operand);
    const Operation *remap = inputRemap(io.kernel, operand);
    bool made = std::any_of(io.kernel.ops.begin(), io.kernel.ops.end(),
                            [&](const Operation *op) { return op != remap && source == op->result(); });
    if (made || column.contains(operand))
      return;
    column[operand] = nest.strides.size();
    if (remap)
      nest.strides.push_back(io.stored(operand).strides);
    else if (user.result()->type.shape == shape)
      nest.strides.push_back(broadcastStrides(operand->type.shape, shape));
    else if (operand->type.count() == 1)
      nest.strides.push_back(std::vector<int64_t>(shape.size(), 0));
    else
      nest.strides.push_back(rowMajorStrides(shape));
  }

  void emitElements(llvm::ArrayRef<llvm::Value *> offsets, llvm::Value *index, unsigned width) {
    llvm::DenseMap<const Value *, llvm::Value *> known;
    auto elementOffset = [&](size_t tensor) {
      int64_t stride = nest.strides[tensor].back();
      return stride == 0 ? offsets[tensor] : kb.add(offsets[tensor], kb.mulConst(index, stride));
    };
    auto valueOf = [&](const Value *operand) {
      auto it = known.find(io.computed(operand));
      if (it != known.end())
        return it->second;
      size_t tensor = column.lookup(operand);
      ElementType element = operand->type.element;
      bool same = nest.strides[tensor].back() == 0;
      llvm::Value *base = inputRemap(io.kernel, operand) ? io.stored(operand).base : io.alignedPointer(operand);
      llvm::Value *address = kb.at(base, kb.mulConst(elementOffset(tensor), elementBytes(element)));
      return same ? kb.splat(kb.load(element, address), width) : kb.load(element, address, width);
    };
    for (const Operation *op : io.kernel.ops) {
      if (!hasTrait(op->kind(), OpTrait::Elementwise))
        continue;
      llvm::SmallVector<llvm::Value *, 2> operands;
      for (const Value *operand : op->operands())
        operands.push_back(valueOf(operand));
      known[op->result()] = emitElementwise(kb, *op, operands);
    }
    ElementType element = io.outputElement();
    kb.store(element, known.lookup(io.computed(io.kernel.output)),
             kb.at(io.output(), kb.mulConst(elementOffset(0), elementBytes(element))));
  }

  KernelIO &io;
  KernelBuilder &kb;
  StridedNest nest; ///< tensor 0 is the output
  llvm::DenseMap<const Value *, size_t> column;
  unsigned lanes;
};
} // namespace

void mfc::emitElementwiseKernel(KernelIO &io) { ChainEmitter(io).emit(); }
