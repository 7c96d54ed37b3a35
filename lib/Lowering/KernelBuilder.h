// The builder of one kernel function: arguments, loops, loads and stores of tensor elements.
//
// "Lanes": emission code is written once for scalars (lanes 1) and short vectors (lanes 4); a value of several lanes
// is an LLVM vector, constants are splat. Elements are computed on in a wide domain: integers as i32 (i64 for i64
// tensors), floats as float.
#ifndef MFC_LIB_LOWERING_KERNELBUILDER_H
#define MFC_LIB_LOWERING_KERNELBUILDER_H

#include "LoweringContext.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mfc {

using Values = llvm::SmallVector<llvm::Value *, 8>;

class KernelBuilder {
public:
  KernelBuilder(LoweringContext &cx, llvm::Function *fn);

  LoweringContext &cx;
  llvm::Function *fn;
  llvm::IRBuilder<> b;

  // Types and constants.
  llvm::Type *i32Type() { return b.getInt32Ty(); }
  llvm::Type *wideType(ElementType element, unsigned lanes = 1);  ///< the computing type
  llvm::Type *storedType(ElementType element, unsigned lanes = 1); ///< the type in memory
  llvm::Value *i32(int64_t value) { return b.getInt32(static_cast<uint32_t>(value)); }
  llvm::Value *splat(llvm::Value *scalar, unsigned lanes);
  llvm::Value *wideConstant(ElementType element, double value, unsigned lanes = 1);
  llvm::Constant *intLike(llvm::Value *shape, int64_t value); ///< constant of the type of `shape`

  // Memory. Offsets are in bytes, i32.
  llvm::Value *at(llvm::Value *pointer, llvm::Value *byteOffset);
  llvm::Value *at(llvm::Value *pointer, int64_t byteOffset);
  /// Loads `lanes` neighbouring elements into the wide domain.
  llvm::Value *load(ElementType element, llvm::Value *pointer, unsigned lanes = 1);
  /// Narrows (wraps) from the wide domain and stores; saturation is the caller's business.
  void store(ElementType element, llvm::Value *value, llvm::Value *pointer);
  llvm::Value *loadAs(llvm::Type *type, llvm::Value *pointer, unsigned align);
  /// <16 x i8>. With words' alignment by VLDRW, which reaches four times as far as VLDRB.
  llvm::Value *loadBytes(llvm::Value *pointer, unsigned align);

  // Control flow. Counts are i32 and at least 1.
  using LoopBody = llvm::function_ref<Values(llvm::Value *index, llvm::ArrayRef<llvm::Value *> carried)>;
  /// for (i = 0; i < count; ++i) carried = body(i, carried); returns the final carried values. A constant count of 1
  /// emits the body once. `name` marks the loop's blocks (spill records name loops by it).
  Values loop(const char *name, llvm::Value *count, llvm::ArrayRef<llvm::Value *> initial, LoopBody body);
  Values loop(const char *name, int64_t count, llvm::ArrayRef<llvm::Value *> initial, LoopBody body);
  void loop(const char *name, int64_t count, llvm::function_ref<void(llvm::Value *index)> body);
  void loop(const char *name, llvm::Value *count, llvm::function_ref<void(llvm::Value *index)> body);
  /// for (i = begin; i < end; ++i), possibly never.
  Values rangeLoop(const char *name, llvm::Value *begin, llvm::Value *end, llvm::ArrayRef<llvm::Value *> initial,
                   LoopBody body);
  void ifThen(const char *name, llvm::Value *condition, llvm::function_ref<void()> body);
  Values ifElse(const char *name, llvm::Value *condition, llvm::function_ref<Values()> yes,
                llvm::function_ref<Values()> no);

  // Small arithmetic that folds constants.
  llvm::Value *add(llvm::Value *a, llvm::Value *c) { return b.CreateAdd(a, c); }
  llvm::Value *mulConst(llvm::Value *a, int64_t factor);
  llvm::Value *smin(llvm::Value *a, llvm::Value *c);
  llvm::Value *smax(llvm::Value *a, llvm::Value *c);
  /// max(lo, min(hi, v)) for integers in the wide domain.
  llvm::Value *clampInt(llvm::Value *v, int64_t lo, int64_t hi);

  /// Emits nothing, and keeps the back end from moving loads across: it would hoist them all and spill.
  void keepOrder();
  /// The same i32, computed here: saturation is branches on some cores, and the back end would move the arithmetic of
  /// later results behind them, with all its operands in memory. Emits no instruction.
  llvm::Value *pin(llvm::Value *v);

  void finish() { b.CreateRetVoid(); }
};

/// Largest power of two that divides both, capped at 16; for alignment.
unsigned commonAlign(uint64_t a, uint64_t c);

} // namespace mfc
#endif
