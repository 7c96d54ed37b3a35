// In-place rules, from the operations of the kernel; see the header.
#include "mfc/Memory/InPlace.h"

#include "mfc/IR/Remap.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

/// The operation reads the value element by element, at the index that it writes.
static bool readsInStep(const Operation &op, const Value &value) {
  if (hasTrait(op.kind(), OpTrait::View))
    return true; // row-major order stays, so does the index
  return hasTrait(op.kind(), OpTrait::Elementwise) && op.result()->type.count() == value.type.count();
}

bool mfc::storesInOrder(const Kernel &kernel) { return hasTrait(kernel.anchor->kind(), OpTrait::Elementwise); }

bool mfc::mayOverwrite(const Kernel &kernel, const Value *input) {
  const Value *memory = viewSource(const_cast<Value *>(input));
  const TensorType &in = input->type, &out = kernel.output->type;
  if (in.count() != out.count() || elementBytes(in.element) != elementBytes(out.element))
    return false;
  if (outputRemap(kernel)) // writes at another index than it reads
    return false;
  // Other views of the same memory count as the input too.
  for (const Operation *op : kernel.ops)
    for (const Value *operand : op->operands()) {
      bool stored = llvm::is_contained(kernel.inputs, operand);
      if (stored && viewSource(const_cast<Value *>(operand)) == memory && !readsInStep(*op, *operand))
        return false;
    }
  return true;
}
