// transpose, concat, slice, pad and gather: boxes of elements copied between strided layouts.
#include "Copy.h"
#include "Kernels.h"
#include "StridedLoops.h"
#include "Target/TargetHooks.h"

#include <cstring>

using namespace mfc;

void mfc::emitViewCopy(KernelIO &io) {
  const Value *source = io.kernel.anchor->operand(0);
  uint64_t bytes = source->type.bytes();
  emitCopy(io.kb, io.output(), io.pointer(source), io.kb.i32(static_cast<int64_t>(bytes)), commonAlign(bytes, 16));
}

void mfc::emitTranspose(KernelIO &io) {
  const Operation &op = *io.kernel.anchor;
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  std::vector<int64_t> inputStrides = rowMajorStrides(in.shape), picked;
  for (int64_t axis : op.attrs<TransposeAttrs>().perm)
    picked.push_back(inputStrides[static_cast<size_t>(axis)]);
  emitBoxCopy(io.kb, in.element, io.output(), 0, io.pointer(op.operand(0)), 0,
              {out.shape, {rowMajorStrides(out.shape), picked}});
}

void mfc::emitConcat(KernelIO &io) {
  const Operation &op = *io.kernel.anchor;
  const TensorType &out = op.result()->type;
  auto axis = static_cast<size_t>(op.attrs<AxisAttrs>().axis);
  std::vector<int64_t> outStrides = storedStrides(io.kernel);
  int64_t begin = 0;
  for (const Value *operand : op.operands()) {
    const Shape &shape = operand->type.shape;
    emitBoxCopy(io.kb, out.element, io.output(), begin * outStrides[axis], io.pointer(operand), 0,
                {shape, {outStrides, rowMajorStrides(shape)}});
    begin += shape[axis];
  }
}

void mfc::emitSlice(KernelIO &io) {
  const Operation &op = *io.kernel.anchor;
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  const auto &attrs = op.attrs<SliceAttrs>();
  std::vector<int64_t> strides = rowMajorStrides(in.shape);
  int64_t origin = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    origin += attrs.begin[d] * strides[d];
    strides[d] *= attrs.stride[d];
  }
  emitBoxCopy(io.kb, in.element, io.output(), 0, io.pointer(op.operand(0)), origin,
              {out.shape, {storedStrides(io.kernel), strides}});
}

void mfc::emitPad(KernelIO &io) {
  KernelBuilder &kb = io.kb;
  const Operation &op = *io.kernel.anchor;
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  const auto &attrs = op.attrs<PadAttrs>();
  int64_t bits = static_cast<int64_t>(attrs.value);
  if (isFloat(out.element)) {
    float real = static_cast<float>(attrs.value);
    int32_t word;
    std::memcpy(&word, &real, sizeof word);
    bits = word;
  }
  unsigned align = commonAlign(out.bytes(), 16);
  emitFill(kb, io.output(), out.element, bits, kb.i32(static_cast<int64_t>(out.bytes())), align);
  std::vector<int64_t> outStrides = storedStrides(io.kernel);
  int64_t origin = 0;
  for (size_t d = 0; d < outStrides.size(); ++d)
    origin += attrs.before[d] * outStrides[d];
  emitBoxCopy(kb, in.element, io.output(), origin, io.pointer(op.operand(0)), 0,
              {in.shape, {outStrides, rowMajorStrides(in.shape)}});
}

void mfc::emitGather(KernelIO &io) {
  KernelBuilder &kb = io.kb;
  const Operation &op = *io.kernel.anchor;
  const TensorType &in = op.operand(0)->type, &indices = op.operand(1)->type;
  auto axis = static_cast<size_t>(op.attrs<AxisAttrs>().axis);
  int64_t outer = 1, inner = static_cast<int64_t>(elementBytes(in.element)), size = in.shape[axis];
  for (size_t d = 0; d < axis; ++d)
    outer *= in.shape[d];
  for (size_t d = axis + 1; d < in.shape.size(); ++d)
    inner *= in.shape[d];
  int64_t count = indices.count();
  kb.loop("outer", outer, [&](llvm::Value *o) {
    kb.loop("indices", count, [&](llvm::Value *i) {
      llvm::Value *address = kb.at(io.pointer(op.operand(1)), kb.mulConst(i, elementBytes(indices.element)));
      llvm::Value *index = kb.b.CreateSExtOrTrunc(kb.load(indices.element, address), kb.i32Type());
      // Negative indices count from the end; what is still out of range must not leave the tensor.
      llvm::Value *negative = kb.b.CreateICmpSLT(index, kb.i32(0));
      index = kb.b.CreateSelect(negative, kb.add(index, kb.i32(size)), index);
      index = kb.clampInt(index, 0, size - 1);
      llvm::Value *from = kb.mulConst(kb.add(kb.mulConst(o, size), index), inner);
      llvm::Value *to = kb.mulConst(kb.add(kb.mulConst(o, count), i), inner);
      emitCopy(kb, kb.at(io.output(), to), kb.at(io.pointer(op.operand(0)), from), kb.i32(inner),
               commonAlign(static_cast<uint64_t>(inner), 16));
    });
  });
}
