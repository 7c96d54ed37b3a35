#include "RowTable.h"

#include "Window2D.h"

using namespace mfc;

RowTable::RowTable(KernelIO &io, const Value *value, const Window &window, uint64_t scratchOffset)
    : kb(io.kb), table(kb.at(io.scratch(), static_cast<int64_t>(scratchOffset))),
      pointerBytes(kb.cx.target.pointerBits / 8) {
  llvm::Value *start = windowStart(kb, io.step(), window);
  kb.loop("row.table", window.kernel, [&](llvm::Value *k) {
    llvm::Value *address = io.rowPointer(value, kb.add(start, kb.mulConst(k, window.dilation)));
    kb.b.CreateAlignedStore(address, kb.at(table, kb.mulConst(k, pointerBytes)), llvm::Align(pointerBytes));
  });
}

llvm::Value *RowTable::row(llvm::Value *k) const {
  return kb.loadAs(kb.b.getPtrTy(), kb.at(table, kb.mulConst(k, pointerBytes)), pointerBytes);
}

uint64_t RowTable::bytes(const Kernel &kernel, const TargetInfo &target) {
  if (!kernel.byRows)
    return 0;
  return static_cast<uint64_t>(window2D(*kernel.anchor).y.kernel) * (target.pointerBits / 8);
}
