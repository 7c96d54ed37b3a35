// When a kernel may write its result over one of its operands.
//
// A promise that Lowering must keep: such a kernel reads element i of the operand exactly once, before it stores
// element i of the result, and reads no other element of it afterwards. So a last block that overlaps the one before
// (a way to avoid a scalar rest) is not allowed when input and output are the same memory.
#ifndef MFC_MEMORY_INPLACE_H
#define MFC_MEMORY_INPLACE_H

#include "mfc/IR/Plan.h"

namespace mfc {

/// Whether element i of `input` (one of kernel.inputs) is needed for element i of the output only, and both have the
/// same size: all readers in the kernel are element-wise without broadcasting it, and the anchor of a reduction or
/// convolution is not among them. Says nothing about who else needs the input later.
bool mayOverwrite(const Kernel &kernel, const Value *input);

/// Whether elements are read and stored in ascending order, so that the result may also begin in front of an operand that
/// it may overwrite. Kernels with blocks of pixels and channels do not: the first channels of the next pixel come before
/// the last ones of this.
bool storesInOrder(const Kernel &kernel);

} // namespace mfc
#endif
