// The dot product of cores without SIMD: two channels in one 32-bit multiplication (WeightPacking::HalfPairs).
//
// word = wa + 65536 * wb, and p = sum of x * word over a group of K values = A' + 65536 * B' with both fields signed
// 16-bit numbers (GemmProblem::halfPairsGroup proves it). A group starts at 32768, so that p >> 16 is B' exactly.
// Carried over the groups: `total` = sum of p mod 2^32 and `high` = sum of p >> 16. At the end B = high and
// A = total - 65536 * high; the biases are in the start values (GemmProblem::startValues).
#include "TargetHooks.h"

using namespace mfc;

namespace {
class HalfPairsEmitter {
public:
  HalfPairsEmitter(KernelBuilder &kb, const DotRequest &r) : kb(kb), r(r), words((r.channels + 1) / 2) {}

  DotResult emit(Values acc) {
    size_t accumulators = acc.size();
    int64_t group = r.shape.group, turns = r.k / group, rest = r.k % group;
    Values carried = acc;
    carried.push_back(r.rows);
    carried.push_back(r.weights);
    carried = kb.loop("dot", turns, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      Values sums = emitGroup(now[accumulators], now.back(), group, Values(now.begin(), now.begin() + accumulators));
      sums.push_back(kb.at(now[accumulators], group));
      sums.push_back(kb.at(now.back(), group * words * 4));
      return sums;
    });
    Values sums(carried.begin(), carried.begin() + accumulators);
    if (rest)
      sums = emitGroup(carried[accumulators], carried.back(), rest, std::move(sums));
    for (size_t i = 0; i < accumulators; i += r.channels)
      for (unsigned c = 0; c + 1 < r.channels; c += 2)
        sums[i + c] = kb.b.CreateSub(sums[i + c], kb.b.CreateShl(sums[i + c + 1], kb.i32(16)));
    return {std::move(sums), carried.back(), turns * group * words * 4};
  }

private:
  Values emitGroup(llvm::Value *rows, llvm::Value *weights, int64_t count, Values sums) {
    Values packed(r.pixels * words, nullptr);
    for (int64_t k = 0; k < count; ++k) {
      Values x;
      for (unsigned p = 0; p < r.pixels; ++p)
        x.push_back(kb.load(ElementType::I8, kb.at(rows, p * r.distance + k)));
      for (unsigned q = 0; q < words; ++q) {
        llvm::Value *w = kb.loadAs(kb.i32Type(), kb.at(weights, 4 * (k * words + q)), 4);
        for (unsigned p = 0; p < r.pixels; ++p)
          accumulate(packed[p * words + q], sums[p * r.channels + 2 * q], x[p], w, hasSecond(q));
      }
    }
    for (unsigned p = 0; p < r.pixels; ++p)
      for (unsigned q = 0; q < words; ++q)
        if (hasSecond(q))
          takeApart(packed[p * words + q], sums[p * r.channels + 2 * q], sums[p * r.channels + 2 * q + 1]);
    return sums;
  }

  /// A last channel without a partner is a plain product.
  bool hasSecond(unsigned q) const { return 2 * q + 1 < r.channels; }

  void accumulate(llvm::Value *&packed, llvm::Value *&plain, llvm::Value *x, llvm::Value *w, bool pair) {
    llvm::Value *&sum = pair ? packed : plain;
    if (!sum)
      sum = kb.i32(32768);
    sum = kb.add(kb.b.CreateMul(x, w), sum);
  }

  void takeApart(llvm::Value *packed, llvm::Value *&total, llvm::Value *&high) {
    total = kb.add(total, packed);
    high = kb.add(high, kb.b.CreateAShr(packed, kb.i32(16)));
  }

  KernelBuilder &kb;
  const DotRequest &r;
  unsigned words; ///< of one value of K
};
} // namespace

DotResult TargetHooks::emitHalfPairs(KernelBuilder &kb, const DotRequest &request, Values accumulators) const {
  return HalfPairsEmitter(kb, request).emit(std::move(accumulators));
}
