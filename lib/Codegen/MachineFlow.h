// How often each machine block of a finished function runs.
#ifndef MFC_LIB_CODEGEN_MACHINEFLOW_H
#define MFC_LIB_CODEGEN_MACHINEFLOW_H

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class MachineFunction;
class Pass;
} // namespace llvm

namespace mfc::codegen {

/// A block by its ID in the .llvm_bb_addr_map section.
struct BlockFlow {
  unsigned id = 0;
  uint64_t executions = 0;
  struct Successor {
    unsigned id;
    uint64_t count;
  };
  std::vector<Successor> successors;
};

struct FunctionFlow {
  std::string function;
  std::vector<BlockFlow> blocks; ///< in layout order
  uint64_t steps = 0;            ///< not 0: the counts are of all steps
  bool exact = true;             ///< nothing depended on data or had to be assumed
};

/// Counts the blocks of one call: those of the IR, carried over by flow conservation. Between
/// conditional branches that the back end made (selects on cores without conditional moves) the
/// branch is assumed not taken: the side with more instructions.
FunctionFlow solveFlow(const llvm::MachineFunction &function);

/// A pass that appends solveFlow() of each function; to be added after all that change code.
llvm::Pass *createFlowReader(std::vector<FunctionFlow> &flows);

} // namespace mfc::codegen
#endif
