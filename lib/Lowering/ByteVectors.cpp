// See the header.
#include "ByteVectors.h"

#include "llvm/IR/IntrinsicsARM.h"
#include <algorithm>

using namespace mfc;

bool ByteVectors::fits(const Kernel &kernel) {
  const TensorType &type = kernel.anchor->result()->type;
  llvm::SmallVector<const Operation *, 4> tail = tailOperations(kernel);
  bool plain = tail.empty() || (tail.size() == 1 && tail[0]->kind() == OpKind::Clamp);
  return plain && type.isQuantized() && type.element == ElementType::I8;
}

static std::vector<FixedMultiplier> orderedMultipliers(llvm::ArrayRef<FixedMultiplier> multipliers) {
  if (multipliers.size() == 1)
    return multipliers.vec();
  return ByteVectors::inOrder(multipliers, multipliers.front());
}

ByteVectors::ByteVectors(KernelIO &io, const RequantForm &form, int64_t accumulatorBound)
    : io(io), kb(io.kb), out(resultRange(io.kernel)) {
  // The zero point is added to 16-bit values, which is exact: they are saturated, and it is far smaller than they are.
  StoredRange unmoved{0, out.min - out.zeroPoint, out.max - out.zeroPoint};
  requantizer.emplace(kb, io.kernel.name, orderedMultipliers(form.multipliers), form.rounding, accumulatorBound, unmoved);
}

/// Saturates both to half their width; `low` gives the even elements, `high` the odd ones.
llvm::Value *ByteVectors::narrow(llvm::Value *low, llvm::Value *high, llvm::Type *to) {
  auto half = [&](llvm::Value *into, llvm::Value *v, int top) {
    return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vqmovn, {to, v->getType()},
                                {into, v, kb.i32(0), kb.i32(0), kb.i32(top)});
  };
  return half(half(llvm::PoisonValue::get(to), low, 0), high, 1);
}

void ByteVectors::store(const FourVectors &sums, llvm::Value *channel, llvm::Value *offset, unsigned count) {
  FourVectors results;
  for (unsigned v = 0; v < 4; ++v)
    results[v] = requantizer->emit(sums[v], requantizer->loadChannel(channel, 4, 4 * v));
  llvm::Type *halves = llvm::FixedVectorType::get(kb.b.getInt16Ty(), 8);
  llvm::Type *bytes = llvm::FixedVectorType::get(kb.b.getInt8Ty(), 16);
  auto shifted = [&](llvm::Value *v) {
    return out.zeroPoint ? kb.b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, v, kb.intLike(v, out.zeroPoint)) : v;
  };
  llvm::Value *result = narrow(shifted(narrow(results[0], results[1], halves)),
                               shifted(narrow(results[2], results[3], halves)), bytes);
  if (out.max < INT8_MAX)
    result = kb.smin(result, kb.intLike(result, out.max));
  if (out.min > INT8_MIN)
    result = kb.smax(result, kb.intLike(result, out.min));
  llvm::Value *to = kb.at(io.output(), offset);
  if (count == kChannels) {
    kb.b.CreateAlignedStore(result, to, llvm::Align(1));
    return;
  }
  llvm::Value *mask = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_mve_vctp8, {}, {kb.i32(count)});
  kb.b.CreateMaskedStore(result, to, llvm::Align(1), mask);
}
