// Rows of input pixels for blocks of neighbouring outputs of a windowed operator, so that the code of a block needs no
// bounds: read where they are when the whole window of the block lies inside the input, else from a patch in
// scratch memory that is filled with zero points outside. Bytes only.
#ifndef MFC_LIB_LOWERING_WINDOWROWS_H
#define MFC_LIB_LOWERING_WINDOWROWS_H

#include "KernelIO.h"
#include "Window2D.h"

namespace mfc {

class WindowRows {
public:
  /// `block`: outputs of a block, all in one row (at most w.outWidth). `readBytes`: how far a block reads each of its rows,
  /// from its first column on; reads stay inside a row of the input.
  WindowRows(const Window2D &w, int64_t block, int64_t readBytes);

  uint64_t scratchBytes() const;

  /// `rows`: where each row of taps begins (column 0 of the first block's window), one a row of the kernel. `x`: first output
  /// column. `count` (i32, at least 1) blocks follow each other without a gap.
  using Body = llvm::function_ref<void(llvm::ArrayRef<llvm::Value *> rows, llvm::Value *x, llvm::Value *count)>;
  /// All blocks of output row y of image n, from left to right. The last one begins where a whole block fits, so
  /// that outputs in front of it may be computed twice.
  void emit(KernelIO &io, llvm::Value *n, llvm::Value *y, Body body) const;

private:
  int64_t blockColumns() const { return (block - 1) * w.x.stride + span(w.x); }
  int64_t patchPitch() const;
  static int64_t span(const Window &window) { return (window.kernel - 1) * window.dilation + 1; }
  bool rowsAlwaysInside() const;
  Values inPlace(KernelIO &io, llvm::Value *n, llvm::Value *startY, int64_t column) const;
  Values gathered(KernelIO &io, llvm::Value *n, llvm::Value *startY, llvm::Value *x) const;
  struct Columns {
    llvm::Value *start, *from, *until; ///< of the input: of the window, of its part inside
  };
  void gatherRow(KernelIO &io, llvm::Value *to, llvm::Value *row, llvm::Value *inside, const Columns &columns) const;

  Window2D w;
  int64_t block, blocks, readBytes;
  int64_t begin, end; ///< blocks that can be read in place when their rows are inside
};

} // namespace mfc
#endif
