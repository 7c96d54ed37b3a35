// Armv7E-M and Armv8-M with the DSP extension: what is odd about it.
//
// SMLAD multiplies two pairs of 16-bit values and adds both to a 32-bit sum; SXTB16 widens bytes 0 and 2 of a word
// to such a pair, with a free rotation by 8 for bytes 1 and 3. Four int8 products thus cost two SMLAD, two SXTB16 for
// each operand and one word load each (LDR takes unaligned addresses, LDRD and LDM do not).
#include "TargetHooks.h"

#include "llvm/IR/IntrinsicsARM.h"

using namespace mfc;

namespace {
class DspHooks : public TargetHooks {
public:
  using TargetHooks::TargetHooks;

  GemmShape gemmShape(ElementType input, ElementType weights) const override {
    if (input == ElementType::I8 && weights == ElementType::I8)
      return {2, 2, 4};
    return isFloat(input) ? TargetHooks::gemmShape(input, weights) : GemmShape{2, 2, 1};
  }

  Values emitDot(KernelBuilder &kb, const DotRequest &r, Values acc) const override {
    if (r.step != 4)
      return TargetHooks::emitDot(kb, r, std::move(acc));
    size_t accumulators = acc.size();
    Values carried = acc;
    carried.append(r.inputs.begin(), r.inputs.end());
    carried.push_back(r.weights);
    int64_t turns = r.k / 4;
    int64_t unroll = turns % 2 == 0 && turns > 2 ? 2 : 1;
    carried = kb.loop("dot", turns / unroll, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      Values sums(now.begin(), now.begin() + accumulators);
      Values pointers(now.begin() + accumulators, now.end() - 1);
      for (int64_t u = 0; u < unroll; ++u)
        sums = emitFour(kb, r, pointers, now.back(), u, std::move(sums));
      for (llvm::Value *pointer : pointers)
        sums.push_back(kb.at(pointer, 4 * unroll));
      sums.push_back(kb.at(now.back(), 4 * unroll * r.channels));
      return sums;
    });
    return emitDotTail(kb, r, turns * 4, Values(carried.begin(), carried.begin() + accumulators));
  }

  llvm::Value *emitRoundingDoublingHighMul(KernelBuilder &kb, llvm::Value *a, llvm::Value *c,
                                           bool small) const override {
    if (!small)
      return TargetHooks::emitRoundingDoublingHighMul(kb, a, c, small);
    // (2a * c + 2^31) >> 32 is one SMMULR.
    llvm::Type *wide = kb.b.getInt64Ty();
    llvm::Value *twice = kb.b.CreateSExt(kb.b.CreateShl(a, kb.i32(1)), wide);
    llvm::Value *product = kb.b.CreateMul(twice, kb.b.CreateSExt(c, wide));
    product = kb.b.CreateAdd(product, kb.b.getInt64(0x80000000u));
    return kb.b.CreateTrunc(kb.b.CreateLShr(product, kb.b.getInt64(32)), kb.i32Type());
  }

private:
  struct Pairs {
    llvm::Value *even, *odd; ///< bytes 0 and 2, bytes 1 and 3, as 16-bit pairs
  };

  static Pairs loadPairs(KernelBuilder &kb, llvm::Value *pointer, int64_t offset, unsigned align) {
    llvm::Value *word = kb.loadAs(kb.i32Type(), kb.at(pointer, offset), align);
    auto widen = [&](llvm::Value *v) { return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_sxtb16, {}, {v}); };
    llvm::Value *rotated =
        kb.b.CreateIntrinsic(llvm::Intrinsic::fshr, {kb.i32Type()}, {word, word, kb.i32(8)});
    return {widen(word), widen(rotated)};
  }

  static Values emitFour(KernelBuilder &kb, const DotRequest &r, llvm::ArrayRef<llvm::Value *> inputs,
                         llvm::Value *weights, int64_t turn, Values acc) {
    llvm::SmallVector<Pairs, 4> x;
    for (llvm::Value *pointer : inputs)
      x.push_back(loadPairs(kb, pointer, 4 * turn, 1));
    for (unsigned c = 0; c < r.channels; ++c) {
      Pairs w = loadPairs(kb, weights, 4 * (turn * r.channels + c), 4);
      for (size_t p = 0; p < x.size(); ++p) {
        llvm::Value *&sum = acc[p * r.channels + c];
        sum = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_smlad, {}, {x[p].even, w.even, sum});
        sum = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_smlad, {}, {x[p].odd, w.odd, sum});
      }
    }
    return acc;
  }
};
} // namespace

std::unique_ptr<TargetHooks> mfc::createDspHooks(const TargetInfo &target) {
  return std::make_unique<DspHooks>(target);
}
