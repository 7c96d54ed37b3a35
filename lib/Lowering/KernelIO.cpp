#include "KernelIO.h"

#include "Elementwise.h"
#include "StridedLoops.h"
#include "Target/TargetHooks.h"
#include "mfc/IR/Remap.h"
#include "mfc/Ops/RowAccess.h"

#include <algorithm>

using namespace mfc;

llvm::SmallVector<const Operation *, 4> mfc::tailOperations(const Kernel &kernel) {
  llvm::SmallVector<const Operation *, 4> tail;
  bool after = false;
  for (const Operation *op : kernel.ops) {
    if (after && hasTrait(op->kind(), OpTrait::Elementwise))
      tail.push_back(op);
    after |= op == kernel.anchor;
  }
  return tail;
}

static std::optional<std::vector<int64_t>> remappedStrides(const Operation &anchor, const Operation &transpose) {
  std::vector<int64_t> behind = rowMajorStrides(transpose.result()->type.shape), front(behind.size());
  for (size_t d = 0; d < behind.size(); ++d)
    front[static_cast<size_t>(transpose.attrs<TransposeAttrs>().perm[d])] = behind[d];
  return stridesThroughView(anchor.result()->type.shape, transpose.operand(0)->type.shape, front);
}

bool mfc::canRemap(const Operation &anchor, const Operation &transpose) {
  return remappedStrides(anchor, transpose).has_value();
}

std::vector<int64_t> mfc::storedStrides(const Kernel &kernel) {
  if (const Operation *remap = outputRemap(kernel))
    return *remappedStrides(*kernel.anchor, *remap);
  return rowMajorStrides(kernel.anchor->result()->type.shape);
}

KernelIO::KernelIO(KernelBuilder &kb, const Kernel &kernel) : kb(kb), kernel(kernel), remap(outputRemap(kernel)) {
  if (remap)
    storedDistances = storedStrides(kernel);
  unsigned next = 0;
  for (const Value *input : kernel.inputs) {
    llvm::Argument *arg = kb.fn->getArg(next++);
    arguments[viewSource(const_cast<Value *>(input))] = arg;
  }
  outputPointer = kb.fn->getArg(next++);
  if (kernel.scratchBytes)
    scratchPointer = kb.fn->getArg(next++);
  tailOps = tailOperations(kernel);
  if (!byRows())
    return;
  stepNumber = kb.fn->getArg(next);
  if (!isGlobalMean(*kernel.anchor)) // that one writes its only row
    outputPointer = rowOf(outputPointer, kernel.output, stepNumber);
}

bool KernelIO::inRing(const Value *value) const {
  const Placement *place = kb.cx.plan.placementOf(value);
  return place && place->kind == PlacementKind::Ring && place->rows < value->type.dim(1);
}

/// number % divisor for 0 <= number < limit: with the smallest m / 2^s >= 1 / divisor for which number * (m * divisor - 2^s)
/// < 2^s, so that the quotient is exact (Granlund and Montgomery, PLDI 1994, theorem 4.2).
static llvm::Value *remainder(KernelBuilder &kb, llvm::Value *number, int64_t divisor, int64_t limit) {
  if ((divisor & (divisor - 1)) == 0)
    return kb.b.CreateAnd(number, kb.i32(divisor - 1));
  for (int shift = 4; shift < 31; ++shift) {
    int64_t one = int64_t(1) << shift, factor = (one + divisor - 1) / divisor;
    if (limit * factor > UINT32_MAX)
      break;
    if (limit * (factor * divisor - one) >= one)
      continue;
    llvm::Value *quotient = kb.b.CreateLShr(kb.mulConst(number, factor), kb.i32(shift));
    return kb.b.CreateSub(number, kb.mulConst(quotient, divisor));
  }
  return kb.b.CreateSub(number, kb.mulConst(kb.cx.hooks().emitDivide(kb, number, kb.i32(divisor)), divisor));
}

/// base + row % rows of the ring * bytes of a row.
llvm::Value *KernelIO::rowOf(llvm::Value *base, const Value *value, llvm::Value *row) {
  int64_t bytes = value->type.dim(-2) * value->type.dim(-1) * elementBytes(value->type.element);
  if (inRing(value)) {
    int64_t kept = kb.cx.plan.placementOf(value)->rows;
    if (kept == 1)
      return base;
    row = remainder(kb, row, kept, value->type.dim(1));
  }
  return kb.b.CreateGEP(kb.b.getInt8Ty(), base, kb.mulConst(row, bytes));
}

llvm::Value *KernelIO::rowPointer(const Value *value, llvm::Value *row) { return rowOf(pointer(value), value, row); }

llvm::Value *KernelIO::alignedPointer(const Value *value) {
  // Operands of fewer dimensions are aligned at the last one.
  if (!byRows() || value->type.rank() < 3 || value->type.dim(-3) != kernel.output->type.dim(1))
    return pointer(value);
  llvm::Value *&known = alignedPointers[value];
  if (!known) {
    llvm::IRBuilder<>::InsertPointGuard guard(kb.b); // once, where it is good for all uses
    llvm::BasicBlock &entry = kb.fn->getEntryBlock();
    kb.b.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    known = rowPointer(value, stepNumber);
  }
  return known;
}

StoredOperand KernelIO::stored(const Value *operand) {
  const Operation *transpose = inputRemap(kernel, operand);
  if (!transpose)
    return {pointer(operand), rowMajorStrides(operand->type.shape)};
  std::vector<int64_t> source = rowMajorStrides(transpose->operand(0)->type.shape), strides;
  for (int64_t axis : transpose->attrs<TransposeAttrs>().perm)
    strides.push_back(source[static_cast<size_t>(axis)]);
  return {pointer(transpose->operand(0)), strides};
}

OutputPixel KernelIO::pixel(llvm::Value *n, llvm::Value *y, llvm::Value *x) {
  if (byRows()) // output() is at the row already
    n = y = kb.i32(0);
  const TensorType &type = kernel.anchor->result()->type;
  llvm::Value *row = kb.add(kb.mulConst(n, type.dim(1)), y);
  OutputPixel place{kb.mulConst(kb.add(kb.mulConst(row, type.dim(2)), x), type.dim(3))};
  if (remap) {
    place.stored = kb.add(kb.mulConst(n, storedDistances[0]), kb.mulConst(y, storedDistances[1]));
    place.stored = kb.add(place.stored, kb.mulConst(x, storedDistances[2]));
  }
  return place;
}

/// Constants come last, so that they end up in the addresses.
Position KernelIO::position(const OutputPixel &first, llvm::Value *channel, unsigned lanes, int64_t ahead,
                            int64_t pixels) {
  auto plus = [&](llvm::Value *index, int64_t more) { return more ? kb.add(index, kb.i32(more)) : index; };
  int64_t channels = kernel.anchor->result()->type.dim(-1);
  Position place{plus(kb.add(first.offset, channel), pixels * channels + ahead), plus(channel, ahead), lanes};
  if (first.stored)
    place.stored = plus(kb.add(first.stored, kb.mulConst(channel, channelDistance())),
                        pixels * storedDistances[2] + ahead * channelDistance());
  return place;
}

const Value *KernelIO::computed(const Value *value) const {
  const Value *source = viewSource(const_cast<Value *>(value));
  return remap && source == remap->result() ? viewSource(remap->operand(0)) : source;
}

llvm::Value *KernelIO::pointer(const Value *value) {
  const Value *source = viewSource(const_cast<Value *>(value));
  if (source->isConstant())
    return kb.cx.constant(kernel.name + ".data", source->bytes(), std::max(elementBytes(source->type.element), 4u));
  auto it = arguments.find(source);
  assert(it != arguments.end() && "kernel reads only its inputs");
  return it->second;
}

TailOperand mfc::classifyTailOperand(const TensorType &operand, const TensorType &result) {
  int64_t count = operand.count(), last = result.shape.empty() ? 1 : result.dim(-1);
  if (count == 1)
    return TailOperand::Scalar;
  if (count == result.count())
    return TailOperand::Same;
  if (count == last && operand.rank() >= 1 && operand.dim(-1) == last)
    return TailOperand::Channel;
  return TailOperand::None;
}

/// The vector whose lanes the scalars are, or null.
static llvm::Value *vectorOfLanes(llvm::ArrayRef<llvm::Value *> scalars, llvm::Type *type) {
  llvm::Value *vector = nullptr;
  for (size_t i = 0; i < scalars.size(); ++i) {
    auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(scalars[i]);
    auto *lane = extract ? llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!lane || lane->getZExtValue() != i || (vector && vector != extract->getVectorOperand()))
      return nullptr;
    vector = extract->getVectorOperand();
  }
  return vector->getType() == type ? vector : nullptr;
}

llvm::Value *mfc::joinLanes(KernelBuilder &kb, llvm::ArrayRef<llvm::Value *> scalars) {
  if (scalars.size() == 1)
    return scalars[0];
  auto *type = llvm::FixedVectorType::get(scalars[0]->getType(), static_cast<unsigned>(scalars.size()));
  if (llvm::Value *whole = vectorOfLanes(scalars, type))
    return whole;
  llvm::Value *vector = llvm::PoisonValue::get(type);
  for (size_t i = 0; i < scalars.size(); ++i)
    vector = kb.b.CreateInsertElement(vector, scalars[i], i);
  return vector;
}

StoredRange mfc::resultRange(const Kernel &kernel) {
  StoredRange range = storedRange(kernel.anchor->result()->type);
  llvm::SmallVector<const Operation *, 4> tail = tailOperations(kernel);
  if (!tail.empty() && tail[0]->kind() == OpKind::Clamp) {
    const auto &clamp = tail[0]->attrs<ClampAttrs>();
    range.min = std::max(range.min, static_cast<int32_t>(std::clamp<double>(clamp.min, INT32_MIN, INT32_MAX)));
    range.max = std::min(range.max, static_cast<int32_t>(std::clamp<double>(clamp.max, INT32_MIN, INT32_MAX)));
    range.max = std::max(range.min, range.max);
  }
  return range;
}

unsigned mfc::tailLanes(const Kernel &kernel, const TargetHooks &hooks) {
  unsigned lanes = hooks.lanes(kernel.anchor->result()->type.element);
  for (const Operation *op : tailOperations(kernel))
    lanes = std::min(lanes, elementwiseLanes(*op, hooks));
  return lanes;
}

static llvm::Value *loadTailOperand(KernelIO &io, const Value *operand, const Position &position) {
  KernelBuilder &kb = io.kb;
  ElementType element = operand->type.element;
  llvm::Value *base = io.pointer(operand);
  auto elementAt = [&](llvm::Value *index, unsigned lanes) {
    return kb.load(element, kb.at(base, kb.mulConst(index, elementBytes(element))), lanes);
  };
  switch (classifyTailOperand(operand->type, io.kernel.anchor->result()->type)) {
  case TailOperand::Scalar:
    return kb.splat(elementAt(kb.i32(0), 1), position.lanes);
  case TailOperand::Channel:
    return elementAt(position.channel, position.lanes);
  case TailOperand::Same:
    base = io.alignedPointer(operand);
    return elementAt(position.offset, position.lanes);
  case TailOperand::None:
    break;
  }
  llvm_unreachable("fusion asked canFuseTail");
}

void mfc::storeElements(KernelIO &io, llvm::Value *value, const Position &position) {
  KernelBuilder &kb = io.kb;
  ElementType element = io.outputElement();
  auto address = [&](llvm::Value *index) { return kb.at(io.output(), kb.mulConst(index, elementBytes(element))); };
  if (!position.stored)
    return kb.store(element, value, address(position.offset));
  llvm::Value *first = address(position.stored);
  int64_t distance = io.channelDistance() * static_cast<int64_t>(elementBytes(element));
  for (unsigned lane = 0; lane < position.lanes; ++lane) {
    llvm::Value *scalar = value->getType()->isVectorTy() ? kb.b.CreateExtractElement(value, lane) : value;
    kb.store(element, scalar, kb.at(first, lane * distance));
  }
}

void mfc::storeResult(KernelIO &io, llvm::Value *result, const Position &position) {
  KernelBuilder &kb = io.kb;
  llvm::ArrayRef<const Operation *> tail = io.tail();
  if (io.kernel.anchor->result()->type.isQuantized()) { // one clamp does for both
    StoredRange range = resultRange(io.kernel);
    result = kb.clampInt(result, range.min, range.max);
  }
  llvm::DenseMap<const Value *, llvm::Value *> known;
  known[io.computed(io.kernel.anchor->result())] = result;
  for (const Operation *op : tail) {
    llvm::SmallVector<llvm::Value *, 2> operands;
    for (const Value *operand : op->operands()) {
      auto it = known.find(io.computed(operand));
      operands.push_back(it != known.end() ? it->second : loadTailOperand(io, operand, position));
    }
    known[op->result()] = emitElementwise(kb, *op, operands);
  }
  llvm::Value *last = known.lookup(io.computed(io.kernel.output));
  assert(last && "the output is the anchor's result or a tail's");
  storeElements(io, last, position);
}
