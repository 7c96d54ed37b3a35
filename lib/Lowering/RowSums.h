// Means over all pixels, one row a step: a sum for every channel stays in scratch memory from the first step to the last.
#ifndef MFC_LIB_LOWERING_ROWSUMS_H
#define MFC_LIB_LOWERING_ROWSUMS_H

#include "KernelIO.h"

namespace mfc {

/// Adds this step's row to the sums, in the order of its columns. In the last step `finish` gets the sum of each channel
/// (i32 or float, starting from 0), or of several neighbouring ones, and stores the result.
void emitRowSums(KernelIO &io, unsigned lanes,
                 llvm::function_ref<void(llvm::Value *sum, llvm::Value *channel, unsigned lanes)> finish);

/// Scratch for the sums, bytes.
uint64_t rowSumBytes(const Kernel &kernel);

} // namespace mfc
#endif
