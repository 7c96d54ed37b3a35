// dense: every row of the input is a pixel of the matrix product.
#include "Gemm.h"
#include "Kernels.h"

using namespace mfc;

/// Rows of the input: pixels of the product.
static int64_t rowCount(const Operation &op) { return op.operand(0)->type.count() / op.operand(1)->type.dim(1); }

void mfc::emitDense(KernelIO &io) {
  KernelBuilder &kb = io.kb;
  const Operation &op = *io.kernel.anchor;
  const TensorType &input = op.operand(0)->type;
  int64_t channels = op.operand(1)->type.dim(0), k = op.operand(1)->type.dim(1), rows = rowCount(op);
  GemmEmitter gemm(io, rows, io.scratch());
  llvm::Value *base = io.pointer(op.operand(0));
  int64_t distance = k * elementBytes(input.element);
  auto emitRows = [&](llvm::Value *first, int64_t count) {
    gemm.begin({count, distance, commonAlign(static_cast<uint64_t>(distance), kb.cx.target.arenaAlign), false});
    llvm::Value *row = kb.at(base, kb.mulConst(first, distance));
    for (unsigned p = 0; p < (gemm.rowsAreCopied() ? count : 1); ++p)
      gemm.setRow(p, kb.at(row, p * distance));
    gemm.emit({kb.mulConst(first, channels)}, kb.i32(0));
  };
  int64_t block = gemm.pixelBlock(), whole = rows / block, rest = rows % block;
  kb.loop("rows", whole, [&](llvm::Value *i) { emitRows(kb.mulConst(i, block), block); });
  if (rest)
    emitRows(kb.i32(whole * block), rest);
}

std::vector<Schedule> mfc::denseSchedules(const Kernel &kernel, const TargetInfo &target, bool all) {
  return productSchedules(kernel, rowCount(*kernel.anchor), target, all);
}

uint64_t mfc::denseScratchBytes(const Kernel &kernel) { return gemmScratchBytes(kernel, rowCount(*kernel.anchor)); }
