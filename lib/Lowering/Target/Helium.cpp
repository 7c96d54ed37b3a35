// Armv8.1-M with MVE (Helium): what is odd about it.
//
// - VMLADAVA multiplies 16 pairs of int8 and adds all products to one general-purpose register, which must be an
//   even-numbered one: with the loop counter in LR, at most 7 sums exist, and blocks of 4 never spill.
// - The last, partial step of K is predicated (VCTP), so that nothing is read past the end of a row.
// - VQRDMULH is the TFLite doubling high multiply, VRSHL the rounding shift, on 4 lanes.
#include "TargetHooks.h"

#include "llvm/IR/IntrinsicsARM.h"

using namespace mfc;

namespace {
class HeliumHooks : public TargetHooks {
public:
  using TargetHooks::TargetHooks;

  unsigned lanes(ElementType element) const override {
    if (isFloat(element))
      return target.hasMVEFloat ? 4 : 1;
    return elementBytes(element) == 8 ? 1 : 4;
  }

  GemmShape gemmShape(ElementType input, ElementType weights) const override {
    if (input == ElementType::I8 && weights == ElementType::I8)
      return {1, 4, 16};
    return isFloat(input) ? GemmShape{1, 4, 1} : GemmShape{2, 2, 1};
  }

  Values emitDot(KernelBuilder &kb, const DotRequest &r, Values acc) const override {
    if (r.step == 16)
      return emitByteDot(kb, r, std::move(acc));
    if (isFloat(r.inputType) && r.channels == 4 && target.hasMVEFloat)
      return emitFloatDot(kb, r, std::move(acc));
    return TargetHooks::emitDot(kb, r, std::move(acc));
  }

  WideProduct emitWideMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c) const override {
    if (!a->getType()->isVectorTy())
      return TargetHooks::emitWideMul(kb, a, c);
    llvm::Value *high =
        kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vmulh, {a->getType()}, {a, c, kb.i32(0)});
    return {kb.b.CreateMul(a, c), high};
  }

  llvm::Value *emitRoundingDoublingHighMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c,
                                           bool small) const override {
    if (!a->getType()->isVectorTy())
      return TargetHooks::emitRoundingDoublingHighMul(kb, a, c, small);
    return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vqrdmulh, {a->getType()}, {a, c});
  }

  llvm::Value *emitRoundingShiftRight(KernelBuilder &kb, llvm::Value *x, llvm::Value *shiftMinusOne) const override {
    if (!x->getType()->isVectorTy())
      return TargetHooks::emitRoundingShiftRight(kb, x, shiftMinusOne);
    // VRSHL shifts left by a signed amount: ~(e - 1) = -e.
    llvm::Value *amount = kb.b.CreateNot(shiftMinusOne);
    return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vshl_vector, {x->getType(), x->getType()},
                                {x, amount, kb.i32(0), kb.i32(1), kb.i32(0)});
  }

private:
  static llvm::Value *loadBytes(KernelBuilder &kb, llvm::Value *pointer, unsigned align) {
    return kb.loadAs(llvm::FixedVectorType::get(kb.b.getInt8Ty(), 16), pointer, align);
  }

  static llvm::Value *multiplyAccumulate(KernelBuilder &kb, llvm::Value *x, llvm::Value *w, llvm::Value *sum) {
    return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vmldava, {x->getType()},
                                {kb.i32(0), kb.i32(0), kb.i32(0), sum, x, w});
  }

  Values emitByteDot(KernelBuilder &kb, const DotRequest &r, Values acc) const {
    size_t accumulators = acc.size();
    Values carried = acc;
    carried.append(r.inputs.begin(), r.inputs.end());
    carried.push_back(r.weights);
    carried = kb.loop("dot", r.k / 16, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      Values sums(now.begin(), now.begin() + accumulators);
      Values pointers(now.begin() + accumulators, now.end() - 1), x;
      for (llvm::Value *pointer : pointers)
        x.push_back(loadBytes(kb, pointer, 1));
      sums = emitSixteen(kb, r, x, now.back(), std::move(sums));
      for (llvm::Value *pointer : pointers)
        sums.push_back(kb.at(pointer, 16));
      sums.push_back(kb.at(now.back(), 16 * r.channels));
      return sums;
    });
    Values sums(carried.begin(), carried.begin() + accumulators);
    if (r.k % 16 == 0)
      return sums;
    // Lanes past K are not loaded; the weights are padded with zeros.
    llvm::Value *mask = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vctp8, {}, {kb.i32(r.k % 16)});
    llvm::Type *bytes = llvm::FixedVectorType::get(kb.b.getInt8Ty(), 16);
    Values x;
    for (size_t p = 0; p < r.inputs.size(); ++p)
      x.push_back(kb.b.CreateMaskedLoad(bytes, carried[accumulators + p], llvm::Align(1), mask,
                                        llvm::Constant::getNullValue(bytes)));
    return emitSixteen(kb, r, x, carried.back(), std::move(sums));
  }

  static Values emitSixteen(KernelBuilder &kb, const DotRequest &r, llvm::ArrayRef<llvm::Value *> x,
                            llvm::Value *weights, Values sums) {
    for (unsigned c = 0; c < r.channels; ++c) {
      llvm::Value *w = loadBytes(kb, kb.at(weights, 16 * c), 16);
      for (size_t p = 0; p < x.size(); ++p)
        sums[p * r.channels + c] = multiplyAccumulate(kb, x[p], w, sums[p * r.channels + c]);
    }
    return sums;
  }

  /// Four channels in the lanes: every sum keeps its sequential order.
  Values emitFloatDot(KernelBuilder &kb, const DotRequest &r, Values acc) const {
    llvm::Type *four = llvm::FixedVectorType::get(kb.b.getFloatTy(), 4);
    size_t pixels = r.inputs.size();
    Values carried;
    for (size_t p = 0; p < pixels; ++p)
      carried.push_back(gatherLanes(kb, llvm::ArrayRef<llvm::Value *>(acc).slice(4 * p, 4)));
    carried.append(r.inputs.begin(), r.inputs.end());
    carried.push_back(r.weights);
    carried = kb.loop("dot", r.k, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      llvm::Value *w = kb.loadAs(four, now.back(), 4);
      Values next;
      for (size_t p = 0; p < pixels; ++p) {
        llvm::Value *x = kb.splat(kb.load(ElementType::F32, now[pixels + p]), 4);
        next.push_back(kb.b.CreateIntrinsic(llvm::Intrinsic::fma, {four}, {x, w, now[p]}));
      }
      for (size_t p = 0; p < pixels; ++p)
        next.push_back(kb.at(now[pixels + p], 4));
      next.push_back(kb.at(now.back(), 16));
      return next;
    });
    Values sums;
    for (size_t p = 0; p < pixels; ++p)
      for (unsigned lane = 0; lane < 4; ++lane)
        sums.push_back(kb.b.CreateExtractElement(carried[p], lane));
    return sums;
  }

  static llvm::Value *gatherLanes(KernelBuilder &kb, llvm::ArrayRef<llvm::Value *> scalars) {
    llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(scalars[0]->getType(), scalars.size()));
    for (size_t i = 0; i < scalars.size(); ++i)
      vector = kb.b.CreateInsertElement(vector, scalars[i], i);
    return vector;
  }
};
} // namespace

std::unique_ptr<TargetHooks> mfc::createHeliumHooks(const TargetInfo &target) {
  return std::make_unique<HeliumHooks>(target);
}
