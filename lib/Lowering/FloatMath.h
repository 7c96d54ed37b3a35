// exp and its relatives as IR: own polynomials, since a library without undefined symbols has no libm.
#ifndef MFC_LIB_LOWERING_FLOATMATH_H
#define MFC_LIB_LOWERING_FLOATMATH_H

#include "KernelBuilder.h"

namespace mfc {

/// exp(x) of floats (scalar or lanes): relative error below 2e-7 where the result is a normal number, 0 below
/// -87.33, infinity-free above (saturates at exp(88.37)).
llvm::Value *emitExp(KernelBuilder &kb, llvm::Value *x);

/// 1 / (1 + exp(-x)); absolute error below 2e-7.
llvm::Value *emitLogistic(KernelBuilder &kb, llvm::Value *x);

/// tanh(x) = 1 - 2 / (exp(2x) + 1); absolute error below 3e-7.
llvm::Value *emitTanh(KernelBuilder &kb, llvm::Value *x);

/// Square root: the instruction where there is one, else three Newton steps on 1/sqrt; relative error below 3e-7.
llvm::Value *emitSqrt(KernelBuilder &kb, llvm::Value *x);

/// Nearest integer, ties to even, of |x| < 2^22, as i32 lanes.
llvm::Value *emitRoundHalfEven(KernelBuilder &kb, llvm::Value *x);
/// Nearest integer, ties away from zero, of |x| < 2^22, as i32 lanes.
llvm::Value *emitRoundHalfAway(KernelBuilder &kb, llvm::Value *x);

/// min(max(x, lo), hi) by comparisons (soft-float targets have no fmin call to make); NaN gives `lo`.
llvm::Value *emitClampFloat(KernelBuilder &kb, llvm::Value *x, double lo, double hi);

} // namespace mfc
#endif
