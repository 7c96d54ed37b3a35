// Which tensors of a plan need planned memory, how much, and from which step to which.
//
// Steps: 0 is before the first kernel (inputs are written), kernel k is step k + 1, the step behind the last kernel
// is where the firmware reads the outputs. A buffer is alive from the step that writes it to the last that reads it,
// both included, so operands and result of a kernel are alive together.
#ifndef MFC_MEMORY_LIFETIME_H
#define MFC_MEMORY_LIFETIME_H

#include "mfc/IR/Plan.h"

#include "llvm/ADT/DenseSet.h"

namespace mfc {

struct MemoryOptions {
  uint64_t align = 16;         ///< of every tensor in the arena, a power of two
  bool preserveInputs = false; ///< inputs keep their contents until the end
  bool inPlace = true;         ///< element-wise kernels may write over an operand that nobody needs any more
};

/// One piece of memory: a tensor with all its views, or the scratch of a kernel.
struct Buffer {
  const Value *value = nullptr;    ///< null for scratch
  const Kernel *kernel = nullptr;  ///< whose scratch it is, else null
  uint64_t bytes = 0;
  uint64_t align = 1;
  unsigned first = 0, last = 0; ///< steps
};

/// A result that may lie over an operand, which nobody needs later.
struct BufferOverlap {
  size_t input = 0, output = 0; ///< indices into Lifetimes::buffers
  uint64_t distance = 0;        ///< bytes that the output has to begin in front of the input
  bool samePlace = false;       ///< or where the input begins
};

struct Lifetimes {
  std::vector<Buffer> buffers; ///< inputs, then results and scratch in execution order
  std::vector<BufferOverlap> overlaps; ///< in execution order; an output may be listed with several inputs
  unsigned steps = 0;          ///< 0 .. steps - 1
};

/// Of every value placed in the arena or a ring, and of every scratch. Needs groups, placement kinds and scratch sizes.
/// In a group that runs by rows, whole tensors are alive from its first step to its last.
Lifetimes computeLifetimes(const Graph &graph, const Plan &plan, const MemoryOptions &options);

/// The value whose memory a value uses in this plan: looks through views, except those that a kernel copies
/// (--io=caller) and so stores.
class MemoryOf {
public:
  explicit MemoryOf(const Plan &plan);
  const Value *operator()(const Value *value) const;

private:
  llvm::DenseSet<const Value *> stored;
};

} // namespace mfc
#endif
