// Cody-Waite range reduction and a Taylor polynomial on [-ln2/2, ln2/2] (degree 7: the first term left out is below 5e-9 of the
// result). Constants: ln 2 split so that n * ln2High is exact for |n| < 2^9.
#include "FloatMath.h"

#include "Target/TargetHooks.h"

#include "llvm/ADT/bit.h"
#include "llvm/IR/Intrinsics.h"

using namespace mfc;

static llvm::Constant *real(llvm::Value *like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

static llvm::Type *intLanes(KernelBuilder &kb, llvm::Value *x) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
    return llvm::FixedVectorType::get(kb.i32Type(), vector->getNumElements());
  return kb.i32Type();
}

llvm::Value *mfc::emitRoundHalfEven(KernelBuilder &kb, llvm::Value *x) {
  // Adding 1.5 * 2^23 leaves no bits for the fraction; the addition itself rounds to nearest even.
  llvm::Value *magic = real(x, 12582912.0);
  llvm::Value *bits = kb.b.CreateBitCast(kb.b.CreateFAdd(x, magic), intLanes(kb, x));
  return kb.b.CreateSub(bits, kb.intLike(bits, 0x4b400000));
}

llvm::Value *mfc::emitRoundHalfAway(KernelBuilder &kb, llvm::Value *x) {
  llvm::Value *whole = kb.b.CreateFPToSI(x, intLanes(kb, x)); // toward zero
  llvm::Value *rest = kb.b.CreateFSub(x, emitIntToFloat(kb, whole)); // exact
  llvm::Value *up = kb.b.CreateZExt(kb.b.CreateFCmpOGE(rest, real(x, 0.5)), whole->getType());
  llvm::Value *down = kb.b.CreateZExt(kb.b.CreateFCmpOLE(rest, real(x, -0.5)), whole->getType());
  return kb.b.CreateSub(kb.b.CreateAdd(whole, up), down);
}

llvm::Value *mfc::emitClampFloat(KernelBuilder &kb, llvm::Value *x, double lo, double hi) {
  llvm::Value *above = kb.b.CreateSelect(kb.b.CreateFCmpOGT(x, real(x, lo)), x, real(x, lo));
  return kb.b.CreateSelect(kb.b.CreateFCmpOLT(above, real(x, hi)), above, real(x, hi));
}

/// x > limit, which is positive, or x is a NaN. In integers, which order like the floats of their sign: LLVM 22 selects an
/// unordered comparison of MVE vectors as an ordered one.
static llvm::Value *isAboveOrNaN(KernelBuilder &kb, llvm::Value *x, float limit) {
  llvm::Value *bits = kb.b.CreateBitCast(x, intLanes(kb, x));
  llvm::Value *above = kb.b.CreateICmpSGT(bits, kb.intLike(bits, llvm::bit_cast<int32_t>(limit)));
  llvm::Value *negativeNaN = kb.b.CreateICmpUGT(bits, kb.intLike(bits, 0xff800000));
  return kb.b.CreateOr(above, negativeNaN);
}

llvm::Value *mfc::emitExp(KernelBuilder &kb, llvm::Value *x) {
  constexpr double log2e = 1.44269504088896341, ln2High = 0.693359375, ln2Low = -2.12194440054690583e-4;
  constexpr double lowest = -87.33;     // below, 2^-126 is near: the result is 0
  constexpr float highest = 88.722831f; // the last float below 128 ln 2; above, the result is infinite
  llvm::Value *tiny = kb.b.CreateFCmpOLT(x, real(x, lowest));
  llvm::Value *special = isAboveOrNaN(kb, x, highest);
  llvm::Value *c = emitClampFloat(kb, x, lowest, highest);
  llvm::Value *n = emitRoundHalfEven(kb, kb.b.CreateFMul(c, real(x, log2e)));
  llvm::Value *nf = emitIntToFloat(kb, n);
  auto multiplyAdd = [&](llvm::Value *a, llvm::Value *m, llvm::Value *add) { return emitMultiplyAdd(kb, a, m, add); };
  llvm::Value *r = multiplyAdd(nf, real(x, -ln2High), c);
  r = multiplyAdd(nf, real(x, -ln2Low), r);
  llvm::Value *sum = real(x, 1.0 / 5040);
  for (double coefficient : {1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
    sum = multiplyAdd(sum, r, real(x, coefficient));
  // times 2^n: n goes straight into the exponent; the sum is in [0.7, 1.42] and n in [-126, 127], or below 1 and n = 128
  llvm::Value *bits = kb.b.CreateBitCast(sum, intLanes(kb, x));
  bits = kb.b.CreateAdd(bits, kb.b.CreateShl(n, kb.intLike(n, 23)));
  llvm::Value *result = kb.b.CreateSelect(tiny, real(x, 0), kb.b.CreateBitCast(bits, x->getType()));
  llvm::Value *beyond = kb.b.CreateFAdd(x, llvm::ConstantFP::getInfinity(x->getType())); // keeps a NaN
  return kb.b.CreateSelect(special, beyond, result);
}

llvm::Value *mfc::emitLogistic(KernelBuilder &kb, llvm::Value *x) {
  llvm::Value *e = emitExp(kb, kb.b.CreateFNeg(x));
  return kb.b.CreateFDiv(real(x, 1), kb.b.CreateFAdd(real(x, 1), e));
}

llvm::Value *mfc::emitTanh(KernelBuilder &kb, llvm::Value *x) {
  llvm::Value *e = emitExp(kb, kb.b.CreateFMul(x, real(x, 2)));
  return kb.b.CreateFSub(real(x, 1), kb.b.CreateFDiv(real(x, 2), kb.b.CreateFAdd(e, real(x, 1))));
}

llvm::Value *mfc::emitSqrt(KernelBuilder &kb, llvm::Value *x) {
  // MVE has no square root of a vector: LLVM takes one lane after the other.
  if (kb.cx.target.hasFPU || kb.cx.target.isHost())
    return kb.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
  // First guess of 1/sqrt by halving the exponent (C. Lomont, "Fast inverse square root", 2003), then Newton.
  llvm::Value *bits = kb.b.CreateBitCast(x, intLanes(kb, x));
  bits = kb.b.CreateSub(kb.intLike(bits, 0x5f375a86), kb.b.CreateLShr(bits, kb.intLike(bits, 1)));
  llvm::Value *y = kb.b.CreateBitCast(bits, x->getType());
  llvm::Value *halfX = kb.b.CreateFMul(x, real(x, 0.5));
  for (int step = 0; step < 3; ++step) {
    llvm::Value *error = kb.b.CreateFMul(kb.b.CreateFMul(halfX, y), y);
    y = kb.b.CreateFMul(y, kb.b.CreateFSub(real(x, 1.5), error));
  }
  // Zeros, infinity and NaN are their own roots; those of negative numbers are not numbers.
  llvm::Constant *infinity = llvm::ConstantFP::getInfinity(x->getType());
  llvm::Value *ordinary = kb.b.CreateAnd(kb.b.CreateFCmpOGT(x, real(x, 0)), kb.b.CreateFCmpOLT(x, infinity));
  llvm::Value *root = kb.b.CreateSelect(ordinary, kb.b.CreateFMul(x, y), x);
  return kb.b.CreateSelect(kb.b.CreateFCmpOLT(x, real(x, 0)), llvm::ConstantFP::getNaN(x->getType()), root);
}
