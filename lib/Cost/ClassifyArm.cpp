// Classes of the Thumb, VFP and MVE instructions, by the names of LLVM's opcodes.
#include "Classify.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/MC/MCRegisterInfo.h"

using namespace mfc;
using namespace mfc::cost;
using llvm::StringRef;
using C = InstructionClass;

static bool isPc(llvm::MCRegister reg, const llvm::MCRegisterInfo &info) {
  return reg.isValid() && StringRef(info.getName(reg)) == "PC";
}

/// Operands behind the fixed ones: the register list of LDM, STM, PUSH, POP, VLDM and VSTM.
static unsigned listLength(const llvm::MCInst &instruction, const llvm::MCInstrDesc &description) {
  unsigned fixed = description.getNumOperands();
  // The last fixed operand is the list's first register.
  return instruction.getNumOperands() >= fixed ? instruction.getNumOperands() - fixed + 1 : 1;
}

static bool listHasPc(const llvm::MCInst &instruction, const llvm::MCRegisterInfo &info) {
  const llvm::MCOperand &last = instruction.getOperand(instruction.getNumOperands() - 1);
  return last.isReg() && isPc(last.getReg(), info);
}

static C classifyBranch(StringRef name, const llvm::MCInst &) {
  return llvm::StringSwitch<C>(name)
      .Cases({"tB", "t2B"}, C::Branch)
      .Cases({"tBcc", "t2Bcc", "tCBZ", "tCBNZ"}, C::BranchIf)
      .Cases({"tBL", "tBLXi"}, C::Call)
      .Cases({"tBLXr", "tBLXNSr"}, C::CallIndirect)
      .Cases({"tBX", "tBXNS"}, C::BranchIndirect)
      .Cases({"t2TBB", "t2TBH"}, C::BranchTable)
      .Cases({"t2DLS", "t2WLS"}, C::LoopStart)
      .StartsWith("MVE_DLSTP", C::LoopStart)
      .StartsWith("MVE_WLSTP", C::LoopStart)
      .Cases({"t2LE", "t2LEUpdate", "MVE_LETP"}, C::LoopEnd)
      .Default(C::Unknown);
}

static C classifyMultiply(StringRef name) {
  return llvm::StringSwitch<C>(name)
      .Cases({"tMUL", "t2MUL"}, C::Multiply)
      .Cases({"t2MLA", "t2MLS"}, C::MultiplyAdd)
      .Cases({"t2SMULL", "t2UMULL"}, C::MultiplyLong)
      .Cases({"t2UMLAL", "t2UMAAL", "t2SMLAL"}, C::MultiplyLongAdd)
      .StartsWith("t2SMLAL", C::MultiplyLongAdd)
      .StartsWith("t2SMLSL", C::MultiplyLongAdd)
      .StartsWith("t2SMLA", C::MultiplyDspAdd)
      .StartsWith("t2SMLS", C::MultiplyDspAdd)
      .StartsWith("t2SMMLA", C::MultiplyDspAdd)
      .StartsWith("t2SMMLS", C::MultiplyDspAdd)
      .StartsWith("t2SMUL", C::MultiplyDsp)
      .StartsWith("t2SMUAD", C::MultiplyDsp)
      .StartsWith("t2SMUSD", C::MultiplyDsp)
      .StartsWith("t2SMMUL", C::MultiplyDsp)
      .Cases({"t2SDIV", "t2UDIV"}, C::Divide)
      .Default(C::Unknown);
}

static C classifyFloatMemory(StringRef name) {
  if (name.starts_with("VLDM"))
    return C::FloatLoadMultiple;
  if (name.starts_with("VSTM"))
    return C::FloatStoreMultiple;
  if (name.starts_with("VLDR"))
    return C::FloatLoad;
  return name.starts_with("VSTR") ? C::FloatStore : C::Unknown;
}

/// Names end in S, D or H for the precision.
static C classifyFloat(StringRef name) {
  if (C memory = classifyFloatMemory(name); memory != C::Unknown)
    return memory;
  C single = llvm::StringSwitch<C>(name)
                 .StartsWith("VMOV", C::FloatMove)
                 .StartsWith("FCONST", C::FloatMove)
                 .StartsWith("VMRS", C::FloatMove)
                 .StartsWith("VMSR", C::FloatMove)
                 .Case("FMSTAT", C::FloatMove)
                 .StartsWith("VCMP", C::FloatCompare)
                 .StartsWith("VCVT", C::FloatConvert)
                 .StartsWith("VSITO", C::FloatConvert)
                 .StartsWith("VUITO", C::FloatConvert)
                 .StartsWith("VTO", C::FloatConvert)
                 .StartsWith("VRINT", C::FloatConvert)
                 .StartsWith("VMUL", C::FloatMultiply)
                 .StartsWith("VNMUL", C::FloatMultiply)
                 .StartsWith("VMLA", C::FloatMultiplyAdd)
                 .StartsWith("VMLS", C::FloatMultiplyAdd)
                 .StartsWith("VNML", C::FloatMultiplyAdd)
                 .StartsWith("VFM", C::FloatMultiplyAdd)
                 .StartsWith("VFNM", C::FloatMultiplyAdd)
                 .StartsWith("VDIV", C::FloatDivide)
                 .StartsWith("VSQRT", C::FloatSqrt)
                 .Default(C::FloatAlu);
  if (!name.ends_with("D") || single == C::FloatMove)
    return single;
  if (single == C::FloatMultiply || single == C::FloatMultiplyAdd)
    return C::DoubleMultiply;
  if (single == C::FloatDivide || single == C::FloatSqrt)
    return C::DoubleDivide;
  return C::DoubleAlu;
}

static C classifyLoad(StringRef name, const llvm::MCInst &instruction,
                      const llvm::MCRegisterInfo &info) {
  if (name.contains("LDM") || name.starts_with("tPOP"))
    return listHasPc(instruction, info) ? C::PopReturn : C::LoadMultiple;
  if (name.starts_with("t2LDRD"))
    return C::LoadPair;
  if (instruction.getNumOperands() > 0 && instruction.getOperand(0).isReg() &&
      isPc(instruction.getOperand(0).getReg(), info))
    return C::LoadPc;
  return name.contains("pci") ? C::LoadLiteral : C::Load;
}

static C classifyStore(StringRef name) {
  if (name.contains("STM") || name.starts_with("tPUSH"))
    return C::StoreMultiple;
  if (name.starts_with("t2STRD"))
    return C::StorePair;
  bool indexed = llvm::StringSwitch<bool>(name)
                     .Cases({"tSTRr", "tSTRBr", "tSTRHr", "t2STRs", "t2STRBs", "t2STRHs"}, true)
                     .Default(false);
  return indexed ? C::StoreIndexed : C::Store;
}

static bool startsWithAny(StringRef name, std::initializer_list<StringRef> prefixes) {
  for (StringRef prefix : prefixes)
    if (name.starts_with(prefix))
      return true;
  return false;
}

static bool isSystem(StringRef name) {
  return startsWithAny(name,
                       {"t2DMB", "t2DSB", "t2ISB", "t2MRS", "t2MSR", "t2MRC", "t2MCR", "t2CDP",
                        "tCPS", "tSVC", "tBKPT", "tUDF", "t2UDF", "t2CLREX", "t2SG"});
}

InstructionClass cost::classifyArm(StringRef name, const llvm::MCInst &instruction,
                                   const llvm::MCInstrDesc &description,
                                   const llvm::MCRegisterInfo &info, unsigned &registers) {
  if (C branch = classifyBranch(name, instruction); branch != C::Unknown)
    return branch;
  if (name.starts_with("MVE_"))
    return description.mayLoad()    ? C::VectorLoad
           : description.mayStore() ? C::VectorStore
                                    : C::Vector;
  if (name.starts_with("V") || name.starts_with("FCONST") || name == "FMSTAT") {
    C kind = classifyFloat(name);
    if (kind == C::FloatLoadMultiple || kind == C::FloatStoreMultiple)
      registers = listLength(instruction, description) *
                  (name.starts_with("VLDMD") || name.starts_with("VSTMD") ? 2 : 1);
    if (kind == C::FloatLoad || kind == C::FloatStore)
      registers = name.ends_with("D") ? 2 : 1;
    return kind;
  }
  if (C multiply = classifyMultiply(name); multiply != C::Unknown)
    return multiply;
  if (name == "t2IT")
    return C::IfThen;
  if (name == "tHINT" || name == "t2HINT")
    return C::Nop;
  if (isSystem(name))
    return C::System;
  // Not by the description: SADD16, NOP and others claim that they may access memory.
  C kind = C::Alu;
  if (startsWithAny(name, {"tLD", "t2LD", "tPOP"}))
    kind = classifyLoad(name, instruction, info);
  else if (startsWithAny(name, {"tST", "t2ST", "tPUSH"}))
    kind = classifyStore(name);
  if (kind == C::LoadMultiple || kind == C::PopReturn || kind == C::StoreMultiple)
    registers = listLength(instruction, description);
  if (kind == C::LoadPair || kind == C::StorePair)
    registers = 2;
  return kind;
}
