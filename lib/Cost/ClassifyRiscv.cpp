// Classes of the RV32 instructions, by the names of LLVM's opcodes. Compressed forms (C_*) are
// their 32-bit counterparts.
#include "Classify.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/MC/MCRegisterInfo.h"

using namespace mfc;
using namespace mfc::cost;
using llvm::StringRef;
using C = InstructionClass;

/// Registers in the list of a Zcmp push or pop: encodings 4 (ra) to 15 (ra, s0-s11); 15 adds two,
/// since there is no list that ends at s10.
static unsigned pushedRegisters(const llvm::MCInst &instruction) {
  int64_t list = instruction.getNumOperands() > 0 && instruction.getOperand(0).isImm()
                     ? instruction.getOperand(0).getImm()
                     : 4;
  return list >= 15 ? 13 : static_cast<unsigned>(list < 4 ? 1 : list - 3);
}

/// A jump that writes the return address to ra (x1) is a call.
static bool links(const llvm::MCInst &instruction, const llvm::MCRegisterInfo &info) {
  return instruction.getNumOperands() > 0 && instruction.getOperand(0).isReg() &&
         StringRef(info.getName(instruction.getOperand(0).getReg())) == "X1";
}

static C classifyInteger(StringRef name) {
  return llvm::StringSwitch<C>(name)
      .Cases({"LW", "C_LW", "C_LWSP", "LW_INX", "C_LW_INX", "C_LWSP_INX"}, C::Load)
      .Cases({"LB", "LBU", "LH", "LHU", "C_LBU", "C_LH", "C_LHU"}, C::LoadNarrow)
      .Cases({"SW", "SB", "SH", "C_SW", "C_SWSP", "C_SB", "C_SH"}, C::Store)
      .Cases({"MUL", "C_MUL"}, C::Multiply)
      .Cases({"MULH", "MULHU", "MULHSU"}, C::MultiplyHigh)
      .Cases({"DIV", "DIVU", "REM", "REMU"}, C::Divide)
      .Cases({"BEQ", "BNE", "BLT", "BGE", "BLTU", "BGEU", "C_BEQZ", "C_BNEZ"}, C::BranchIf)
      .Case("C_J", C::Branch)
      .Case("C_JAL", C::Call)
      .Case("C_JR", C::BranchIndirect)
      .Case("C_JALR", C::CallIndirect)
      .Case("C_NOP", C::Nop)
      .Cases({"ECALL", "EBREAK", "C_EBREAK", "WFI", "MRET", "FENCE", "FENCE_I"}, C::System)
      .StartsWith("CSRR", C::System)
      .Case("CM_PUSH", C::StoreMultiple)
      .Case("CM_POP", C::LoadMultiple)
      .Cases({"CM_POPRET", "CM_POPRETZ"}, C::PopReturn)
      .Default(C::Unknown);
}

static C classifyFloat(StringRef name) {
  C kind =
      llvm::StringSwitch<C>(name)
          .Cases({"FLW", "FLD", "C_FLW", "C_FLD", "C_FLWSP", "C_FLDSP"}, C::FloatLoad)
          .Cases({"FSW", "FSD", "C_FSW", "C_FSD", "C_FSWSP", "C_FSDSP"}, C::FloatStore)
          .StartsWith("FMADD", C::FloatMultiplyAdd)
          .StartsWith("FMSUB", C::FloatMultiplyAdd)
          .StartsWith("FNM", C::FloatMultiplyAdd)
          .StartsWith("FMUL", C::FloatMultiply)
          .StartsWith("FDIV", C::FloatDivide)
          .StartsWith("FSQRT", C::FloatSqrt)
          .StartsWith("FCVT", C::FloatConvert)
          .StartsWith("FMV", C::FloatMove)
          .StartsWith("FSGNJ", C::FloatMove)
          .StartsWith("FEQ", C::FloatCompare)
          .StartsWith("FLT", C::FloatCompare)
          .StartsWith("FLE", C::FloatCompare)
          .StartsWith("FCLASS", C::FloatCompare)
          .Cases({"FADD_S", "FSUB_S", "FMIN_S", "FMAX_S", "FADD_D", "FSUB_D", "FMIN_D", "FMAX_D"},
                 C::FloatAlu)
          .Default(C::Unknown);
  if (!name.ends_with("_D"))
    return kind;
  if (kind == C::FloatMultiply || kind == C::FloatMultiplyAdd)
    return C::DoubleMultiply;
  if (kind == C::FloatDivide || kind == C::FloatSqrt)
    return C::DoubleDivide;
  return kind == C::FloatAlu ? C::DoubleAlu : kind;
}

InstructionClass cost::classifyRiscv(StringRef name, const llvm::MCInst &instruction,
                                     const llvm::MCInstrDesc &description,
                                     const llvm::MCRegisterInfo &info, unsigned &registers) {
  if (name == "JAL")
    return links(instruction, info) ? C::Call : C::Branch;
  if (name == "JALR")
    return links(instruction, info) ? C::CallIndirect : C::BranchIndirect;
  C kind = classifyInteger(name);
  if (kind == C::Unknown)
    kind = classifyFloat(name);
  if (kind == C::StoreMultiple || kind == C::LoadMultiple || kind == C::PopReturn)
    registers = pushedRegisters(instruction);
  if (kind != C::Unknown)
    return kind;
  // What is left works on registers, as long as it neither touches memory (atomics) nor branches.
  bool plain = !description.mayLoad() && !description.mayStore() && !description.isBranch();
  return plain ? C::Alu : C::Unknown;
}
