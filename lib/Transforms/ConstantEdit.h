// Reading, creating and permuting constants.
#ifndef MFC_LIB_TRANSFORMS_CONSTANTEDIT_H
#define MFC_LIB_TRANSFORMS_CONSTANTEDIT_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Tensor.h"

namespace mfc {

inline bool isFloatConstant(const Value *value) {
  return value && value->isConstant() && value->type.element == ElementType::F32;
}

Tensor tensorOf(const Value &constant);
std::vector<float> floatsOf(const Value &constant);
/// Reals of a constant of any element type: dequantized where it is quantized.
std::vector<double> realsOf(const Value &constant);
Value *addFloats(Graph &graph, Shape shape, llvm::ArrayRef<float> values, std::string name);
Value *addTensor(Graph &graph, Tensor tensor, std::string name);

/// The constant itself, or the one under a dequantize; else null. What weights may look like before fold-qdq.
Value *constantUnder(Value *value);

/// constant seen with `shape` (same number of elements), transposed by perm: element bytes only, the caller
/// says what the type is.
std::vector<uint8_t> permutedBytes(const Value &constant, const Shape &shape, llvm::ArrayRef<int64_t> perm);

/// The named indices of dimension `axis`, ascending; scales along that dimension go with them.
Tensor selected(const Value &constant, int64_t axis, llvm::ArrayRef<int64_t> indices);

} // namespace mfc
#endif
