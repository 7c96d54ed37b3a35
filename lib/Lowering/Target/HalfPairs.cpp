// The dot product of cores without SIMD: two channels in one 32-bit multiplication (WeightPacking::HalfPairs).
//
// word = wa + 65536 * wb, and p = sum of x * word over a group of K values = A' + 65536 * B' with both fields signed
// 16-bit numbers (GemmProblem::halfPairsGroup proves it). A group starts at 32768, so that p >> 16 is B' exactly.
// Carried over the groups: `total` = sum of p mod 2^32 and `high` = sum of p >> 16. At the end B = high and
// A = total - 65536 * high; the biases are in the start values (GemmProblem::startValues).
#include "TargetHooks.h"

#include <algorithm>

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
    int64_t most = std::max<int64_t>(1, kMostProducts / (group * r.pixels * words));
    int64_t unroll = unrollFactor(turns, r.shape.mostUnrolled(static_cast<unsigned>(most)));
    auto groups = [&](int64_t count, llvm::ArrayRef<llvm::Value *> now) {
      Values sums(now.begin(), now.begin() + accumulators);
      for (int64_t i = 0; i < count; ++i)
        sums = emitGroup(kb.at(now[accumulators], i * group * elementBytes(element())),
                         kb.at(now.back(), i * group * words * 4), group, std::move(sums));
      sums.push_back(kb.at(now[accumulators], count * group * elementBytes(element())));
      sums.push_back(kb.at(now.back(), count * group * words * 4));
      return sums;
    };
    carried = kb.loop("dot", turns / unroll, carried,
                      [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) { return groups(unroll, now); });
    carried = groups(turns % unroll, carried);
    Values sums(carried.begin(), carried.begin() + accumulators);
    if (rest)
      sums = emitGroup(carried[accumulators], carried.back(), rest, std::move(sums));
    for (size_t i = 0; i < accumulators; i += r.channels)
      for (unsigned c = 0; c + 1 < r.channels; c += 2)
        sums[i + c] = kb.b.CreateSub(sums[i + c], kb.b.CreateShl(sums[i + c + 1], kb.i32(16)));
    return {std::move(sums), carried.back(), turns * group * words * 4};
  }

private:
  static constexpr int64_t kMostProducts = 32; ///< multiplications in the body of the loop

  ElementType element() const { return r.shape.preparedBytes == 4 ? ElementType::I32 : ElementType::I8; }

  Values emitGroup(llvm::Value *rows, llvm::Value *weights, int64_t count, Values sums) {
    Values packed(r.pixels * words, nullptr);
    for (int64_t k = 0; k < count; ++k) {
      Values x;
      for (unsigned p = 0; p < r.pixels; ++p)
        x.push_back(kb.load(element(), kb.at(rows, p * r.distance + k * elementBytes(element()))));
      for (unsigned q = 0; q < words; ++q) {
        llvm::Value *w = kb.loadAs(kb.i32Type(), kb.at(weights, 4 * (k * words + q)), 4);
        for (unsigned p = 0; p < r.pixels; ++p)
          accumulate(packed[p * words + q], sums[p * r.channels + 2 * q], x[p], w, hasSecond(q));
      }
      if (kb.cx.target.isa == InstructionSet::Thumb1) // 8 registers
        kb.keepOrder();
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

GemmShape TargetHooks::halfPairsShape(const GemmProblem &problem, GemmShape base, unsigned preparedBytes,
                                      bool prepareAnyway) const {
  GemmShape shape = base;
  shape.packing = WeightPacking::HalfPairs;
  shape.group = problem.groupChannels > 1 ? problem.halfPairsGroup({2, 3, 4, 5, 6, 7, 8, 10, 12, 16}) : 0;
  if (!shape.group)
    return {};
  shape.preparedBytes = prepareAnyway ? preparedBytes : 0;
  // A group of n costs 2n + 3 instructions for 2n products of two channels; preparing a row about 6 a value of K.
  double channels = static_cast<double>(problem.groupChannels), best = 1.5 / shape.group;
  double preparing = prepareAnyway ? 0 : 6 / channels;
  for (unsigned length : {3u, 4u, 5u, 6u, 8u}) {
    if (length <= shape.group || 1.5 / length + preparing >= best || problem.groups != 1)
      continue;
    std::vector<uint16_t> order = problem.halfPairsOrder(length);
    if (order.empty())
      break; // a longer one is harder still
    shape.group = length, shape.order = std::move(order), shape.preparedBytes = preparedBytes;
    best = 1.5 / length + preparing;
  }
  return shape;
}

/// Rows one after the other: [pixel][K], bytes or words.
void TargetHooks::emitPrepareRow(KernelBuilder &kb, const GemmShape &shape, llvm::Value *row, int64_t k,
                                 llvm::Value *to, unsigned pixel, unsigned) const {
  int64_t bytes = shape.preparedBytes, unroll = unrollFactor(k, shape.mostUnrolled(4));
  ElementType element = bytes == 4 ? ElementType::I32 : ElementType::I8;
  llvm::GlobalVariable *table = nullptr;
  int64_t entry = k <= 256 ? 1 : 2;
  if (!shape.order.empty() && entry == 1)
    table = kb.cx.constant("order", std::vector<uint8_t>(shape.order.begin(), shape.order.end()), 1);
  else if (!shape.order.empty())
    table = kb.cx.constant("order", std::vector<int16_t>(shape.order.begin(), shape.order.end()));
  auto one = [&](llvm::Value *from, llvm::Value *entries, llvm::Value *into, int64_t i) {
    llvm::Value *source = kb.at(from, i);
    if (table) {
      llvm::Value *index = kb.loadAs(kb.b.getIntNTy(static_cast<unsigned>(8 * entry)), kb.at(entries, i * entry),
                                     static_cast<unsigned>(entry));
      source = kb.at(row, kb.b.CreateZExt(index, kb.i32Type()));
    }
    kb.store(element, kb.load(ElementType::I8, source), kb.at(into, i * bytes));
  };
  Values start{row, table ? static_cast<llvm::Value *>(table) : row, kb.at(to, pixel * k * bytes)};
  Values end = kb.loop("prepare", k / unroll, start, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    for (int64_t i = 0; i < unroll; ++i)
      one(now[0], now[1], now[2], i);
    return Values{kb.at(now[0], unroll), kb.at(now[1], unroll * (table ? entry : 1)), kb.at(now[2], unroll * bytes)};
  });
  for (int64_t i = 0; i < k % unroll; ++i)
    one(end[0], end[1], end[2], i);
}
