// Wrong code in LLVM 22.1.8 (and 14), targets with float MVE. The instruction selector turns
//     fmul (sitofp or uitofp %x), splat 2^-n      and      fptosi or fptoui (fmul %x, splat 2^n)
// into VCVT with n fraction bits. It builds n as an ordinary constant node, not as an immediate: when the
// same block uses the constant n for anything else, the two nodes become one, the constant goes to a
// register, and the number of that register is encoded as the fraction bits. The machine verifier is silent.
// Dequantizing with a power-of-two scale is exactly this pattern.
//
// Two forms are safe and give the same values:
//  - the intrinsic llvm.arm.mve.vcvt.fix, whose n is a true immediate. Scaling by a power of two is exact,
//    so one instruction rounds the same way as two. It exists for the full vectors of 32 and 16 bits.
//  - a scale that the selector cannot see: its bits pass through an empty inline asm. For all other types,
//    which legalisation may turn into a full vector later.
#include "FixedPointConversions.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsARM.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

/// A multiplication (or division) by a power of two that meets a conversion.
struct Match {
  Instruction *scaling = nullptr;    ///< the fmul or fdiv
  Instruction *conversion = nullptr; ///< int->float before it, or float->int after it
  Value *input = nullptr;            ///< what the first of the two works on
  int exponent = 0;                  ///< the scale is 2^exponent (after turning fdiv into fmul)
  bool toFloat = false;
  bool isUnsigned = false;
};

} // namespace

/// log2 of a constant splat that is an exact power of two with 1 <= |log2| <= 32.
static bool splatExponent(Value *value, int &exponent) {
  auto *scalar = dyn_cast_or_null<ConstantFP>(getSplatValue(value));
  if (!scalar || scalar->isNegative() || !scalar->getValueAPF().isFiniteNonZero())
    return false;
  exponent = scalar->getValueAPF().getExactLog2Abs();
  return exponent != INT_MIN && exponent != 0 && exponent >= -32 && exponent <= 32;
}

/// The operand that is scaled, if the instruction scales a vector by a power of two.
static Value *scaledOperand(Instruction &instruction, int &exponent) {
  if (!isa<FixedVectorType>(instruction.getType()) ||
      instruction.getType()->getScalarSizeInBits() > 32)
    return nullptr; // f64 vectors do not exist on these cores
  Value *lhs = instruction.getOpcode() == Instruction::FMul ||
                       instruction.getOpcode() == Instruction::FDiv
                   ? instruction.getOperand(0)
                   : nullptr;
  if (!lhs)
    return nullptr;
  Value *rhs = instruction.getOperand(1);
  if (splatExponent(rhs, exponent)) {
    if (instruction.getOpcode() == Instruction::FDiv)
      exponent = -exponent;
    return lhs;
  }
  if (instruction.getOpcode() == Instruction::FMul && splatExponent(lhs, exponent))
    return rhs;
  return nullptr;
}

/// True for float->int conversions; says whether the result is unsigned.
static bool isFloatToInt(const Instruction &instruction, bool &isUnsigned) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    isUnsigned = call->getIntrinsicID() == Intrinsic::fptoui_sat;
    return isUnsigned || call->getIntrinsicID() == Intrinsic::fptosi_sat;
  }
  isUnsigned = instruction.getOpcode() == Instruction::FPToUI;
  return isUnsigned || instruction.getOpcode() == Instruction::FPToSI;
}

static void findMatches(Instruction &scaling, SmallVectorImpl<Match> &matches) {
  int exponent = 0;
  Value *scaled = scaledOperand(scaling, exponent);
  if (!scaled)
    return;
  if (exponent < 0 && (isa<SIToFPInst>(scaled) || isa<UIToFPInst>(scaled))) {
    auto *conversion = cast<Instruction>(scaled);
    matches.push_back({&scaling, conversion, conversion->getOperand(0), exponent, true,
                       isa<UIToFPInst>(conversion)});
    return;
  }
  if (exponent <= 0)
    return;
  for (User *user : scaling.users()) {
    auto *conversion = dyn_cast<Instruction>(user);
    bool isUnsigned = false;
    if (conversion && isFloatToInt(*conversion, isUnsigned))
      matches.push_back({&scaling, conversion, scaled, exponent, false, isUnsigned});
  }
}

/// The intrinsic works on full vectors of one element width, with as many fraction bits at most.
static bool fitsIntrinsic(const Match &match, Type *integer, Type *floating) {
  auto *vector = dyn_cast<FixedVectorType>(floating);
  if (!vector || vector->getPrimitiveSizeInBits() != 128)
    return false;
  unsigned bits = vector->getScalarSizeInBits();
  return (vector->getElementType()->isFloatTy() || vector->getElementType()->isHalfTy()) &&
         integer->getScalarSizeInBits() == bits && static_cast<unsigned>(abs(match.exponent)) <= bits;
}

static bool replaceByIntrinsic(const Match &match) {
  Instruction &last = match.toFloat ? *match.scaling : *match.conversion;
  Type *integer = match.toFloat ? match.input->getType() : last.getType();
  Type *floating = match.toFloat ? last.getType() : match.input->getType();
  if (!fitsIntrinsic(match, integer, floating))
    return false;
  IRBuilder<> builder(&last);
  Value *fixed = builder.CreateIntrinsic(
      Intrinsic::arm_mve_vcvt_fix, {last.getType(), match.input->getType()},
      {builder.getInt32(match.isUnsigned), match.input, builder.getInt32(abs(match.exponent))});
  fixed->takeName(&last);
  last.replaceAllUsesWith(fixed);
  return true;
}

/// The bits of the scale, through an asm that emits nothing and that no optimisation looks into.
static void hideScale(Instruction &scaling) {
  unsigned index = 1;
  int exponent = 0;
  if (!splatExponent(scaling.getOperand(1), exponent))
    index = 0;
  auto *vector = cast<FixedVectorType>(scaling.getType());
  auto *scale = cast<ConstantFP>(getSplatValue(scaling.getOperand(index)));
  IRBuilder<> builder(&scaling);
  Type *bits = builder.getIntNTy(vector->getScalarSizeInBits());
  InlineAsm *opaque = InlineAsm::get(FunctionType::get(builder.getInt32Ty(), builder.getInt32Ty(), false),
                                     "", "=r,0", /*hasSideEffects=*/false);
  Value *hidden = builder.CreateCall(
      opaque, builder.getInt32(scale->getValueAPF().bitcastToAPInt().getZExtValue()));
  hidden = builder.CreateBitCast(builder.CreateTrunc(hidden, bits), scale->getType());
  scaling.setOperand(index, builder.CreateVectorSplat(vector->getNumElements(), hidden));
}

unsigned mfc::codegen::hideFixedPointConversions(Module &module) {
  SmallVector<Match> matches;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      findMatches(instruction, matches);
  // A scaling that feeds both a replaced conversion and another user stays, and stays harmless.
  SmallVector<WeakTrackingVH> maybeDead;
  for (const Match &match : matches) {
    int exponent = 0;
    if (!replaceByIntrinsic(match) && scaledOperand(*match.scaling, exponent))
      hideScale(*match.scaling);
    maybeDead.emplace_back(match.scaling);
    maybeDead.emplace_back(match.conversion);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(maybeDead);
  return matches.size();
}
