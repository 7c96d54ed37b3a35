// Wait states of code that is fetched from Flash.
#ifndef MFC_LIB_COST_FETCHCOST_H
#define MFC_LIB_COST_FETCHCOST_H

#include "mfc/Cost/CodeImage.h"
#include "mfc/Cost/ExecutionProfile.h"
#include "mfc/Cost/MemoryTiming.h"

namespace mfc::cost {

/// Told of the executed instructions in order of address.
class FetchCost {
public:
  explicit FetchCost(const MemoryTiming &memory) : memory(memory) {}
  /// Waiting of all executions together. `cycles`: of one execution, without waiting. `follows`:
  /// the instruction before it in memory was executed too and goes on here.
  uint64_t of(const CodeInstruction &instruction, const InstructionCount &count, unsigned cycles,
              bool follows);

private:
  const MemoryTiming &memory;
  uint64_t line = ~uint64_t(0);
  uint64_t cyclesInLine = 0; ///< since the line was entered

  uint64_t lineOf(uint64_t address) const { return address / memory.fetchBytes; }
};

} // namespace mfc::cost
#endif
