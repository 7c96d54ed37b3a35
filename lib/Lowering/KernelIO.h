// Where a kernel's tensors are, and what happens to a result between the anchor's arithmetic and the store: the tail
// of element-wise operators with `register` placement.
#ifndef MFC_LIB_LOWERING_KERNELIO_H
#define MFC_LIB_LOWERING_KERNELIO_H

#include "KernelBuilder.h"
#include "mfc/Ops/QuantizedForms.h"

#include "llvm/ADT/DenseMap.h"

namespace mfc {
class TargetHooks;

/// Element-wise operators after the anchor (views between them are looked through).
llvm::SmallVector<const Operation *, 4> tailOperations(const Kernel &kernel);

/// Arguments of the kernel's function, in order: kernel.inputs, kernel.output, scratch if it has some, and the step if
/// it runs by rows. Then it is called once a step, and output() is where row 0 of the result would be if the step's row were
/// the only one: emitters write at row 0 and read at row().
class KernelIO {
public:
  KernelIO(KernelBuilder &kb, const Kernel &kernel);

  KernelBuilder &kb;
  const Kernel &kernel;

  /// Address of element 0: an argument, or the constant's global.
  llvm::Value *pointer(const Value *value);
  /// The same for an operand that is read at the index that is written (with rows: where that index is counted from).
  llvm::Value *alignedPointer(const Value *value);
  bool byRows() const { return kernel.byRows; }
  /// The step of a kernel that runs by rows, i32.
  llvm::Value *step() { return stepNumber; }
  /// Whether rows of the operand lie in a ring, so that the next row may be at its start.
  bool inRing(const Value *value) const;
  /// Address of a row of an operand; rows outside of the tensor give any address.
  llvm::Value *rowPointer(const Value *value, llvm::Value *row);
  llvm::Value *output() { return outputPointer; }
  llvm::Value *scratch() { return scratchPointer; }
  /// Element-wise operators after the anchor (views between them are looked through).
  llvm::ArrayRef<const Operation *> tail() const { return tailOps; }
  ElementType outputElement() const { return kernel.output->type.element; }

private:
  llvm::Value *rowOf(llvm::Value *base, const Value *value, llvm::Value *row);

  llvm::DenseMap<const Value *, llvm::Value *> arguments, alignedPointers;
  llvm::Value *outputPointer = nullptr, *scratchPointer = nullptr, *stepNumber = nullptr;
  llvm::SmallVector<const Operation *, 4> tailOps;
};

/// Element i of the output of a kernel, or several neighbouring ones of the last dimension.
struct Position {
  llvm::Value *offset;  ///< element index in the output, i32
  llvm::Value *channel; ///< index in the output's last dimension, i32
  unsigned lanes = 1;
};

/// Stores one result: saturates the anchor's value, applies the tail, stores.
/// `result` is in the wide domain with position.lanes lanes, or a scalar for each lane in `results`.
void storeResult(KernelIO &io, llvm::Value *result, const Position &position);

/// What an integer anchor's result is brought to: its stored range, narrowed by a clamp right behind it.
StoredRange resultRange(const Kernel &kernel);

/// Lanes in which results of the anchor may be stored: the most that every tensor type on the way allows.
unsigned tailLanes(const Kernel &kernel, const TargetHooks &hooks);

/// How a tail operand is addressed relative to the kernel's output; None: not supported in a tail.
enum class TailOperand { None, Scalar, Channel, Same };
TailOperand classifyTailOperand(const TensorType &operand, const TensorType &result);

/// Joins scalars into one vector (or returns the only one).
llvm::Value *joinLanes(KernelBuilder &kb, llvm::ArrayRef<llvm::Value *> scalars);

} // namespace mfc
#endif
