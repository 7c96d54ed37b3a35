// Armv6-M and Armv8-M baseline: what is odd about it.
//
// Two-operand instructions on 8 low registers, loads with 5-bit immediate offsets, no sign-extending load with an
// immediate, no multiply-accumulate, and no 32x32->64 multiply: LLVM would call __aeabi_lmul, which a library without
// undefined symbols may not. So the high half is made of four 16-bit products, in one shared function: inlined it
// would spill around every requantization.
#include "TargetHooks.h"

using namespace mfc;

namespace {
class Thumb1Hooks : public TargetHooks {
public:
  using TargetHooks::TargetHooks;

  GemmShape gemmShape(const GemmProblem &problem, unsigned) const override {
    if (isFloat(problem.input))
      return {1, 1, 1};
    // Words have loads with an immediate offset, signed bytes do not.
    GemmShape packed = halfPairsShape(problem, {1, 2, 1}, 4, problem.groupChannels >= 16);
    return packed.group ? packed : GemmShape{1, 2, 1};
  }

  std::vector<GemmShape> otherGemmShapes(const GemmProblem &problem, unsigned, const GemmShape &first) const override {
    if (isFloat(problem.input))
      return {};
    std::vector<GemmShape> shapes = blocksLike(problem, first, {{1, 4}, {2, 2}, {1, 1}});
    if (first.packing == WeightPacking::HalfPairs && first.preparedBytes && first.order.empty()) {
      shapes.push_back(first);
      shapes.back().preparedBytes = 0;
    }
    return shapes;
  }

  CodegenParts gemmParts(const GemmShape &shape) const override {
    return {/*scheduler=*/true, /*loopReduction=*/shape.packing != WeightPacking::HalfPairs};
  }

  unsigned depthwiseBlock() const override { return 2; }

  WideProduct emitWideMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c) const override {
    return {kb.b.CreateMul(a, c), kb.b.CreateCall(highFunction(kb.cx), {a, c})};
  }

  llvm::Value *emitRoundingDoublingHighMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c,
                                           bool small) const override {
    if (small)
      return kb.b.CreateCall(smallRoundingFunction(kb.cx), {kb.b.CreateShl(a, kb.i32(1)), c});
    return kb.b.CreateCall(roundingFunction(kb.cx), {a, c});
  }

private:
  static llvm::FunctionType *binaryType(LoweringContext &cx) {
    llvm::Type *i32 = llvm::Type::getInt32Ty(cx.llvm);
    return llvm::FunctionType::get(i32, {i32, i32}, false);
  }

  /// The high half of a * c for c >= 0: with a = ah * 2^16 + al and c likewise, no partial sum overflows.
  static llvm::Value *emitHigh(KernelBuilder &kb, llvm::Value *a, llvm::Value *c) {
    auto low = [&](llvm::Value *v) { return kb.b.CreateAnd(v, kb.i32(0xffff)); };
    auto high = [&](llvm::Value *v) { return kb.b.CreateAShr(v, kb.i32(16)); };
    llvm::Value *al = low(a), *ah = high(a), *cl = low(c), *ch = high(c);
    llvm::Value *carry = kb.b.CreateLShr(kb.b.CreateMul(al, cl), kb.i32(16));
    llvm::Value *t = kb.b.CreateAdd(kb.b.CreateMul(ah, cl), carry);
    llvm::Value *u = kb.b.CreateAdd(kb.b.CreateMul(al, ch), low(t));
    return kb.b.CreateAdd(kb.b.CreateAdd(kb.b.CreateMul(ah, ch), high(t)), high(u));
  }

  static llvm::Function *highFunction(LoweringContext &cx) {
    bool created = false;
    llvm::Function *fn = cx.function("mulhi", binaryType(cx), created);
    if (created) {
      KernelBuilder kb(cx, fn);
      kb.b.CreateRet(emitHigh(kb, fn->getArg(0), fn->getArg(1)));
    }
    return fn;
  }

  /// (a * c + 2^31) >> 32, where a is twice the value that is meant.
  static llvm::Function *smallRoundingFunction(LoweringContext &cx) {
    bool created = false;
    llvm::Function *fn = cx.function("mulhi_half", binaryType(cx), created);
    if (created) {
      KernelBuilder kb(cx, fn);
      llvm::Value *high = emitHigh(kb, fn->getArg(0), fn->getArg(1));
      llvm::Value *low = kb.b.CreateMul(fn->getArg(0), fn->getArg(1));
      kb.b.CreateRet(kb.add(high, kb.b.CreateLShr(low, kb.i32(31))));
    }
    return fn;
  }

  static llvm::Function *roundingFunction(LoweringContext &cx) {
    bool created = false;
    llvm::Function *fn = cx.function("mulhi_round", binaryType(cx), created);
    if (created) {
      KernelBuilder kb(cx, fn);
      llvm::Value *high = emitHigh(kb, fn->getArg(0), fn->getArg(1));
      llvm::Value *low = kb.b.CreateMul(fn->getArg(0), fn->getArg(1));
      // (high:low + 2^30) >> 31. Adding 2^30 carries into the high half from 0xc0000000 on.
      llvm::Value *sum = kb.b.CreateAdd(low, kb.i32(1 << 30));
      llvm::Value *carry = kb.b.CreateZExt(kb.b.CreateICmpULT(sum, low), kb.i32Type());
      llvm::Value *top = kb.b.CreateShl(kb.b.CreateAdd(high, carry), kb.i32(1));
      kb.b.CreateRet(kb.b.CreateOr(top, kb.b.CreateLShr(sum, kb.i32(31))));
    }
    return fn;
  }
};
} // namespace

std::unique_ptr<TargetHooks> mfc::createThumb1Hooks(const TargetInfo &target) {
  return std::make_unique<Thumb1Hooks>(target);
}
