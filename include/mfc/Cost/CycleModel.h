// The one definition of modelled cycles: a cost table or scheduling model of the core, applied to
// machine code and to how often each instruction runs. mfc-sim applies it to counts from QEMU, the
// compiler to counts that it knows beforehand. docs/cost-model.md has the rules and their sources.
#ifndef MFC_COST_CYCLEMODEL_H
#define MFC_COST_CYCLEMODEL_H

#include "mfc/Cost/CodeImage.h"
#include "mfc/Cost/ExecutionProfile.h"
#include "mfc/Cost/MemoryTiming.h"
#include <memory>

namespace llvm {
class raw_ostream;
}

namespace mfc {

/// Modelled cycles of one address: of all its executions together.
struct InstructionCycles {
  uint64_t address = 0;
  uint64_t executions = 0;
  uint64_t cycles = 0;
};

struct CycleReport {
  std::vector<InstructionCycles> instructions; ///< sorted by address; only those that executed
  uint64_t cycles = 0;                         ///< modelled
  uint64_t executed = 0;                       ///< instructions
  uint64_t unmodelled =
      0; ///< executions of instructions that the model does not know; one cycle each

  /// Sums over addresses in [begin, end). A function's cycles are those of its own code, without
  /// callees.
  uint64_t cyclesIn(uint64_t begin, uint64_t end) const;
  uint64_t executedIn(uint64_t begin, uint64_t end) const;
};

class CycleModel {
public:
  /// The model of target.tuneCpu. Error of class Unsupported: the host, or a core without a model.
  static llvm::Expected<CycleModel> create(const TargetInfo &target,
                                           const MemoryTiming &memory = {});
  CycleModel(CycleModel &&) noexcept;
  CycleModel &operator=(CycleModel &&) noexcept;
  ~CycleModel();

  /// Prices a profile. Error of class Usage: the profile counts an address where the image has no
  /// instruction (profile and image do not belong together).
  llvm::Expected<CycleReport> cycles(const CodeImage &image, const ExecutionProfile &profile) const;

  /// Name of the core whose timing is used: "Cortex-M4".
  llvm::StringRef core() const;
  /// The table with the source of every figure, as Markdown.
  void describe(llvm::raw_ostream &os) const;

private:
  struct Impl;
  explicit CycleModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mfc
#endif
