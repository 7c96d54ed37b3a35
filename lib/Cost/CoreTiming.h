// The form of a cost table. Tables are data (Cores/*.cpp); what the fields do is in Scoreboard.cpp
// and BranchCost.cpp. Every figure carries its source.
#ifndef MFC_LIB_COST_CORETIMING_H
#define MFC_LIB_COST_CORETIMING_H

#include "mfc/Cost/InstructionClass.h"
#include "llvm/ADT/ArrayRef.h"

namespace mfc::cost {

/// One class of instructions. Classes that a table does not list take one cycle.
struct ClassTiming {
  InstructionClass kind;
  unsigned cycles;            ///< until the next instruction can start
  unsigned registersPerCycle; ///< plus ceil(N / this) for N registers; 0: no such part
  unsigned latency; ///< until an instruction can start that needs the result; 0: as `cycles`
  const char *source;
};

/// A single figure or rule.
struct Figure {
  unsigned value;
  const char *source;
};

enum class Predictor {
  None,         ///< every taken branch pays
  LastBackward, ///< the backward branch that was taken last is predicted taken, all others not
                ///< taken
  Dynamic,      ///< the more frequent direction of each branch is predicted
};

struct CoreTiming {
  const char *name;
  llvm::ArrayRef<const char *> cpus; ///< LLVM's names
  llvm::ArrayRef<ClassTiming> classes;

  Figure takenDirect;   ///< extra cycles of a taken branch to a known address
  Figure takenIndirect; ///< extra cycles of a jump to a register's or loaded address
  Predictor predictor = Predictor::None;
  Figure mispredicted = {0, ""};    ///< extra cycles, with a predictor
  Figure unalignedTarget = {0, ""}; ///< extra: 32-bit instruction not on a word boundary as target

  Figure loadPipelining = {0, ""}; ///< cycles that a load or indexed store saves right after a load
  Figure addressStall = {0, ""};   ///< an address made by the instruction just before
  Figure foldedIfThen = {0, ""};   ///< 1: IT behind a 16-bit instruction takes no cycle
  Figure lateStoreData = {0, ""};  ///< 1: a store waits only for its address
  Figure forwardedSum = {0, ""}; ///< 1: a multiply-add does not wait for the sum of the one before
  Figure loopEndFree = {0, ""};  ///< 1: LE takes no cycle after its first execution in a loop

  /// Issue width, pairing rules and units come from LLVM's scheduling model of the CPU.
  bool scheduleModel = false;
  const char *scheduleSource = "";
};

/// The timing of a core by LLVM's CPU name, or null.
const CoreTiming *findCore(llvm::StringRef cpu);

extern const CoreTiming cortexM0, cortexM0Plus, cortexM23;
extern const CoreTiming cortexM3, cortexM4, cortexM33;
extern const CoreTiming cortexM7, cortexM55, cortexM85;
extern const CoreTiming hazard3, scr1, rocket, sifive7;

} // namespace mfc::cost
#endif
