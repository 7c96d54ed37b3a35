// The kinds of machine instructions that the cost tables tell apart: the same list for Arm and
// RISC-V.
#ifndef MFC_COST_INSTRUCTIONCLASS_H
#define MFC_COST_INSTRUCTIONCLASS_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>

namespace mfc {

enum class InstructionClass : unsigned char {
  Alu, ///< moves, arithmetic, logic, shifts, extensions, bit fields, saturation
  Nop,
  IfThen,          ///< IT
  System,          ///< special registers, barriers, hints, traps
  Multiply,        ///< 32 x 32 -> 32
  MultiplyAdd,     ///< MLA, MLS
  MultiplyHigh,    ///< RISC-V MULH*
  MultiplyLong,    ///< SMULL, UMULL
  MultiplyLongAdd, ///< SMLAL, UMLAL, UMAAL
  MultiplyDsp,     ///< SMUAD, SMULBB, SMMUL ...
  MultiplyDspAdd,  ///< SMLAD, SMLABB, SMMLA ...
  Divide,
  Load,           ///< one register; RISC-V: a word
  LoadNarrow,     ///< RISC-V byte and halfword
  LoadLiteral,    ///< Arm, PC-relative
  LoadPair,       ///< LDRD
  LoadMultiple,   ///< LDM, POP without PC, CM.POP: N registers
  LoadPc,         ///< LDR to PC
  Store,          ///< one register, immediate offset
  StoreIndexed,   ///< one register, register offset
  StorePair,      ///< STRD
  StoreMultiple,  ///< STM, PUSH, CM.PUSH: N registers
  Branch,         ///< direct, always
  BranchIf,       ///< direct, conditional; CBZ
  BranchIndirect, ///< BX, JALR, and the plain return
  BranchTable,    ///< TBB, TBH
  Call,
  CallIndirect,
  PopReturn, ///< POP with PC, CM.POPRET: N registers
  LoopStart, ///< DLS, WLS, DLSTP, WLSTP
  LoopEnd,   ///< LE, LETP
  FloatAlu,  ///< add, subtract, minimum, select, absolute value, negate
  FloatCompare,
  FloatConvert,
  FloatMove, ///< within and into the FPU registers, VMRS
  FloatMultiply,
  FloatMultiplyAdd, ///< VMLA and VFMA families, FMADD
  FloatDivide,
  FloatSqrt,
  FloatLoad,
  FloatStore,
  FloatLoadMultiple,  ///< N words
  FloatStoreMultiple, ///< N words
  DoubleAlu,          ///< double precision: everything but the next two
  DoubleMultiply,     ///< and multiply-add
  DoubleDivide,       ///< and square root
  Vector,             ///< MVE arithmetic
  VectorLoad,
  VectorStore,
  Unknown, ///< bytes that decode to nothing, or to nothing that the list knows
};

constexpr size_t kInstructionClasses = static_cast<size_t>(InstructionClass::Unknown) + 1;

llvm::StringRef spelling(InstructionClass kind);

} // namespace mfc
#endif
