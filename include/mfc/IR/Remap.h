// Index remaps: transposes at the ends of a kernel that are addresses instead of stored copies.
#ifndef MFC_IR_REMAP_H
#define MFC_IR_REMAP_H

#include "mfc/IR/Plan.h"

namespace mfc {

/// The transpose behind the anchor among the operations of a kernel, or null. Results are computed in the order in front
/// of it and stored in the order behind it.
const Operation *remapBehind(llvm::ArrayRef<Operation *> ops, const Operation *anchor);
inline const Operation *outputRemap(const Kernel &kernel) { return remapBehind(kernel.ops, kernel.anchor); }

/// The transpose that the kernel reads the operand through, or null.
const Operation *inputRemap(const Kernel &kernel, const Value *operand);

} // namespace mfc
#endif
