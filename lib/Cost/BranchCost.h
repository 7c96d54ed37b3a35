// Extra cycles of taken and mispredicted branches, from counts alone.
#ifndef MFC_LIB_COST_BRANCHCOST_H
#define MFC_LIB_COST_BRANCHCOST_H

#include "CoreTiming.h"
#include "mfc/Cost/CodeImage.h"
#include "mfc/Cost/ExecutionProfile.h"
#include <vector>

namespace mfc::cost {

class BranchCost {
public:
  BranchCost(const CoreTiming &core, const CodeImage &image, const ExecutionProfile &profile);
  /// For all executions of this instruction together.
  uint64_t of(const CodeInstruction &instruction, const InstructionCount &count) const;

private:
  struct BackwardBranch {
    uint64_t address, target;
  };
  const CoreTiming &core;
  const CodeImage &image;
  std::vector<BackwardBranch> loops; ///< taken backward branches by address

  uint64_t mispredictions(const CodeInstruction &instruction, const InstructionCount &count) const;
  bool closesInnermostLoop(const CodeInstruction &instruction) const;
};

} // namespace mfc::cost
#endif
