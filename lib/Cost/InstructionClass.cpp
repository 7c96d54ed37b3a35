#include "mfc/Cost/InstructionClass.h"

using namespace mfc;

llvm::StringRef mfc::spelling(InstructionClass kind) {
  using C = InstructionClass;
  switch (kind) {
  case C::Alu: return "data processing";
  case C::Nop: return "no operation";
  case C::IfThen: return "IT";
  case C::System: return "system";
  case C::Multiply: return "multiply";
  case C::MultiplyAdd: return "multiply-accumulate";
  case C::MultiplyHigh: return "multiply high";
  case C::MultiplyLong: return "multiply long";
  case C::MultiplyLongAdd: return "multiply-accumulate long";
  case C::MultiplyDsp: return "DSP multiply";
  case C::MultiplyDspAdd: return "DSP multiply-accumulate";
  case C::Divide: return "divide";
  case C::Load: return "load";
  case C::LoadNarrow: return "load byte or halfword";
  case C::LoadLiteral: return "load literal";
  case C::LoadPair: return "load pair";
  case C::LoadMultiple: return "load multiple";
  case C::LoadPc: return "load to PC";
  case C::Store: return "store";
  case C::StoreIndexed: return "store, register offset";
  case C::StorePair: return "store pair";
  case C::StoreMultiple: return "store multiple";
  case C::Branch: return "branch";
  case C::BranchIf: return "conditional branch";
  case C::BranchIndirect: return "indirect branch";
  case C::BranchTable: return "table branch";
  case C::Call: return "call";
  case C::CallIndirect: return "indirect call";
  case C::PopReturn: return "pop and return";
  case C::LoopStart: return "loop start";
  case C::LoopEnd: return "loop end";
  case C::FloatAlu: return "float add";
  case C::FloatCompare: return "float compare";
  case C::FloatConvert: return "float convert";
  case C::FloatMove: return "float move";
  case C::FloatMultiply: return "float multiply";
  case C::FloatMultiplyAdd: return "float multiply-accumulate";
  case C::FloatDivide: return "float divide";
  case C::FloatSqrt: return "float square root";
  case C::FloatLoad: return "float load";
  case C::FloatStore: return "float store";
  case C::FloatLoadMultiple: return "float load multiple";
  case C::FloatStoreMultiple: return "float store multiple";
  case C::DoubleAlu: return "double add, compare, convert";
  case C::DoubleMultiply: return "double multiply";
  case C::DoubleDivide: return "double divide, square root";
  case C::Vector: return "vector";
  case C::VectorLoad: return "vector load";
  case C::VectorStore: return "vector store";
  case C::Unknown: return "unknown";
  }
  return "unknown";
}
