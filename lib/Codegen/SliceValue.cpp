#include "SliceValue.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mfc;
using namespace mfc::codegen;
using namespace llvm;

/// Bits of an integer or pointer; 0 for what is not evaluated (vectors, floats, wide integers).
static unsigned widthOf(const Type *type, const DataLayout &layout) {
  if (type->isPointerTy())
    return layout.getPointerSizeInBits();
  return type->isIntegerTy() && type->getIntegerBitWidth() <= 64 ? type->getIntegerBitWidth() : 0;
}

static uint64_t cut(uint64_t bits, unsigned width) {
  return bits & maskTrailingOnes<uint64_t>(width);
}
static int64_t asSigned(uint64_t bits, unsigned width) { return SignExtend64(bits, width); }

static SliceValue gepValue(const GEPOperator &gep, const DataLayout &layout, ValueLookup operand) {
  SliceValue value = operand(gep.getPointerOperand());
  if (!value.known)
    return {};
  for (auto it = gep_type_begin(gep), end = gep_type_end(gep); it != end; ++it) {
    SliceValue index = operand(it.getOperand());
    if (!index.known || index.base)
      return {};
    if (StructType *type = it.getStructTypeOrNull()) {
      value.bits +=
          layout.getStructLayout(type)->getElementOffset(static_cast<unsigned>(index.bits));
      continue;
    }
    unsigned width = widthOf(it.getOperand()->getType(), layout);
    value.bits += static_cast<uint64_t>(asSigned(index.bits, width)) *
                  it.getSequentialElementStride(layout).getFixedValue();
  }
  value.bits = cut(value.bits, layout.getPointerSizeInBits());
  return value;
}

SliceValue codegen::evaluateLeaf(const llvm::Value *value, const DataLayout &layout) {
  unsigned width = widthOf(value->getType(), layout);
  if (width == 0)
    return {};
  if (auto *integer = dyn_cast<ConstantInt>(value))
    return SliceValue::integer(integer->getZExtValue());
  if (isa<ConstantPointerNull>(value))
    return SliceValue::integer(0);
  if (auto *argument = dyn_cast<Argument>(value); argument && value->getType()->isPointerTy())
    return {true, argument, 0};
  if (isa<GlobalValue>(value))
    return {true, value, 0};
  auto again = [&](const llvm::Value *v) { return evaluateLeaf(v, layout); };
  if (auto *constant = dyn_cast<ConstantExpr>(value)) {
    if (auto *gep = dyn_cast<GEPOperator>(constant))
      return gepValue(*gep, layout, again);
    if (constant->getOpcode() == Instruction::PtrToInt ||
        constant->getOpcode() == Instruction::IntToPtr)
      return again(constant->getOperand(0));
  }
  return {};
}

/// Division by zero and over-long shifts stay unknown: they do not happen in code that is correct.
static SliceValue integerValue(unsigned opcode, uint64_t a, uint64_t b, unsigned width) {
  int64_t sa = asSigned(a, width), sb = asSigned(b, width);
  auto result = [&](uint64_t bits) { return SliceValue::integer(cut(bits, width)); };
  switch (opcode) {
  case Instruction::Add:
    return result(a + b);
  case Instruction::Sub:
    return result(a - b);
  case Instruction::Mul:
    return result(a * b);
  case Instruction::And:
    return result(a & b);
  case Instruction::Or:
    return result(a | b);
  case Instruction::Xor:
    return result(a ^ b);
  default:
    break;
  }
  if (opcode == Instruction::Shl || opcode == Instruction::LShr || opcode == Instruction::AShr) {
    if (b >= width)
      return {};
    return result(opcode == Instruction::Shl    ? a << b
                  : opcode == Instruction::LShr ? a >> b
                                                : static_cast<uint64_t>(sa >> b));
  }
  if (b == 0 || (sb == -1 && sa == minIntN(width)))
    return {};
  switch (opcode) {
  case Instruction::UDiv:
    return result(a / b);
  case Instruction::URem:
    return result(a % b);
  case Instruction::SDiv:
    return result(static_cast<uint64_t>(sa / sb));
  case Instruction::SRem:
    return result(static_cast<uint64_t>(sa % sb));
  default:
    return {};
  }
}

static SliceValue binaryValue(unsigned opcode, const SliceValue &a, const SliceValue &b,
                              unsigned width) {
  if (!a.known || !b.known)
    return {};
  if (!a.base && !b.base)
    return integerValue(opcode, a.bits, b.bits, width);
  // Addresses that were turned into integers.
  if (opcode == Instruction::Sub && a.base == b.base)
    return SliceValue::integer(cut(a.bits - b.bits, width));
  if (opcode == Instruction::Sub && !b.base)
    return {true, a.base, cut(a.bits - b.bits, width)};
  if (opcode == Instruction::Add && (!a.base || !b.base))
    return {true, a.base ? a.base : b.base, cut(a.bits + b.bits, width)};
  return {};
}

/// Addresses of one object compare like their offsets: objects do not wrap around the end of
/// memory.
static SliceValue comparisonValue(CmpInst::Predicate predicate, const SliceValue &a,
                                  const SliceValue &b, unsigned width) {
  if (!a.known || !b.known)
    return {};
  if (a.base != b.base) {
    // An object is not at address 0.
    bool null = (!a.base && a.bits == 0) || (!b.base && b.bits == 0);
    if (null && CmpInst::isEquality(predicate))
      return SliceValue::integer(predicate == CmpInst::ICMP_NE);
    return {};
  }
  APInt left(width, a.bits), right(width, b.bits);
  if (a.base && CmpInst::isUnsigned(predicate)) // offsets may be negative
    predicate = ICmpInst::getSignedPredicate(predicate);
  return SliceValue::integer(ICmpInst::compare(left, right, predicate));
}

static SliceValue intrinsicValue(const IntrinsicInst &call, unsigned width, ValueLookup operand) {
  auto pick = [&](CmpInst::Predicate predicate) -> SliceValue {
    SliceValue a = operand(call.getArgOperand(0)), b = operand(call.getArgOperand(1));
    SliceValue first = comparisonValue(predicate, a, b, width);
    return !first.known ? SliceValue() : first.bits ? a : b;
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::smin:
    return pick(CmpInst::ICMP_SLT);
  case Intrinsic::smax:
    return pick(CmpInst::ICMP_SGT);
  case Intrinsic::umin:
    return pick(CmpInst::ICMP_ULT);
  case Intrinsic::umax:
    return pick(CmpInst::ICMP_UGT);
  case Intrinsic::usub_sat: {
    SliceValue less = comparisonValue(CmpInst::ICMP_ULT, operand(call.getArgOperand(0)),
                                      operand(call.getArgOperand(1)), width);
    if (!less.known || less.bits)
      return less.known ? SliceValue::integer(0) : SliceValue();
    return binaryValue(Instruction::Sub, operand(call.getArgOperand(0)),
                       operand(call.getArgOperand(1)), width);
  }
  // Hardware loops (HardwareLoops.cpp of LLVM): the count goes in, and one less comes out each
  // time.
  case Intrinsic::start_loop_iterations:
  case Intrinsic::test_start_loop_iterations:
    return operand(call.getArgOperand(0));
  case Intrinsic::test_set_loop_iterations: {
    SliceValue count = operand(call.getArgOperand(0));
    return count.known && !count.base ? SliceValue::integer(count.bits != 0) : SliceValue();
  }
  case Intrinsic::loop_decrement_reg:
    return binaryValue(Instruction::Sub, operand(call.getArgOperand(0)),
                       operand(call.getArgOperand(1)), width);
  default:
    return {};
  }
}

/// test.start.loop.iterations returns the count and whether it is not 0.
static SliceValue extractedValue(const ExtractValueInst &extract, ValueLookup operand) {
  auto *call = dyn_cast<IntrinsicInst>(extract.getAggregateOperand());
  if (!call || call->getIntrinsicID() != Intrinsic::test_start_loop_iterations)
    return {};
  SliceValue count = operand(call->getArgOperand(0));
  if (extract.getIndices()[0] == 0 || !count.known)
    return count;
  return count.base ? SliceValue() : SliceValue::integer(count.bits != 0);
}

static SliceValue castValue(const CastInst &cast, const DataLayout &layout, ValueLookup operand) {
  SliceValue value = operand(cast.getOperand(0));
  unsigned from = widthOf(cast.getSrcTy(), layout), to = widthOf(cast.getDestTy(), layout);
  if (!value.known || from == 0 || to == 0)
    return {};
  if (value.base)
    return from == to ? value : SliceValue();
  if (isa<SExtInst>(cast))
    return SliceValue::integer(cut(static_cast<uint64_t>(asSigned(value.bits, from)), to));
  return SliceValue::integer(cut(value.bits, std::min(from, to)));
}

SliceValue codegen::evaluateInstruction(const Instruction &instruction, const DataLayout &layout,
                                        ValueLookup operand) {
  if (auto *extract = dyn_cast<ExtractValueInst>(&instruction))
    return extractedValue(*extract, operand);
  unsigned width = widthOf(instruction.getType(), layout);
  if (width == 0)
    return {};
  if (auto *comparison = dyn_cast<ICmpInst>(&instruction)) {
    unsigned operands = widthOf(comparison->getOperand(0)->getType(), layout);
    if (operands == 0)
      return {};
    return comparisonValue(comparison->getPredicate(), operand(comparison->getOperand(0)),
                           operand(comparison->getOperand(1)), operands);
  }
  if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return binaryValue(binary->getOpcode(), operand(binary->getOperand(0)),
                       operand(binary->getOperand(1)), width);
  if (auto *gep = dyn_cast<GEPOperator>(&instruction))
    return gepValue(*gep, layout, operand);
  if (auto *cast = dyn_cast<CastInst>(&instruction))
    return castValue(*cast, layout, operand);
  if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    SliceValue condition = operand(select->getCondition());
    if (!condition.known)
      return {};
    return operand(condition.bits ? select->getTrueValue() : select->getFalseValue());
  }
  if (isa<FreezeInst>(instruction))
    return operand(instruction.getOperand(0));
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return intrinsicValue(*call, width, operand);
  return {};
}
