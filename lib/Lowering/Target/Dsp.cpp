// Armv7E-M and Armv8-M with the DSP extension: what is odd about it.
//
// SMLAD multiplies two pairs of 16-bit values and adds both to a 32-bit sum; SXTB16 widens bytes 0 and 2 of a word
// to such a pair, with a free rotation by 8 for bytes 1 and 3. Four int8 products thus cost two SMLAD, two SXTB16 for
// each operand and one word load each (LDR takes unaligned addresses, LDRD and LDM do not).
#include "FloatDot.h"
#include "TargetHooks.h"

#include "llvm/IR/IntrinsicsARM.h"

using namespace mfc;

namespace {
class DspHooks : public TargetHooks {
public:
  using TargetHooks::TargetHooks;

  GemmShape gemmShape(const GemmProblem &problem, unsigned) const override {
    if (isFloat(problem.input))
      return TargetHooks::gemmShape(problem, 1);
    if (!problem.bytes())
      return {2, 2, 1};
    unsigned pixels = problem.rows >= 2 ? 2 : 1;
    if (!problem.bytePairsExact())
      return {2, 2, 4};
    return {pixels, pixels == 1 ? 4u : 2u, 4, WeightPacking::BytePairs, 0, 2};
  }

  std::vector<GemmShape> otherGemmShapes(const GemmProblem &problem, unsigned,
                                         const GemmShape &first) const override {
    if (isFloat(problem.input))
      return otherFloatGemmShapes(target);
    if (!problem.bytes())
      return blocksLike(problem, first, {{1, 4}, {1, 2}, {2, 4}, {1, 1}});
    std::vector<GemmShape> shapes{{2, 2, 4}, {1, 4, 4}, {1, 2, 4}, {1, 4, 1}, {2, 2, 1}, {1, 2, 1}};
    if (first.packing == WeightPacking::BytePairs)
      for (auto [pixels, channels] : {std::pair(1u, 4u), {1u, 2u}, {2u, 4u}, {3u, 2u}, {1u, 6u}, {2u, 2u}})
        shapes.push_back({pixels, channels, 4, WeightPacking::BytePairs, 0, 2});
    return shapes;
  }

  /// Long straight bodies with everything at constant offsets: strength reduction splits the pointers, the scheduler
  /// lengthens live ranges.
  CodegenParts gemmParts(const GemmShape &shape) const override {
    bool pairs = shape.packing == WeightPacking::BytePairs;
    return {/*scheduler=*/!pairs, /*loopReduction=*/!pairs};
  }

  DotResult emitDot(KernelBuilder &kb, const DotRequest &r, Values acc) const override {
    if (r.shape.packing == WeightPacking::BytePairs)
      return emitBytePairs(kb, r, std::move(acc));
    if (r.shape.step != 4)
      return TargetHooks::emitDot(kb, r, std::move(acc));
    size_t accumulators = acc.size();
    Values carried = acc;
    carried.push_back(r.rows);
    carried.push_back(r.weights);
    int64_t turns = r.k / 4;
    int64_t unroll = turns % 2 == 0 && turns > 2 ? r.shape.mostUnrolled(2) > 1 ? 2 : 1 : 1;
    carried = kb.loop("dot", turns / unroll, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      Values sums(now.begin(), now.begin() + accumulators);
      for (int64_t u = 0; u < unroll; ++u)
        sums = emitFour(kb, r, now[accumulators], now.back(), u, std::move(sums));
      sums.push_back(kb.at(now[accumulators], 4 * unroll));
      sums.push_back(kb.at(now.back(), 4 * unroll * r.channels));
      return sums;
    });
    return emitDotTail(kb, r, turns * 4, std::move(carried));
  }

  /// 16-bit values in the order 0, 2, 1, 3 of every four, the rows of a block interleaved: [K / 4][pixels][4].
  void emitPrepareRow(KernelBuilder &kb, const GemmShape &shape, llvm::Value *row, int64_t k, llvm::Value *to, unsigned pixel,
                      unsigned pixels) const override {
    int64_t turns = k / 4, unroll = unrollFactor(turns, shape.mostUnrolled(4));
    int64_t step = 8 * pixels;
    auto four = [&](llvm::Value *from, llvm::Value *into) { storePairs(kb, loadPairs(kb, from, 0, 1), into); };
    llvm::Value *target = kb.at(to, 8 * pixel);
    Values end = kb.loop("widen", turns / unroll, {row, target}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      for (int64_t u = 0; u < unroll; ++u)
        four(kb.at(now[0], 4 * u), kb.at(now[1], step * u));
      return Values{kb.at(now[0], 4 * unroll), kb.at(now[1], step * unroll)};
    });
    for (int64_t u = 0; u < turns % unroll; ++u)
      four(kb.at(end[0], 4 * u), kb.at(end[1], step * u));
    if (k % 4)
      storePairs(kb, loadPart(kb, kb.at(row, k / 4 * 4), k % 4), kb.at(target, k / 4 * step));
  }

  bool depthwiseWordPairs() const override { return true; }

  /// SMLABB and SMLATT, after one SXTB16 for two channels.
  Values emitDepthwiseQuad(KernelBuilder &kb, llvm::Value *input, llvm::Value *weights, Values sums) const override {
    Pairs x = loadPairs(kb, input, 0, 4);
    auto w = loadTwo(kb, weights, 4);
    auto low = [&](llvm::Value *v) { return kb.b.CreateSExt(kb.b.CreateTrunc(v, kb.b.getInt16Ty()), kb.i32Type()); };
    auto high = [&](llvm::Value *v) { return kb.b.CreateAShr(v, kb.i32(16)); };
    sums[0] = emitMultiplyAdd(kb, low(x.even), low(w.first), sums[0]);
    sums[1] = emitMultiplyAdd(kb, low(x.odd), low(w.second), sums[1]);
    sums[2] = emitMultiplyAdd(kb, high(x.even), high(w.first), sums[2]);
    sums[3] = emitMultiplyAdd(kb, high(x.odd), high(w.second), sums[3]);
    return sums;
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

  static void storePairs(KernelBuilder &kb, Pairs pairs, llvm::Value *to) {
    kb.b.CreateAlignedStore(pairs.even, to, llvm::Align(8));
    kb.b.CreateAlignedStore(pairs.odd, kb.at(to, 4), llvm::Align(4));
  }

  /// The last, partial four: nothing behind the row is read.
  static Pairs loadPart(KernelBuilder &kb, llvm::Value *row, int64_t count) {
    auto pair = [&](int64_t first) {
      if (first >= count)
        return kb.i32(0);
      llvm::Value *low = kb.b.CreateAnd(kb.load(ElementType::I8, kb.at(row, first)), kb.i32(0xffff));
      if (first + 2 >= count)
        return low;
      return kb.b.CreateOr(low, kb.b.CreateShl(kb.load(ElementType::I8, kb.at(row, first + 2)), kb.i32(16)));
    };
    return {pair(0), pair(1)};
  }

  static llvm::Value *multiplyPairs(KernelBuilder &kb, llvm::Value *x, llvm::Value *w, llvm::Value *sum) {
    return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_smlad, {}, {x, w, sum});
  }

  /// Two neighbouring words by one LDRD.
  static std::pair<llvm::Value *, llvm::Value *> loadTwo(KernelBuilder &kb, llvm::Value *pointer, unsigned align) {
    return {kb.loadAs(kb.i32Type(), pointer, align), kb.loadAs(kb.i32Type(), kb.at(pointer, 4), 4)};
  }

  /// Sums are A and T of each pair (WeightPacking::BytePairs); a last channel without a partner has only A.
  static Values emitPairStep(KernelBuilder &kb, const DotRequest &r, llvm::Value *rows, llvm::Value *weights,
                             int64_t step, Values sums) {
    unsigned pairs = (r.channels + 1) / 2;
    llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>, 4> x;
    for (unsigned p = 0; p < r.pixels; ++p)
      x.push_back(loadTwo(kb, kb.at(rows, 8 * (step * r.pixels + p)), 8));
    for (unsigned q = 0; q < pairs; ++q) {
      auto w = loadTwo(kb, kb.at(weights, 8 * (step * pairs + q)), 4);
      for (bool second : {false, true}) {
        llvm::Value *word = second ? w.second : w.first;
        llvm::Value *low = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_sxtb16, {}, {word});
        for (unsigned p = 0; p < r.pixels; ++p) {
          llvm::Value *values = second ? x[p].second : x[p].first;
          llvm::Value **pair = &sums[p * r.channels + 2 * q];
          pair[0] = multiplyPairs(kb, values, low, pair[0]);
          if (2 * q + 1 < r.channels)
            pair[1] = multiplyPairs(kb, values, word, pair[1]);
        }
      }
      kb.keepOrder();
    }
    return sums;
  }

  DotResult emitBytePairs(KernelBuilder &kb, const DotRequest &r, Values acc) const {
    size_t accumulators = acc.size();
    int64_t steps = (r.k + 3) / 4, unroll = unrollFactor(steps, r.shape.mostUnrolled(16)), pairs = (r.channels + 1) / 2;
    Values carried = acc;
    carried.push_back(r.rows);
    carried.push_back(r.weights);
    carried = kb.loop("dot", steps / unroll, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      Values sums(now.begin(), now.begin() + accumulators);
      for (int64_t u = 0; u < unroll; ++u) {
        sums = emitPairStep(kb, r, now[accumulators], now.back(), u, std::move(sums));
        kb.keepOrder();
      }
      sums.push_back(kb.at(now[accumulators], 8 * r.pixels * unroll));
      sums.push_back(kb.at(now.back(), 8 * pairs * unroll));
      return sums;
    });
    Values sums(carried.begin(), carried.begin() + accumulators);
    for (int64_t u = 0; u < steps % unroll; ++u)
      sums = emitPairStep(kb, r, carried[accumulators], carried.back(), u, std::move(sums));
    for (size_t i = 0; i < accumulators; i += r.channels)
      for (unsigned c = 1; c < r.channels; c += 2)
        sums[i + c] = kb.b.CreateAShr(kb.b.CreateSub(sums[i + c], sums[i + c - 1]), kb.i32(r.scaledSeconds ? 0 : 8));
    return {std::move(sums), carried.back(), steps / unroll * unroll * 8 * pairs};
  }

  static Values emitFour(KernelBuilder &kb, const DotRequest &r, llvm::Value *rows,
                         llvm::Value *weights, int64_t turn, Values acc) {
    llvm::SmallVector<Pairs, 4> x;
    for (unsigned p = 0; p < r.pixels; ++p)
      x.push_back(loadPairs(kb, kb.at(rows, p * r.distance), 4 * turn, 1));
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
