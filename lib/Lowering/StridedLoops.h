// Loop nests over the dimensions of a tensor with one stride a dimension for each side: what all data movement and
// broadcasting comes down to.
#ifndef MFC_LIB_LOWERING_STRIDEDLOOPS_H
#define MFC_LIB_LOWERING_STRIDEDLOOPS_H

#include "KernelBuilder.h"

#include <optional>
#include <vector>

namespace mfc {

/// Sizes, and for each of several tensors the stride (in elements; 0 = broadcast, may be negative) of every dimension.
struct StridedNest {
  std::vector<int64_t> sizes;
  std::vector<std::vector<int64_t>> strides; ///< [tensor][dimension]

  /// Drops dimensions of size 1 and merges neighbours that every tensor walks as one.
  void collapse();
  /// Calls body(offsets) for all but the innermost dimension; offsets[t] is the element index in tensor t.
  void emitOuter(KernelBuilder &kb, llvm::function_ref<void(llvm::ArrayRef<llvm::Value *> offsets)> body) const;
};

/// Row-major strides of a shape.
std::vector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);
/// Strides of `operand` seen as broadcast to `result` (numpy rules).
std::vector<int64_t> broadcastStrides(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> result);

/// Strides of `front` for which its elements lie where those of `behind`, a view of the same elements in row-major order, lie
/// with the given strides; nothing if there are none (such as for a dimension that is split and taken apart).
std::optional<std::vector<int64_t>> stridesThroughView(llvm::ArrayRef<int64_t> front, llvm::ArrayRef<int64_t> behind,
                                                       llvm::ArrayRef<int64_t> strides);

/// Copies a box of elements: nest tensors are {destination, source}; origins in elements.
void emitBoxCopy(KernelBuilder &kb, ElementType element, llvm::Value *destination, int64_t destinationOrigin,
                 llvm::Value *source, int64_t sourceOrigin, StridedNest nest);

} // namespace mfc
#endif
