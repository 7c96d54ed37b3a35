// Which rows of its operands a kernel needs for each row of its result. This is what lets kernels share one loop (ring
// placement), and what bounds how far a result may lie over an operand.
//
// Rows are slices of dimension 1 of [1, rows, columns, channels] tensors. A kernel that runs by rows is called once a
// step, in ascending order. In step s it reads the rows that stepRows() says, and then writes row s of its result;
// a kernel that accumulates reads row s and writes the whole result in its last step.
#ifndef MFC_OPS_ROWACCESS_H
#define MFC_OPS_ROWACCESS_H

#include "mfc/IR/Plan.h"
#include "mfc/Ops/Window.h"

#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace mfc {

/// Rows [begin, end).
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// How one operand is read.
struct RowAccess {
  const Value *value = nullptr; ///< one of kernel.inputs
  bool whole = false;           ///< not by rows: any part of it may be read in any step
  bool planar = false;          ///< [1, channels, rows, columns], read through a transpose: rows of each channel apart
  int64_t rows = 1;             ///< of the operand
  llvm::SmallVector<Window, 2> windows; ///< one a reader: step s reads s * stride - before + k * dilation

  /// The rows that step s reads, gaps of dilated windows included. May be empty (a window inside the padding).
  RowRange stepRows(int64_t step) const;
  /// Of a row, or of one channel of it if planar: bytes in front of row r * rowBytes() are not read any more when rows
  /// before r are not.
  uint64_t rowBytes() const;
};

struct KernelRows {
  int64_t steps = 1;
  bool accumulates = false; ///< sums over all rows; the result is written in the last step
  std::vector<RowAccess> inputs; ///< in the order of kernel.inputs

  const RowAccess *input(const Value *value) const;
};

/// Whether a pool (or reduce_mean over height and width) has one output for all pixels and no padding.
bool isGlobalMean(const Operation &op);

/// Nothing if the kernel cannot run by rows; `why` then says the reason.
std::optional<KernelRows> kernelRows(const Kernel &kernel, std::string &why);

} // namespace mfc
#endif
