#include "KernelBuilder.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mfc;

KernelBuilder::KernelBuilder(LoweringContext &cx, llvm::Function *fn)
    : cx(cx), fn(fn), b(llvm::BasicBlock::Create(cx.llvm, "entry", fn)) {}

static llvm::Type *withLanes(llvm::Type *scalar, unsigned lanes) {
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

llvm::Type *KernelBuilder::wideType(ElementType element, unsigned lanes) {
  if (isFloat(element))
    return withLanes(b.getFloatTy(), lanes);
  return withLanes(elementBytes(element) == 8 ? b.getInt64Ty() : b.getInt32Ty(), lanes);
}

llvm::Type *KernelBuilder::storedType(ElementType element, unsigned lanes) {
  if (isFloat(element))
    return withLanes(b.getFloatTy(), lanes);
  return withLanes(b.getIntNTy(8 * elementBytes(element)), lanes);
}

llvm::Value *KernelBuilder::splat(llvm::Value *scalar, unsigned lanes) {
  if (lanes == 1)
    return scalar;
  return b.CreateVectorSplat(lanes, scalar);
}

llvm::Value *KernelBuilder::wideConstant(ElementType element, double value, unsigned lanes) {
  llvm::Type *type = wideType(element, lanes);
  if (isFloat(element))
    return llvm::ConstantFP::get(type, value);
  return llvm::ConstantInt::get(type, static_cast<uint64_t>(static_cast<int64_t>(value)), true);
}

llvm::Constant *KernelBuilder::intLike(llvm::Value *shape, int64_t value) {
  return llvm::ConstantInt::get(shape->getType(), static_cast<uint64_t>(value), true);
}

llvm::Value *KernelBuilder::at(llvm::Value *pointer, llvm::Value *byteOffset) {
  if (auto *c = llvm::dyn_cast<llvm::ConstantInt>(byteOffset); c && c->isZero())
    return pointer;
  return b.CreateInBoundsGEP(b.getInt8Ty(), pointer, byteOffset);
}

llvm::Value *KernelBuilder::at(llvm::Value *pointer, int64_t byteOffset) { return at(pointer, i32(byteOffset)); }

llvm::Value *KernelBuilder::loadAs(llvm::Type *type, llvm::Value *pointer, unsigned align) {
  return b.CreateAlignedLoad(type, pointer, llvm::Align(align));
}

llvm::Value *KernelBuilder::loadBytes(llvm::Value *pointer, unsigned align) {
  llvm::Type *bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 16);
  if (align < 4)
    return loadAs(bytes, pointer, align);
  return b.CreateBitCast(loadAs(llvm::FixedVectorType::get(i32Type(), 4), pointer, 4), bytes);
}

llvm::Value *KernelBuilder::load(ElementType element, llvm::Value *pointer, unsigned lanes) {
  llvm::Value *raw = loadAs(storedType(element, lanes), pointer, elementBytes(element));
  if (isFloat(element))
    return raw;
  llvm::Type *wide = wideType(element, lanes);
  return isSignedInteger(element) ? b.CreateSExt(raw, wide) : b.CreateZExt(raw, wide);
}

void KernelBuilder::store(ElementType element, llvm::Value *value, llvm::Value *pointer) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  unsigned lanes = vector ? vector->getNumElements() : 1;
  if (!isFloat(element))
    value = b.CreateTrunc(value, storedType(element, lanes));
  b.CreateAlignedStore(value, pointer, llvm::Align(elementBytes(element)));
}

static std::optional<int64_t> constantOf(llvm::Value *value) {
  if (auto *c = llvm::dyn_cast<llvm::ConstantInt>(value))
    return c->getSExtValue();
  return std::nullopt;
}

Values KernelBuilder::loop(const char *name, llvm::Value *count, llvm::ArrayRef<llvm::Value *> initial, LoopBody body) {
  if (constantOf(count) == 1)
    return body(i32(0), initial);
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *head = llvm::BasicBlock::Create(cx.llvm, name, fn);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode *index = b.CreatePHI(i32Type(), 2, "i");
  index->addIncoming(i32(0), before);
  llvm::SmallVector<llvm::PHINode *, 8> phis;
  Values carried;
  for (llvm::Value *value : initial) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    carried.push_back(phis.back());
  }
  Values next = body(index, carried);
  assert(next.size() == phis.size() && "body returns what it carries");
  llvm::BasicBlock *latch = b.GetInsertBlock();
  llvm::Value *nextIndex = b.CreateNUWAdd(index, i32(1));
  index->addIncoming(nextIndex, latch);
  for (size_t i = 0; i < phis.size(); ++i)
    phis[i]->addIncoming(next[i], latch);
  llvm::BasicBlock *exit = llvm::BasicBlock::Create(cx.llvm, llvm::Twine(name) + ".end", fn);
  b.CreateCondBr(b.CreateICmpULT(nextIndex, count), head, exit);
  b.SetInsertPoint(exit);
  return next;
}

Values KernelBuilder::loop(const char *name, int64_t count, llvm::ArrayRef<llvm::Value *> initial, LoopBody body) {
  if (count == 0)
    return Values(initial.begin(), initial.end());
  return loop(name, i32(count), initial, body);
}

void KernelBuilder::loop(const char *name, int64_t count, llvm::function_ref<void(llvm::Value *)> body) {
  if (count != 0)
    loop(name, i32(count), body);
}

void KernelBuilder::loop(const char *name, llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body) {
  loop(name, count, llvm::ArrayRef<llvm::Value *>{}, [&](llvm::Value *index, llvm::ArrayRef<llvm::Value *>) {
    body(index);
    return Values{};
  });
}

Values KernelBuilder::rangeLoop(const char *name, llvm::Value *begin, llvm::Value *end,
                                llvm::ArrayRef<llvm::Value *> initial, LoopBody body) {
  return ifElse(
      name, b.CreateICmpSLT(begin, end),
      [&] {
        return loop(name, b.CreateSub(end, begin), initial, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried) {
          return body(b.CreateAdd(begin, i), carried);
        });
      },
      [&] { return Values(initial.begin(), initial.end()); });
}

void KernelBuilder::ifThen(const char *name, llvm::Value *condition, llvm::function_ref<void()> body) {
  ifElse(
      name, condition,
      [&] {
        body();
        return Values{};
      },
      [] { return Values{}; });
}

Values KernelBuilder::ifElse(const char *name, llvm::Value *condition, llvm::function_ref<Values()> yes,
                             llvm::function_ref<Values()> no) {
  if (auto *c = llvm::dyn_cast<llvm::ConstantInt>(condition))
    return c->isZero() ? no() : yes();
  llvm::BasicBlock *yesBlock = llvm::BasicBlock::Create(cx.llvm, llvm::Twine(name) + ".then", fn);
  llvm::BasicBlock *noBlock = llvm::BasicBlock::Create(cx.llvm, llvm::Twine(name) + ".else", fn);
  llvm::BasicBlock *join = llvm::BasicBlock::Create(cx.llvm, llvm::Twine(name) + ".join", fn);
  b.CreateCondBr(condition, yesBlock, noBlock);
  b.SetInsertPoint(yesBlock);
  Values a = yes();
  yesBlock = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(noBlock);
  Values c = no();
  noBlock = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  assert(a.size() == c.size() && "both sides yield the same values");
  Values merged;
  for (size_t i = 0; i < a.size(); ++i) {
    llvm::PHINode *phi = b.CreatePHI(a[i]->getType(), 2);
    phi->addIncoming(a[i], yesBlock);
    phi->addIncoming(c[i], noBlock);
    merged.push_back(phi);
  }
  return merged;
}

llvm::Value *KernelBuilder::mulConst(llvm::Value *a, int64_t factor) {
  if (factor == 1)
    return a;
  return b.CreateMul(a, intLike(a, factor));
}

llvm::Value *KernelBuilder::smin(llvm::Value *a, llvm::Value *c) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, c);
}

llvm::Value *KernelBuilder::smax(llvm::Value *a, llvm::Value *c) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, c);
}

llvm::Value *KernelBuilder::clampInt(llvm::Value *v, int64_t lo, int64_t hi) {
  return smax(smin(v, intLike(v, hi)), intLike(v, lo));
}

void KernelBuilder::keepOrder() {
  auto *type = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(type, llvm::InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true));
}

llvm::Value *KernelBuilder::pin(llvm::Value *v) {
  if (cx.target.isHost() || cx.target.hasDSP || !v->getType()->isIntegerTy(32))
    return v;
  auto *type = llvm::FunctionType::get(v->getType(), {v->getType()}, false);
  return b.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/true), {v});
}

unsigned mfc::commonAlign(uint64_t a, uint64_t c) {
  uint64_t both = a | c | 16;
  return static_cast<unsigned>(both & (~both + 1));
}
