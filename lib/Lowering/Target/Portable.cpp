// The defaults of TargetHooks: plain scalar IR that every back end selects well. RV32IMC, Armv7-M without
// DSP and the build machine use it as it is.
#include "FloatDot.h"

#include "llvm/IR/Intrinsics.h"
#include <algorithm>

using namespace mfc;

std::unique_ptr<TargetHooks> mfc::createTargetHooks(const TargetInfo &target) {
  switch (target.isa) {
  case InstructionSet::Thumb1:
    return createThumb1Hooks(target);
  case InstructionSet::Thumb2DSP:
    return createDspHooks(target);
  case InstructionSet::MVE:
  case InstructionSet::MVEFloat:
    return createHeliumHooks(target);
  case InstructionSet::Host:
  case InstructionSet::Thumb2:
  case InstructionSet::RV32:
    return std::make_unique<TargetHooks>(target);
  }
  llvm_unreachable("covered switch");
}

llvm::Value *mfc::emitMultiplyAdd(KernelBuilder &kb, llvm::Value *x, llvm::Value *w, llvm::Value *acc) {
  if (acc->getType()->isFPOrFPVectorTy()) {
    // Left to itself LLVM takes two instructions on the M4 and M33 (2 cycles there and a register; VFMA has 3), which is
    // 40 % more instructions and a third more code for 5 % fewer modelled cycles in whole networks.
    bool fused = kb.cx.target.isArm() && kb.cx.target.hasFPU;
    return kb.b.CreateIntrinsic(fused ? llvm::Intrinsic::fma : llvm::Intrinsic::fmuladd, {acc->getType()}, {x, w, acc});
  }
  return kb.b.CreateAdd(acc, kb.b.CreateMul(x, w));
}

int64_t mfc::packedOffset(const DotRequest &r, unsigned channel, int64_t k) {
  return ((k / r.shape.step) * r.channels + channel) * r.shape.step + k % r.shape.step;
}

int64_t mfc::unrollFactor(int64_t turns, int64_t most) {
  int64_t best = 1, bestRest = 0;
  for (int64_t factor = 2; factor <= std::min(turns, most); ++factor)
    if (turns % factor <= bestRest || turns % factor == 0)
      best = factor, bestRest = turns % factor;
  return best;
}

GemmShape TargetHooks::gemmShape(const GemmProblem &problem, unsigned) const {
  if (isFloat(problem.input))
    return floatGemmShape(problem, target);
  bool thumb = target.isa == InstructionSet::Thumb2;
  GemmShape packed = halfPairsShape(problem, {thumb ? 1u : 2u, 4, 1}, 1, false);
  if (packed.group)
    return packed;
  // 2 x 4 keeps 8 accumulators, 2 inputs, one weight and the pointers in 31 (RV32) or 13 (Thumb-2) registers.
  return thumb ? GemmShape{2, 2, 1} : GemmShape{2, 4, 1};
}

std::vector<GemmShape> TargetHooks::otherGemmShapes(const GemmProblem &problem, unsigned, const GemmShape &first) const {
  if (isFloat(problem.input))
    return otherFloatGemmShapes(target);
  if (target.isa == InstructionSet::Thumb2)
    return blocksLike(problem, first, {{1, 2}, {2, 2}, {1, 6}, {1, 4}, {1, 1}});
  return blocksLike(problem, first, {{1, 4}, {2, 2}, {4, 2}, {1, 8}, {1, 2}, {4, 4}, {1, 1}});
}

std::vector<GemmShape> TargetHooks::blocksLike(const GemmProblem &problem, const GemmShape &first,
                                               llvm::ArrayRef<std::pair<unsigned, unsigned>> blocks) const {
  std::vector<GemmShape> shapes;
  for (auto [pixels, channels] : blocks) {
    if (first.packing != WeightPacking::Rows && channels % 2 != 0) // a pair may not be split
      continue;
    shapes.push_back(first);
    shapes.back().pixels = pixels, shapes.back().channels = channels;
  }
  if (first.packing == WeightPacking::HalfPairs && !first.order.empty()) {
    GemmShape natural = first;
    natural.order.clear();
    natural.group = problem.halfPairsGroup({2, 3, 4, 5, 6, 7, 8, 10, 12, 16});
    if (natural.group) {
      shapes.push_back(natural);
      natural.preparedBytes = 0;
      shapes.push_back(natural);
    }
  }
  if (first.packing != WeightPacking::Rows)
    shapes.push_back({first.pixels, std::min(first.channels, 4u), 1});
  return shapes;
}

CodegenParts TargetHooks::gemmParts(const GemmShape &shape) const {
  // With 13 registers, pointers that strength reduction adds are spilled.
  bool thumb = target.isa == InstructionSet::Thumb2 && shape.packing == WeightPacking::HalfPairs;
  return thumb ? CodegenParts{false, false} : CodegenParts{};
}

CodegenParts TargetHooks::depthwiseParts() const {
  bool thumb = target.isa == InstructionSet::Thumb2 || target.isa == InstructionSet::Thumb2DSP;
  return thumb ? CodegenParts{false, false} : CodegenParts{};
}

void TargetHooks::emitVectorCopy(KernelBuilder &, llvm::Value *, llvm::Value *, llvm::Value *) const {
  llvm_unreachable("targets with MVE only");
}

void TargetHooks::emitVectorFill(KernelBuilder &, llvm::Value *, int64_t, llvm::Value *) const {
  llvm_unreachable("targets with MVE only");
}

void TargetHooks::emitVectorCopy(KernelBuilder &, llvm::Value *, llvm::Value *, int64_t) const {
  llvm_unreachable("no vectors here");
}

Values TargetHooks::emitDepthwiseQuad(KernelBuilder &, llvm::Value *, llvm::Value *, Values) const {
  llvm_unreachable("asked depthwiseWordPairs()");
}

/// One value of K for all rows: loads the inputs once, then every weight of the block.
static Values emitDotStep(KernelBuilder &kb, const DotRequest &r, llvm::Value *rows, llvm::Value *weights,
                          int64_t inputIndex, int64_t weightOffset, int64_t weightStride, Values acc) {
  int64_t inputBytes = elementBytes(r.inputType), weightBytes = elementBytes(r.weightType);
  Values x;
  for (unsigned p = 0; p < r.pixels; ++p)
    x.push_back(kb.load(r.inputType, kb.at(rows, p * r.distance + inputIndex * inputBytes)));
  for (unsigned c = 0; c < r.channels; ++c) {
    llvm::Value *w = kb.load(r.weightType, kb.at(weights, (weightOffset + c * weightStride) * weightBytes));
    for (size_t p = 0; p < x.size(); ++p)
      acc[p * r.channels + c] = emitMultiplyAdd(kb, x[p], w, acc[p * r.channels + c]);
  }
  return acc;
}

DotResult TargetHooks::emitDot(KernelBuilder &kb, const DotRequest &r, Values acc) const {
  if (r.shape.packing == WeightPacking::HalfPairs)
    return emitHalfPairs(kb, r, std::move(acc));
  if (isFloat(r.inputType))
    return emitFloatDot(kb, r, std::move(acc));
  int64_t unroll = r.shape.step == 1 && r.k >= 4 ? r.shape.mostUnrolled(4) : 1; // hides the loop overhead
  int64_t turns = r.k / unroll;
  size_t accumulators = acc.size();
  Values carried = acc;
  carried.push_back(r.rows);
  carried.push_back(r.weights);
  carried = kb.loop("dot", turns, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    Values sums(now.begin(), now.begin() + accumulators);
    for (int64_t u = 0; u < unroll; ++u)
      sums = emitDotStep(kb, r, now[accumulators], now.back(), u, u * r.channels, 1, sums);
    sums.push_back(kb.at(now[accumulators], unroll * elementBytes(r.inputType)));
    sums.push_back(kb.at(now.back(), unroll * r.channels * elementBytes(r.weightType)));
    return sums;
  });
  return emitDotTail(kb, r, turns * unroll, std::move(carried));
}

DotResult TargetHooks::emitDotTail(KernelBuilder &kb, const DotRequest &r, int64_t from, Values carried) const {
  llvm::Value *weights = carried.pop_back_val(), *rows = carried.pop_back_val();
  int64_t first = from / r.shape.step * r.shape.step * r.channels; // the weights' pointer stands at a whole step
  for (int64_t k = from; k < r.k; ++k)
    carried = emitDotStep(kb, r, rows, weights, k - from, packedOffset(r, 0, k) - first, r.shape.step, carried);
  return {std::move(carried), weights, first * elementBytes(r.weightType)};
}

TargetHooks::WideProduct TargetHooks::emitWideMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c) const {
  llvm::Type *narrow = a->getType();
  llvm::Type *wide = narrow->getExtendedType();
  llvm::Value *product = kb.b.CreateMul(kb.b.CreateSExt(a, wide), kb.b.CreateSExt(c, wide));
  return {kb.b.CreateTrunc(product, narrow),
          kb.b.CreateTrunc(kb.b.CreateLShr(product, kb.intLike(product, 32)), narrow)};
}

llvm::Value *TargetHooks::emitRoundingDoublingHighMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c,
                                                      bool small) const {
  if (small) { // (2a * c + 2^31) >> 32: the lower half carries if its top bit is set
    WideProduct p = emitWideMul(kb, kb.b.CreateShl(a, kb.intLike(a, 1)), c);
    return kb.add(p.high, kb.b.CreateLShr(p.low, kb.intLike(a, 31)));
  }
  llvm::Type *narrow = a->getType();
  llvm::Type *wide = narrow->getExtendedType();
  llvm::Value *product = kb.b.CreateMul(kb.b.CreateSExt(a, wide), kb.b.CreateSExt(c, wide));
  product = kb.b.CreateAdd(product, kb.intLike(product, int64_t(1) << 30));
  return kb.b.CreateTrunc(kb.b.CreateAShr(product, kb.intLike(product, 31)), narrow);
}

llvm::Value *TargetHooks::emitRoundingShiftRight(KernelBuilder &kb, llvm::Value *x, llvm::Value *shiftMinusOne) const {
  // floor((x + 2^(e-1)) / 2^e) = floor((floor(x / 2^(e-1)) + 1) / 2): no rounding constant, no overflow.
  llvm::Value *most = kb.b.CreateAShr(x, shiftMinusOne);
  return kb.b.CreateAShr(kb.b.CreateAdd(most, kb.intLike(x, 1)), kb.intLike(x, 1));
}

/// u32 quotient by shift and subtract, for cores without a divider: 32 turns.
static llvm::Function *divideFunction(LoweringContext &cx) {
  llvm::Type *i32 = llvm::Type::getInt32Ty(cx.llvm);
  bool created = false;
  llvm::Function *fn = cx.function("udiv", llvm::FunctionType::get(i32, {i32, i32}, false), created);
  if (!created)
    return fn;
  KernelBuilder kb(cx, fn);
  llvm::Value *divisor = fn->getArg(1);
  // The dividend leaves at the top of the register that the quotient enters from below.
  Values result = kb.loop("udiv", 32, {fn->getArg(0), kb.i32(0)}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    llvm::Value *rest = kb.b.CreateOr(kb.b.CreateShl(now[1], kb.i32(1)), kb.b.CreateLShr(now[0], kb.i32(31)));
    llvm::Value *quotient = kb.b.CreateShl(now[0], kb.i32(1));
    llvm::Value *fits = kb.b.CreateICmpUGE(rest, divisor);
    rest = kb.b.CreateSelect(fits, kb.b.CreateSub(rest, divisor), rest);
    return Values{kb.b.CreateOr(quotient, kb.b.CreateZExt(fits, i32)), rest};
  });
  kb.b.CreateRet(result[0]);
  return fn;
}

llvm::Value *TargetHooks::emitDivide(KernelBuilder &kb, llvm::Value *a, llvm::Value *divisor) const {
  if (target.hasDivide || target.isHost())
    return kb.b.CreateSDiv(a, divisor);
  llvm::Value *sign = kb.b.CreateAShr(a, kb.i32(31));
  llvm::Value *magnitude = kb.b.CreateSub(kb.b.CreateXor(a, sign), sign);
  llvm::Value *quotient = kb.b.CreateCall(divideFunction(kb.cx), {magnitude, divisor});
  return kb.b.CreateSub(kb.b.CreateXor(quotient, sign), sign);
}

llvm::Value *mfc::emitIntToFloat(KernelBuilder &kb, llvm::Value *x) {
  llvm::Type *type = kb.b.getFloatTy();
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
    type = llvm::FixedVectorType::get(type, vector->getNumElements());
  return kb.b.CreateSIToFP(x, type);
}
