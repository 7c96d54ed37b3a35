// Where the rows under a window are when the operand is a ring: addresses in scratch memory, made once a step.
#ifndef MFC_LIB_LOWERING_ROWTABLE_H
#define MFC_LIB_LOWERING_ROWTABLE_H

#include "KernelIO.h"
#include "mfc/Ops/Window.h"

namespace mfc {

class RowTable {
public:
  /// Fills the table at this byte of the scratch: row k of the window of this step. Rows outside of the tensor have any
  /// address.
  RowTable(KernelIO &io, const Value *value, const Window &window, uint64_t scratchOffset);

  /// Address of column 0.
  llvm::Value *row(llvm::Value *k) const;

  /// Scratch that a kernel with a window over rows needs for it, 0 if it does not run by rows.
  static uint64_t bytes(const Kernel &kernel, const TargetInfo &target);

private:
  KernelBuilder &kb;
  llvm::Value *table;
  unsigned pointerBytes;
};

} // namespace mfc
#endif
