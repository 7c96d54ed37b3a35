// See the header.
#include "ByteVectors.h"

#include "GemmShape.h"
#include "mfc/IR/Remap.h"

#include "llvm/IR/IntrinsicsARM.h"
#include <algorithm>

using namespace mfc;

bool ByteVectors::fits(const Kernel &kernel) {
  const TensorType &type = kernel.anchor->result()->type;
  llvm::SmallVector<const Operation *, 4> tail = tailOperations(kernel);
  bool plain = tail.empty() || (tail.size() == 1 && tail[0]->kind() == OpKind::Clamp);
  return plain && !outputRemap(kernel) && type.isQuantized() && type.element == ElementType::I8;
}

ByteVectors::ByteVectors(KernelIO &io, const RequantForm &form, int64_t accumulatorBound, Order order)
    : io(io), kb(io.kb), out(resultRange(io.kernel)), order(order) {
  // The zero point is added to 16-bit values, which is exact: they are saturated, and it is far smaller than they are.
  StoredRange unmoved{0, out.min - out.zeroPoint, out.max - out.zeroPoint};
  requantizer.emplace(kb, io.kernel.name, form.multipliers, form.rounding, accumulatorBound, unmoved);
}

void ByteVectors::appendRecord(std::vector<uint8_t> &bytes, const LaneChannels &channels) const {
  std::array<int64_t, kChannels> ordered;
  for (size_t place = 0; place < kChannels; ++place)
    ordered[place] = channels[channelAt(order, place)];
  requantizer->appendVectorRecord(bytes, ordered);
}

void ByteVectors::appendWords(std::vector<uint8_t> &bytes, llvm::ArrayRef<int32_t> values,
                              const LaneChannels &channels) const {
  for (size_t place = 0; place < kChannels; ++place)
    appendInteger(bytes, values[static_cast<size_t>(channels[channelAt(order, place)])], 4);
}

/// Saturates both to half their width; `low` gives the even elements, `high` the odd ones (null: they do not matter).
llvm::Value *ByteVectors::narrow(llvm::Value *low, llvm::Value *high, llvm::Type *to) {
  auto half = [&](llvm::Value *into, llvm::Value *v, int top) {
    return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vqmovn, {to, v->getType()},
                                {into, v, kb.i32(0), kb.i32(0), kb.i32(top)});
  };
  llvm::Value *even = half(llvm::PoisonValue::get(to), low, 0);
  return high ? half(even, high, 1) : even;
}

llvm::Value *ByteVectors::narrowToHalves(llvm::Value *low, llvm::Value *high) {
  llvm::Value *v = narrow(low, high, llvm::FixedVectorType::get(kb.b.getInt16Ty(), 8));
  return out.zeroPoint ? kb.b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, v, kb.intLike(v, out.zeroPoint)) : v;
}

llvm::Value *ByteVectors::clamp(llvm::Value *v) {
  if (out.max < INT8_MAX)
    v = kb.smin(v, kb.intLike(v, out.max));
  return out.min > INT8_MIN ? kb.smax(v, kb.intLike(v, out.min)) : v;
}

void ByteVectors::store(const FourVectors &sums, llvm::Value *record, llvm::Value *to, unsigned count) {
  auto result = [&](unsigned v) {
    return requantizer->emit(sums[v], requantizer->loadVectorRecord(record, kChannels, 4 * v));
  };
  if (order == Order::Quarters)
    return storeSeveral({to}, record, count, [&](size_t, unsigned v) { return sums[v]; });
  storeHalf(result(0), result(1), to, std::min(count, 8u));
  if (count > 8)
    storeHalf(result(2), result(3), kb.at(to, 8), count - 8);
}

int64_t ByteVectors::recordBytes() const {
  std::vector<uint8_t> bytes;
  appendRecord(bytes, LaneChannels{});
  return static_cast<int64_t>(bytes.size());
}

void ByteVectors::storeSeveral(llvm::ArrayRef<llvm::Value *> to, llvm::Value *record, unsigned count,
                               llvm::function_ref<llvm::Value *(size_t, unsigned)> sum) {
  auto results = [&](unsigned v) {
    Requantizer::Channel parameters = requantizer->loadVectorRecord(record, kChannels, 4 * v);
    Values of;
    for (size_t p = 0; p < to.size(); ++p)
      of.push_back(requantizer->emit(sum(p, v), parameters));
    return of;
  };
  auto halves = [&](unsigned v) {
    Values low = results(v), high = results(v + 1);
    for (size_t p = 0; p < to.size(); ++p)
      low[p] = narrowToHalves(low[p], high[p]);
    return low;
  };
  Values even = halves(0), odd = halves(2);
  for (size_t p = 0; p < to.size(); ++p)
    storeQuarters(even[p], odd[p], to[p], count);
}

static void storeFirst(KernelBuilder &kb, llvm::Value *bytes, llvm::Value *to, unsigned count,
                       llvm::Intrinsic::ID predicate) {
  if (count == llvm::cast<llvm::FixedVectorType>(bytes->getType())->getNumElements()) {
    kb.b.CreateAlignedStore(bytes, to, llvm::Align(1));
    return;
  }
  llvm::Value *mask = kb.b.CreateIntrinsic(predicate, {}, {kb.i32(count)});
  kb.b.CreateMaskedStore(bytes, to, llvm::Align(1), mask);
}

void ByteVectors::storeQuarters(llvm::Value *even, llvm::Value *odd, llvm::Value *to, unsigned count) {
  llvm::Value *result = narrow(even, odd, llvm::FixedVectorType::get(kb.b.getInt8Ty(), kChannels));
  storeFirst(kb, clamp(result), to, count, llvm::Intrinsic::arm_mve_vctp8);
}

/// Eight results in a row; the store takes the low byte of each 16-bit lane.
void ByteVectors::storeHalf(llvm::Value *low, llvm::Value *high, llvm::Value *to, unsigned count) {
  llvm::Value *halves = clamp(narrowToHalves(low, high));
  if (out.max == INT8_MAX || out.min == INT8_MIN) { // clamp() left an end open
    llvm::Value *bytes = narrow(halves, nullptr, llvm::FixedVectorType::get(kb.b.getInt8Ty(), kChannels));
    halves = kb.b.CreateBitCast(bytes, halves->getType());
  }
  llvm::Value *result = kb.b.CreateTrunc(halves, llvm::FixedVectorType::get(kb.b.getInt8Ty(), 8));
  storeFirst(kb, result, to, count, llvm::Intrinsic::arm_mve_vctp16);
}
