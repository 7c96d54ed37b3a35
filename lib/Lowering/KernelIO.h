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

/// Where the results of one pixel go: the element of channel 0, i32.
struct OutputPixel {
  llvm::Value *offset;           ///< in the anchor's result
  llvm::Value *stored = nullptr; ///< in the output, if a remap stands between; else null: the same
};

/// One element of the anchor's result, or several neighbouring ones of its last dimension.
struct Position {
  llvm::Value *offset;  ///< element index in the anchor's result, i32
  llvm::Value *channel; ///< index in its last dimension, i32
  unsigned lanes = 1;
  llvm::Value *stored = nullptr; ///< element index of lane 0 in the output; null: offset
};

/// An operand in memory: the address of element 0 and the distances, in elements, along each of its dimensions.
struct StoredOperand {
  llvm::Value *base;
  std::vector<int64_t> strides;
};

/// Distances in the stored output, in elements, along each dimension of the anchor's result: row-major, unless a remap
/// stands between.
std::vector<int64_t> storedStrides(const Kernel &kernel);

/// Whether results of `anchor` can be stored through the transpose: its shape is the anchor's, seen through views.
bool canRemap(const Operation &anchor, const Operation &transpose);

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
  /// The same as it lies in memory: in front of the remap that the kernel reads it through, if there is one.
  StoredOperand stored(const Value *operand);
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

  /// Pixel (n, y, x) of an anchor whose result is NHWC, i32 each; with rows, pixel x of the step's row.
  OutputPixel pixel(llvm::Value *n, llvm::Value *y, llvm::Value *x);
  /// The element `pixels` pixels behind `first` in its row and `ahead` channels behind `channel`.
  Position position(const OutputPixel &first, llvm::Value *channel, unsigned lanes, int64_t ahead = 0, int64_t pixels = 0);
  /// The value that is computed where `value` is read or stored: in front of views and of the output's remap.
  const Value *computed(const Value *value) const;
  /// Elements of the output from one channel to the next.
  int64_t channelDistance() const { return storedDistances.empty() ? 1 : storedDistances.back(); }

private:
  llvm::Value *rowOf(llvm::Value *base, const Value *value, llvm::Value *row);

  llvm::DenseMap<const Value *, llvm::Value *> arguments, alignedPointers;
  llvm::Value *outputPointer = nullptr, *scratchPointer = nullptr, *stepNumber = nullptr;
  llvm::SmallVector<const Operation *, 4> tailOps;
  const Operation *remap; ///< of the output, or null
  std::vector<int64_t> storedDistances; ///< storedStrides() if there is a remap
};

/// Stores one result: saturates the anchor's value, applies the tail, stores.
/// `result` is in the wide domain with position.lanes lanes, or a scalar for each lane in `results`.
void storeResult(KernelIO &io, llvm::Value *result, const Position &position);

/// What an integer anchor's result is brought to: its stored range, narrowed by a clamp right behind it.
StoredRange resultRange(const Kernel &kernel);

/// Stores a value of position.lanes lanes, or the first that many of it, where the position is in the output.
void storeElements(KernelIO &io, llvm::Value *value, const Position &position);

/// Lanes in which results of the anchor may be stored: the most that every tensor type on the way allows.
unsigned tailLanes(const Kernel &kernel, const TargetHooks &hooks);

/// How a tail operand is addressed relative to the kernel's output; None: not supported in a tail.
enum class TailOperand { None, Scalar, Channel, Same };
TailOperand classifyTailOperand(const TensorType &operand, const TensorType &result);

/// Joins scalars into one vector (or returns the only one).
llvm::Value *joinLanes(KernelBuilder &kb, llvm::ArrayRef<llvm::Value *> scalars);

} // namespace mfc
#endif
