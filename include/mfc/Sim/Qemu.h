// Runs firmware in QEMU and says how it went: outcome, instructions, stack, console.
//
// Firmware with mfc's harness leaves mfc-sim.json in the working directory (runtime/sim_report.h) and
// exits with the codes of mfc_sim.h; other firmware is judged by its exit status alone.
#ifndef MFC_SIM_QEMU_H
#define MFC_SIM_QEMU_H

#include "mfc/Cost/ExecutionProfile.h"
#include "mfc/Sim/LayerSites.h"
#include "mfc/Sim/MemoryMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mfc {

struct Board;
class ElfSymbols;

/// Counting starts behind the instruction at `begin` and ends in front of the one at `end`.
struct CountedRegion {
  uint64_t begin = 0, end = 0;
};

struct QemuRequest {
  const Board *board = nullptr;
  std::string elfPath;
  std::string workDir; ///< in<i>.bin are read from here, out<i>.bin and mfc-sim.json written to it
  unsigned timeoutSeconds = 60;
  std::string pluginPath;    ///< libmfc-tcg.so; empty: nothing is counted
  std::vector<CountedRegion> regions;  ///< any begin opens, any end closes: mfc_sim_begin, mfc_sim_end
  std::vector<LayerSite> sites;        ///< calls that start a layer, to count by layer
  unsigned passes = 0;                 ///< end the run when the region was passed so often; 0: it ends itself
  bool profile = false;                ///< executions and taken branches of every instruction
  std::vector<MemoryRange> memories;   ///< count reads and writes in each (slower); empty: do not
  std::vector<MemoryRange> zones;      ///< count accesses to these (slower); sorted, without overlaps
  bool checkAlignment = false; ///< count data accesses that are not aligned to their size (slower)
};

struct AccessCount {
  std::string memory; ///< MemoryRange::name, or "other"
  uint64_t reads = 0, readBytes = 0, writes = 0, writtenBytes = 0;
};

/// What was executed between the call of a layer and its return, helper functions included; all passes.
struct LayerCounts {
  int layer = -1; ///< LayerSite::layer; -1: in the region but in no layer
  uint64_t calls = 0, instructions = 0;
  ExecutionProfile profile;          ///< with QemuRequest::profile
  std::vector<AccessCount> accesses; ///< memories that were used, with QemuRequest::memories
};

enum class RunOutcome {
  Ok,
  InvokeFailed,      ///< the model's entry point returned a status other than 0
  RedZoneBroken,     ///< the model wrote outside of its buffers
  StackOverflow,     ///< the model used more stack than the board has
  InputOutputFailed, ///< an input is missing or of the wrong size, or an output cannot be written
  Fault,             ///< processor exception
  TimedOut,
  ProgramFailed, ///< exit status other than 0 and no report: other firmware, or QEMU itself
};

/// A processor exception, as the fault handler saw it.
struct FaultReport {
  uint32_t exception = 0; ///< exception number on Arm, mcause on RISC-V
  std::optional<uint32_t> pc; ///< missing when the stack was unusable
  std::optional<uint32_t> lr;
  uint32_t sp = 0;
  std::optional<uint32_t> cfsr, hfsr, mmfar, bfar; ///< Arm, not Armv6-M
  std::optional<uint32_t> mtval;                   ///< RISC-V
};

struct QemuResult {
  RunOutcome outcome = RunOutcome::ProgramFailed;
  int exitStatus = -1; ///< of QEMU, which passes on the firmware's; -1 when a signal ended it
  bool timedOut = false;
  std::string console; ///< everything QEMU and the firmware printed

  bool counted = false;      ///< the region was entered and left
  uint64_t instructions = 0; ///< executed between the markers, all passes
  std::vector<uint64_t> passes;    ///< the same by pass
  std::vector<LayerCounts> layers; ///< the one of no layer first; empty unless asked for
  int openLayer = -1;              ///< where a run that did not leave the region was, -1: in no layer
  uint64_t misaligned = 0;   ///< with checkAlignment
  uint64_t misalignedPc = 0; ///< instruction of the first of them
  uint64_t outside = 0;      ///< accesses to one of QemuRequest::zones
  uint64_t outsidePc = 0;    ///< instruction of the first of them

  int32_t status = 0;      ///< what the entry point returned
  uint64_t stackBytes = 0; ///< deepest use below the call of the model
  unsigned redZones = 0;   ///< how many were checked
  std::optional<unsigned> brokenRedZone; ///< index of the first
  uint64_t brokenOffset = 0;             ///< first changed byte in it
  std::optional<FaultReport> fault;
  std::string ioProblem; ///< "in0.bin has the wrong size: ..."
};

/// An error means that nothing was run: no QEMU, a version without plugin API 1, a missing file.
llvm::Expected<QemuResult> runQemu(const QemuRequest &request);

/// What happened, in one line for a diagnostic; names the function of a fault when symbols are given.
/// `layers`: names by LayerSite::layer, for what went wrong in one.
std::string describeRun(const QemuResult &result, const ElfSymbols *symbols = nullptr,
                        llvm::ArrayRef<std::string> layers = {});

/// Checks the first line of `program --version`: 7.2 to 8.2 offer plugin API version 1.
llvm::Error checkQemuVersion(llvm::StringRef program, llvm::StringRef versionText);

} // namespace mfc
#endif
