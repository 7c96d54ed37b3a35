// Cycles of one straight-line run of instructions, issued in order.
#ifndef MFC_LIB_COST_SCOREBOARD_H
#define MFC_LIB_COST_SCOREBOARD_H

#include "CoreTiming.h"
#include "mfc/Cost/CodeImage.h"
#include <array>
#include <vector>

namespace mfc::cost {

struct MachineCode;

/// The table spread out by class.
class TimingTable {
public:
  TimingTable(const CoreTiming &core, const MachineCode &machine);
  const CoreTiming &core;
  const MachineCode &machine;

  const ClassTiming &of(InstructionClass kind) const { return rows[static_cast<size_t>(kind)]; }
  unsigned occupancy(const CodeInstruction &instruction) const;
  unsigned latency(const CodeInstruction &instruction) const;

private:
  std::array<ClassTiming, kInstructionClasses> rows;
};

/// Starts empty at each run: results of earlier runs are taken to be ready.
class Scoreboard {
public:
  explicit Scoreboard(const TimingTable &table);
  /// Forgets everything: a new run begins.
  void clear();
  /// Cycles by which the run gets longer with this instruction.
  unsigned issue(const CodeInstruction &instruction);
  /// Cycles that the busiest unit needs beyond the issue cycles of the run.
  unsigned excess() const;

private:
  struct Pending {
    RegisterSet registers;
    uint64_t ready;
    InstructionClass kind;
  };
  const TimingTable &table;
  const CodeInstruction *previous = nullptr;
  std::vector<Pending> pending;
  uint64_t free = 0;                ///< first cycle that is not taken
  uint64_t group = 0;               ///< cycle of the open group of paired instructions
  unsigned groupSize = 0;           ///< instructions in it; 0: none is open
  std::vector<unsigned> groupUnits; ///< units taken in the group's cycle
  std::vector<uint64_t> busy;       ///< cycles of each kind of unit

  uint64_t operandsReady(const CodeInstruction &instruction) const;
  unsigned saved(const CodeInstruction &instruction) const;
  bool joins(const CodeInstruction &instruction, uint64_t ready) const;
  void takeUnits(const CodeInstruction &instruction);
};

} // namespace mfc::cost
#endif
