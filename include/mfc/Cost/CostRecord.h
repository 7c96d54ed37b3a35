// What was really measured on one compiled candidate (or on one kernel of the final library).
//
// Filled by Codegen from the register allocator, the frame lowering and the object; the modelled cycles
// are added by whoever has the cost table of the core and the exact trip counts.
#ifndef MFC_COST_COSTRECORD_H
#define MFC_COST_COSTRECORD_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mfc {

/// Spill code whose innermost loop is this one (not counting the loops inside it).
struct LoopSpills {
  std::string loop;   ///< name of the loop's header block in the LLVM IR: "conv.k", "conv.x"
  unsigned depth = 0; ///< 1 = outermost
  unsigned spills = 0, reloads = 0; ///< instructions, not executions

  bool operator==(const LoopSpills &) const = default;
};

struct CostRecord {
  uint64_t codeBytes = 0;  ///< size of the functions, Arm literal pools and in-line jump tables included
  uint64_t constBytes = 0; ///< read-only data: weights, tables, constant pools outside the function
  unsigned spills = 0;     ///< instructions that store a spilled value
  unsigned reloads = 0;    ///< instructions that load one
  unsigned spillSlotBytes = 0; ///< stack bytes of the spill slots that are alive
  uint64_t frameBytes = 0;     ///< whole stack frame, saved registers included
  unsigned calleeSaved = 0;    ///< registers saved in the prologue
  unsigned registersUsed = 0;  ///< allocatable register units in use: 1 a core or S register, 4 a Q register
  std::string problem;     ///< why there is no code (then nothing else is known); usually empty
  std::optional<double> modelledCycles; ///< nothing before a cost table was applied
  std::vector<LoopSpills> loops;        ///< in function order, only loops that have any

  bool operator==(const CostRecord &) const = default;
};

/// Sum of kernels that run one after the other: bytes and counts add up, the frame is the largest one.
CostRecord sum(const CostRecord &lhs, const CostRecord &rhs);

llvm::json::Value toJSON(const CostRecord &record);
/// Strict: unknown keys and wrong types are errors, missing keys are zero.
llvm::Expected<CostRecord> costRecordFromJSON(const llvm::json::Value &value);

} // namespace mfc
#endif
