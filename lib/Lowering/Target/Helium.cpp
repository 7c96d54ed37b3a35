// Armv8.1-M with MVE (Helium): what is odd about it.
//
// - VMLADAVA multiplies 16 pairs of int8 and adds all products to one general-purpose register, which must be an
//   even-numbered one: with the loop counter in LR, at most 7 sums exist, and blocks of 4 never spill.
// - The last, partial step of K is predicated (VCTP), so that nothing is read past the end of a row.
// - VQRDMULH is the TFLite doubling high multiply, VRSHL the rounding shift, on 4 lanes.
#include "FloatDot.h"

#include "llvm/IR/IntrinsicsARM.h"
#include "llvm/IR/PatternMatch.h"

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

  GemmShape gemmShape(const GemmProblem &problem, unsigned tailLanes) const override {
    if (isFloat(problem.input))
      return floatGemmShape(problem, target);
    if (!problem.bytes())
      return {2, 2, 1};
    GemmShape shape{1, 4, 16};
    if (tailLanes == 4 && problem.groupChannels >= 4) {
      shape = problem.rows >= 3 ? GemmShape{3, 2, 16} : problem.rows == 2 ? GemmShape{2, 2, 16} : GemmShape{1, 4, 16};
      shape.storesSums = true;
    }
    return shape;
  }

  std::vector<GemmShape> otherGemmShapes(const GemmProblem &problem, unsigned,
                                         const GemmShape &first) const override {
    if (isFloat(problem.input))
      return otherFloatGemmShapes(target);
    if (!problem.bytes())
      return blocksLike(problem, first, {{1, 4}, {1, 2}, {2, 4}, {1, 1}});
    std::vector<GemmShape> shapes = blocksLike(problem, first, {{2, 2}, {1, 4}, {1, 6}, {3, 2}, {2, 3}, {1, 2}});
    if (first.storesSums)
      for (auto [pixels, channels] : {std::pair(1u, 4u), {2u, 2u}})
        shapes.push_back({pixels, channels, 16});
    return shapes;
  }

  /// Around one pixel there are many loads that the scheduler begins too early, and spills.
  CodegenParts gemmParts(const GemmShape &shape) const override {
    return {/*scheduler=*/!shape.storesSums || shape.pixels > 1, /*loopReduction=*/true};
  }

  DotResult emitDot(KernelBuilder &kb, const DotRequest &r, Values acc) const override {
    if (r.shape.step == 16)
      return emitByteDot(kb, r, std::move(acc));
    return TargetHooks::emitDot(kb, r, std::move(acc));
  }

  void emitVectorCopy(KernelBuilder &kb, llvm::Value *to, llvm::Value *from, int64_t bytes) const override {
    llvm::Type *type = llvm::FixedVectorType::get(kb.b.getInt8Ty(), 16);
    auto whole = [&](llvm::Value *source, llvm::Value *destination) {
      kb.b.CreateAlignedStore(kb.loadAs(type, source, 1), destination, llvm::Align(1));
    };
    int64_t vectors = bytes / 16;
    if (vectors <= 8)
      for (int64_t i = 0; i < vectors; ++i)
        whole(kb.at(from, 16 * i), kb.at(to, 16 * i));
    else
      kb.loop("copy", vectors, [&](llvm::Value *i) {
        llvm::Value *offset = kb.mulConst(i, 16);
        whole(kb.at(from, offset), kb.at(to, offset));
      });
    if (bytes % 16 == 0)
      return;
    llvm::Value *mask = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vctp8, {}, {kb.i32(bytes % 16)});
    llvm::Value *rest = kb.b.CreateMaskedLoad(type, kb.at(from, 16 * vectors), llvm::Align(1), mask,
                                              llvm::Constant::getNullValue(type));
    kb.b.CreateMaskedStore(rest, kb.at(to, 16 * vectors), llvm::Align(1), mask);
  }

  void emitVectorCopy(KernelBuilder &kb, llvm::Value *to, llvm::Value *from, llvm::Value *bytes) const override {
    llvm::Type *type = llvm::FixedVectorType::get(kb.b.getInt8Ty(), 16);
    llvm::Value *turns = kb.b.CreateLShr(kb.add(bytes, kb.i32(15)), kb.i32(4));
    kb.loop("copy", turns, {to, from, bytes}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      llvm::Value *mask = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vctp8, {}, {now[2]});
      llvm::Value *part =
          kb.b.CreateMaskedLoad(type, now[1], llvm::Align(1), mask, llvm::Constant::getNullValue(type));
      kb.b.CreateMaskedStore(part, now[0], llvm::Align(1), mask);
      return Values{kb.at(now[0], 16), kb.at(now[1], 16), kb.b.CreateSub(now[2], kb.i32(16))};
    });
  }

  void emitVectorFill(KernelBuilder &kb, llvm::Value *to, int64_t byte, llvm::Value *bytes) const override {
    llvm::Value *vector = kb.b.CreateVectorSplat(16, kb.b.getInt8(static_cast<uint8_t>(byte)));
    llvm::Value *turns = kb.b.CreateLShr(kb.add(bytes, kb.i32(15)), kb.i32(4));
    kb.loop("fill", turns, {to, bytes}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      llvm::Value *mask = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vctp8, {}, {now[1]});
      kb.b.CreateMaskedStore(vector, now[0], llvm::Align(1), mask);
      return Values{kb.at(now[0], 16), kb.b.CreateSub(now[1], kb.i32(16))};
    });
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
    llvm::Value *amount;
    if (!llvm::PatternMatch::match(shiftMinusOne, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(amount))))
      amount = kb.b.CreateNot(shiftMinusOne);
    return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vshl_vector, {x->getType(), x->getType()},
                                {x, amount, kb.i32(0), kb.i32(1), kb.i32(0)});
  }

private:
  static llvm::Value *multiplyAccumulate(KernelBuilder &kb, llvm::Value *x, llvm::Value *w, llvm::Value *sum) {
    return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vmldava, {x->getType()},
                                {kb.i32(0), kb.i32(0), kb.i32(0), sum, x, w});
  }

  /// Few steps are straight code; of more, the first ones are, so that sums need not be set to zero, and the rest a loop.
  DotResult emitByteDot(KernelBuilder &kb, const DotRequest &r, Values sums) const {
    constexpr int64_t kMostStraight = 10, kTurn = 4;
    int64_t steps = r.padded ? (r.k + 15) / 16 : r.k / 16;
    int64_t first = steps <= kMostStraight ? steps : (steps - 1) % kTurn + 1;
    for (int64_t u = 0; u < first; ++u)
      sums = emitSixteen(kb, r, r.rows, r.weights, u, nullptr, std::move(sums));
    size_t accumulators = sums.size();
    Values carried = std::move(sums);
    carried.push_back(kb.at(r.rows, 16 * first));
    carried.push_back(kb.at(r.weights, 16 * first * r.channels));
    carried = kb.loop("dot", (steps - first) / kTurn, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      Values next(now.begin(), now.begin() + accumulators);
      for (int64_t u = 0; u < kTurn; ++u)
        next = emitSixteen(kb, r, now[accumulators], now.back(), u, nullptr, std::move(next));
      next.push_back(kb.at(now[accumulators], 16 * kTurn));
      next.push_back(kb.at(now.back(), 16 * kTurn * r.channels));
      return next;
    });
    sums.assign(carried.begin(), carried.begin() + accumulators);
    int64_t read = steps * 16 * r.channels;
    if (r.padded || r.k % 16 == 0)
      return {std::move(sums), carried.back(), read};
    // Lanes past K are not loaded; the weights are padded with zeros.
    llvm::Value *mask = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vctp8, {}, {kb.i32(r.k % 16)});
    sums = emitSixteen(kb, r, carried[accumulators], carried.back(), 0, mask, std::move(sums));
    return {std::move(sums), carried.back(), read};
  }

  static Values emitSixteen(KernelBuilder &kb, const DotRequest &r, llvm::Value *rows, llvm::Value *weights,
                            int64_t step, llvm::Value *mask, Values sums) {
    llvm::Type *bytes = llvm::FixedVectorType::get(kb.b.getInt8Ty(), 16);
    Values x;
    for (unsigned p = 0; p < r.pixels; ++p) {
      llvm::Value *pointer = kb.at(rows, p * r.distance + 16 * step);
      x.push_back(mask ? kb.b.CreateMaskedLoad(bytes, pointer, llvm::Align(1), mask, llvm::Constant::getNullValue(bytes))
                       : kb.loadBytes(pointer, r.align));
    }
    auto load = [&](unsigned c) { return kb.loadBytes(kb.at(weights, 16 * (step * r.channels + c)), 16); };
    llvm::Value *next = load(0);
    for (unsigned c = 0; c < r.channels; ++c) {
      llvm::Value *w = next;
      if (c + 1 < r.channels) // early, so that no product waits for it
        next = load(c + 1);
      for (size_t p = 0; p < x.size(); ++p)
        sums[p * r.channels + c] = multiplyAccumulate(kb, x[p], w, sums[p * r.channels + c]);
    }
    return sums;
  }
};
} // namespace

std::unique_ptr<TargetHooks> mfc::createHeliumHooks(const TargetInfo &target) {
  return std::make_unique<HeliumHooks>(target);
}
