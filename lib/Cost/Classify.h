// From LLVM's instruction to the class of the cost tables.
#ifndef MFC_LIB_COST_CLASSIFY_H
#define MFC_LIB_COST_CLASSIFY_H

#include "mfc/Cost/InstructionClass.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class MCInst;
class MCInstrDesc;
class MCRegisterInfo;
} // namespace llvm

namespace mfc::cost {

/// `name` is LLVM's name of the opcode ("t2LDRDi8"): the enumerators themselves are private to its
/// back ends. `registers` receives N of the classes that move N registers.
InstructionClass classifyArm(llvm::StringRef name, const llvm::MCInst &instruction,
                             const llvm::MCInstrDesc &description,
                             const llvm::MCRegisterInfo &registerInfo, unsigned &registers);
InstructionClass classifyRiscv(llvm::StringRef name, const llvm::MCInst &instruction,
                               const llvm::MCInstrDesc &description,
                               const llvm::MCRegisterInfo &registerInfo, unsigned &registers);

} // namespace mfc::cost
#endif
