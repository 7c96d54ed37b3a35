// dense: every row of the input is a pixel of the matrix product.
#include "Gemm.h"
#include "Kernels.h"

#include <algorithm>

using namespace mfc;

void mfc::emitDense(KernelIO &io) {
  KernelBuilder &kb = io.kb;
  const Operation &op = *io.kernel.anchor;
  const TensorType &input = op.operand(0)->type;
  int64_t channels = op.operand(1)->type.dim(0), k = op.operand(1)->type.dim(1), rows = input.count() / k;
  GemmEmitter gemm(io, k, channels, 1);
  llvm::Value *base = io.pointer(op.operand(0));
  auto emitRows = [&](llvm::Value *first, int64_t count) {
    Values inputs, offsets;
    for (int64_t p = 0; p < count; ++p) {
      llvm::Value *row = kb.add(first, kb.i32(p));
      inputs.push_back(kb.at(base, kb.mulConst(row, k * elementBytes(input.element))));
      offsets.push_back(kb.mulConst(row, channels));
    }
    gemm.emit(inputs, offsets, kb.i32(0));
  };
  int64_t block = std::min<int64_t>(gemm.pixelBlock(), rows), whole = rows / block;
  kb.loop("rows", whole, [&](llvm::Value *i) { emitRows(kb.mulConst(i, block), block); });
  for (int64_t row = whole * block; row < rows; ++row)
    emitRows(kb.i32(row), 1);
}
