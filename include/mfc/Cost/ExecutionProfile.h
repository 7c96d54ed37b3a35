// How often each machine instruction of a piece of code executes.
//
// The same form whether the counts were measured (mfc-sim, from its QEMU plugin) or are known before the
// code ever runs (trip counts of the kernels' loops): CycleModel prices both with the same rules.
#ifndef MFC_COST_EXECUTIONPROFILE_H
#define MFC_COST_EXECUTIONPROFILE_H

#include <cstdint>
#include <vector>

namespace mfc {

struct InstructionCount {
  uint64_t address = 0; ///< of the instruction; without the Thumb bit
  uint64_t executions = 0;
  uint64_t taken = 0; ///< how often the next instruction executed was not the one behind it

  bool operator==(const InstructionCount &) const = default;
};

struct ExecutionProfile {
  std::vector<InstructionCount> instructions; ///< sorted by address, each address once, executions > 0
};

} // namespace mfc
#endif
