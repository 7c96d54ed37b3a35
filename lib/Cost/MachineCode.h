// The LLVM objects that know the instructions of a target, kept alive together.
#ifndef MFC_LIB_COST_MACHINECODE_H
#define MFC_LIB_COST_MACHINECODE_H

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mfc {
struct TargetInfo;
}

namespace mfc::cost {

struct MachineCode {
  static llvm::Expected<std::unique_ptr<MachineCode>> create(const TargetInfo &target);

  /// LLVM's model of the core; without instruction scheduling classes for some cores.
  const llvm::MCSchedModel &schedule() const { return *model; }

  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;

private:
  const llvm::MCSchedModel *model = nullptr;
};

} // namespace mfc::cost
#endif
