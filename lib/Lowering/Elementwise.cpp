// One function an operator family; the integer parameters come from Ops/QuantizedForms.h, which the interpreter
// evaluates with.
#include "Elementwise.h"

#include "FloatMath.h"
#include "KernelIO.h"
#include "Requantizer.h"
#include "Target/TargetHooks.h"
#include "mfc/Numerics/SumLine.h"
#include "mfc/Ops/QuantizedForms.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace mfc;

static llvm::Value *saturate(KernelBuilder &kb, llvm::Value *x, StoredRange out) { return kb.clampInt(x, out.min, out.max); }

static llvm::Value *subtractConstant(KernelBuilder &kb, llvm::Value *x, int32_t value) {
  return value ? kb.b.CreateSub(x, kb.intLike(x, value)) : x;
}

static llvm::Value *requantized(KernelBuilder &kb, llvm::Value *acc, FixedMultiplier m, Rounding rounding, int64_t bound,
                                StoredRange out) {
  Requantizer requantizer(kb, "", m, rounding, bound, out);
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(acc->getType());
  return requantizer.emit(acc, requantizer.loadChannel(kb.i32(0), vector ? vector->getNumElements() : 1));
}

/// x / 2^shift, ties to even, without a product. `above` (0 or 1, may be null) says that the exact number is a fraction
/// above x, so that half is no tie.
static llvm::Value *shiftHalfEven(KernelBuilder &kb, llvm::Value *x, int shift, llvm::Value *above) {
  llvm::Value *odd = kb.b.CreateAnd(kb.b.CreateAShr(x, kb.intLike(x, shift)), kb.intLike(x, 1));
  if (above)
    odd = kb.b.CreateOr(odd, above);
  llvm::Value *sum = kb.b.CreateAdd(x, kb.intLike(x, (int64_t(1) << (shift - 1)) - 1));
  return kb.b.CreateAShr(kb.b.CreateAdd(sum, odd), kb.intLike(x, shift));
}

/// The sum as one weighted sum of stored values, where all pairs of them say that it is one.
static std::optional<SumLine> sumLine(const Operation &op, const AddForm &f) {
  const TensorType &a = op.operand(0)->type, &c = op.operand(1)->type, &out = op.result()->type;
  if (elementBytes(a.element) != 1 || elementBytes(c.element) != 1 || elementBytes(out.element) != 1)
    return std::nullopt;
  double slopeA = double(a.quant->scale()) / out.quant->scale(), slopeC = double(c.quant->scale()) / out.quant->scale();
  auto value = [&f](int32_t x, int32_t y) { return f.apply(x, y); };
  auto least = [](const TensorType &t) { return static_cast<int32_t>(elementMin(t.element)); };
  auto most = [](const TensorType &t) { return static_cast<int32_t>(elementMax(t.element)); };
  return fitSumLine({value, slopeA, op.kind() == OpKind::Sub ? -slopeC : slopeC, least(a), most(a), least(c), most(c), f.out.min,
                     f.out.max});
}

static llvm::Value *emitQuantizedAdd(KernelBuilder &kb, const Operation &op, llvm::Value *a, llvm::Value *c) {
  AddForm f = addForm(op);
  if (std::optional<SumLine> line = sumLine(op, f)) {
    llvm::Value *sum = kb.b.CreateAdd(kb.b.CreateMul(a, kb.intLike(a, line->factorA)), kb.intLike(a, line->addend));
    sum = kb.b.CreateAdd(kb.b.CreateMul(c, kb.intLike(c, line->factorB)), sum);
    return saturate(kb, kb.b.CreateAShr(sum, kb.intLike(sum, line->shift)), f.out);
  }
  a = subtractConstant(kb, a, f.zeroPoint1);
  c = subtractConstant(kb, c, f.zeroPoint2);
  if (f.rounding == Rounding::HalfEven) {
    if (f.wide) {
      a = kb.b.CreateSExt(a, kb.b.getInt64Ty());
      c = kb.b.CreateSExt(c, kb.b.getInt64Ty());
    }
    auto weighted = [&](int32_t w1, int32_t w2) {
      return kb.b.CreateAdd(kb.b.CreateMul(a, kb.intLike(a, w1)), kb.b.CreateMul(c, kb.intLike(c, w2)));
    };
    llvm::Value *sum = weighted(f.factor1, f.factor2), *above = nullptr;
    if (f.low1 || f.low2) { // the factors' bits that 32-bit sums have no room for
      llvm::Value *low = weighted(f.low1, f.low2);
      llvm::Value *mask = kb.intLike(low, (int64_t(1) << f.lowBits) - 1), *bits = kb.intLike(low, f.lowBits);
      sum = kb.b.CreateAdd(sum, kb.b.CreateAShr(low, bits));
      above = kb.b.CreateLShr(kb.b.CreateAdd(kb.b.CreateAnd(low, mask), mask), bits);
    }
    llvm::Value *q = shiftHalfEven(kb, sum, f.shift, above);
    if (f.wide)
      q = kb.b.CreateTrunc(kb.clampInt(q, INT32_MIN / 2, INT32_MAX / 2), kb.i32Type());
    return saturate(kb, kb.b.CreateAdd(q, kb.intLike(q, f.out.zeroPoint)), f.out);
  }
  int64_t reach = (elementMax(op.operand(0)->type.element) * 2 + 1) << f.leftShift;
  auto scaled = [&](llvm::Value *x, FixedMultiplier m) {
    return requantized(kb, kb.b.CreateShl(x, kb.intLike(x, f.leftShift)), m, f.rounding, reach, StoredRange{0, INT32_MIN, INT32_MAX});
  };
  llvm::Value *t1 = scaled(a, f.input1), *t2 = scaled(c, f.input2);
  llvm::Value *sum = f.subtract ? kb.b.CreateSub(t1, t2) : kb.b.CreateAdd(t1, t2);
  return saturate(kb, requantized(kb, sum, f.output, f.rounding, 2 * reach, f.out), f.out);
}

static llvm::Value *emitQuantizedMul(KernelBuilder &kb, const Operation &op, llvm::Value *a, llvm::Value *c) {
  MulForm f = mulForm(op);
  llvm::Value *acc = kb.b.CreateMul(subtractConstant(kb, a, f.zeroPoint1), subtractConstant(kb, c, f.zeroPoint2));
  int64_t reach = elementMax(op.operand(0)->type.element) * 2 + 1;
  return saturate(kb, requantized(kb, acc, f.requant.multiplier(0), f.requant.rounding, reach * reach, f.requant.out),
                  f.requant.out);
}

static llvm::Value *emitRequantize(KernelBuilder &kb, const Operation &op, llvm::Value *x) {
  RequantForm f = requantForm(op);
  x = subtractConstant(kb, x, f.inputZeroPoint);
  constexpr FixedMultiplier one{1 << 30, 1};
  if (f.multiplier(0) == one) // only the zero point moves
    return saturate(kb, kb.b.CreateAdd(x, kb.intLike(x, f.out.zeroPoint)), f.out);
  int64_t reach = 2 * elementMax(op.operand(0)->type.element) + 1;
  return saturate(kb, requantized(kb, x, f.multiplier(0), f.rounding, reach, f.out), f.out);
}

static llvm::Value *emitQuantize(KernelBuilder &kb, const Operation &op, llvm::Value *x) {
  StoredRange out = storedRange(op.result()->type);
  float scale = op.result()->type.quant->scale();
  llvm::Value *y = kb.b.CreateFDiv(x, llvm::ConstantFP::get(x->getType(), scale));
  // One more than the range on both sides keeps saturation and the rounding's exact range; NaN becomes 0.
  y = kb.b.CreateSelect(kb.b.CreateFCmpUNO(y, y), llvm::ConstantFP::get(y->getType(), 0), y);
  y = emitClampFloat(kb, y, double(out.min) - out.zeroPoint - 1, double(out.max) - out.zeroPoint + 1);
  bool even = op.attrs<RoundingAttrs>().rounding == Rounding::HalfEven;
  llvm::Value *q = even ? emitRoundHalfEven(kb, y) : emitRoundHalfAway(kb, y);
  return saturate(kb, kb.b.CreateAdd(q, kb.intLike(q, out.zeroPoint)), out);
}

static llvm::Value *emitDequantize(KernelBuilder &kb, const Operation &op, llvm::Value *q) {
  const Quantization &quant = *op.operand(0)->type.quant;
  llvm::Value *f = emitIntToFloat(kb, subtractConstant(kb, q, quant.zeroPoint()));
  return kb.b.CreateFMul(f, llvm::ConstantFP::get(f->getType(), quant.scale()));
}

static llvm::Value *emitTable(KernelBuilder &kb, const Operation &op, llvm::Value *q) {
  std::array<int8_t, 256> table = unaryTable(op);
  ElementType in = op.operand(0)->type.element, out = op.result()->type.element;
  // Indexed by the stored value itself: signed operands start 128 entries in.
  if (isSignedInteger(in))
    std::rotate(table.begin(), table.begin() + 128, table.end());
  llvm::Value *base = kb.cx.constant("table", llvm::ArrayRef<int8_t>(table));
  return kb.load(out, kb.at(kb.at(base, isSignedInteger(in) ? 128 : 0), q));
}

/// Truncates toward zero, saturates at the ends of the stored type, NaN gives 0.
static llvm::Value *emitFloatToInt(KernelBuilder &kb, llvm::Value *x, ElementType to, llvm::Type *wide) {
  llvm::Type *stored = wide->getWithNewBitWidth(8 * elementBytes(to));
  bool isSigned = isSignedInteger(to);
  auto id = isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  llvm::Value *whole = kb.b.CreateIntrinsic(id, {stored, x->getType()}, {x});
  return isSigned ? kb.b.CreateSExt(whole, wide) : kb.b.CreateZExt(whole, wide);
}

static llvm::Value *emitCast(KernelBuilder &kb, const Operation &op, llvm::Value *x) {
  ElementType from = op.operand(0)->type.element, to = op.result()->type.element;
  llvm::Type *type = kb.wideType(to);
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
    type = kb.wideType(to, vector->getNumElements());
  if (isFloat(from) && isFloat(to))
    return x;
  if (to == ElementType::Bool) {
    llvm::Value *zero = llvm::Constant::getNullValue(x->getType());
    return kb.b.CreateZExt(isFloat(from) ? kb.b.CreateFCmpUNE(x, zero) : kb.b.CreateICmpNE(x, zero), type);
  }
  if (isFloat(to)) // narrower unsigned types are positive numbers of 32 bits
    return from == ElementType::U32 ? kb.b.CreateUIToFP(x, type) : emitIntToFloat(kb, x);
  if (isFloat(from))
    return emitFloatToInt(kb, x, to, type);
  return isSignedInteger(from) ? kb.b.CreateSExtOrTrunc(x, type) : kb.b.CreateZExtOrTrunc(x, type);
}

static llvm::Value *emitLarger(KernelBuilder &kb, llvm::Value *a, llvm::Value *c, bool larger) {
  if (a->getType()->isFPOrFPVectorTy())
    return kb.b.CreateSelect(larger ? kb.b.CreateFCmpOGT(a, c) : kb.b.CreateFCmpOLT(a, c), a, c);
  return larger ? kb.smax(a, c) : kb.smin(a, c);
}

static llvm::Value *emitLeakyRelu(KernelBuilder &kb, const Operation &op, llvm::Value *x) {
  if (!x->getType()->isFPOrFPVectorTy())
    return emitTable(kb, op, x);
  llvm::Value *scaled = kb.b.CreateFMul(x, llvm::ConstantFP::get(x->getType(), op.attrs<LeakyReluAttrs>().alpha));
  return kb.b.CreateSelect(kb.b.CreateFCmpOGE(x, llvm::ConstantFP::get(x->getType(), 0)), x, scaled);
}

static llvm::Value *emitClamp(KernelBuilder &kb, const Operation &op, llvm::Value *x) {
  const auto &attrs = op.attrs<ClampAttrs>();
  if (x->getType()->isFPOrFPVectorTy()) {
    // Only the bounds that can act: relu has no upper one.
    auto bound = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
    if (std::isfinite(attrs.min))
      x = kb.b.CreateSelect(kb.b.CreateFCmpOLT(x, bound(attrs.min)), bound(attrs.min), x);
    if (std::isfinite(attrs.max))
      x = kb.b.CreateSelect(kb.b.CreateFCmpOGT(x, bound(attrs.max)), bound(attrs.max), x);
    return x;
  }
  ElementType element = op.result()->type.element;
  auto stored = [&](double v) {
    return static_cast<int64_t>(std::clamp<double>(v, double(std::max<int64_t>(elementMin(element), INT32_MIN)),
                                                   double(std::min<int64_t>(elementMax(element), INT32_MAX))));
  };
  return kb.clampInt(x, stored(attrs.min), stored(attrs.max));
}

static llvm::Value *emitArithmetic(KernelBuilder &kb, const Operation &op, llvm::Value *a, llvm::Value *c) {
  bool real = a->getType()->isFPOrFPVectorTy();
  switch (op.kind()) {
  case OpKind::Add:
    return real ? kb.b.CreateFAdd(a, c) : kb.b.CreateAdd(a, c);
  case OpKind::Sub:
    return real ? kb.b.CreateFSub(a, c) : kb.b.CreateSub(a, c);
  case OpKind::Mul:
    return real ? kb.b.CreateFMul(a, c) : kb.b.CreateMul(a, c);
  default: // the caller sends these and Div
    return kb.b.CreateFDiv(a, c);
  }
}

llvm::Value *mfc::emitElementwise(KernelBuilder &kb, const Operation &op, llvm::ArrayRef<llvm::Value *> x) {
  bool quantized = op.result()->type.isQuantized() && !isFloat(op.operand(0)->type.element);
  switch (op.kind()) {
  case OpKind::Add:
  case OpKind::Sub:
    return quantized ? emitQuantizedAdd(kb, op, x[0], x[1]) : emitArithmetic(kb, op, x[0], x[1]);
  case OpKind::Mul:
    return quantized ? emitQuantizedMul(kb, op, x[0], x[1]) : emitArithmetic(kb, op, x[0], x[1]);
  case OpKind::Div:
    return emitArithmetic(kb, op, x[0], x[1]);
  case OpKind::Maximum:
  case OpKind::Minimum:
    return emitLarger(kb, x[0], x[1], op.kind() == OpKind::Maximum);
  case OpKind::Clamp:
    return emitClamp(kb, op, x[0]);
  case OpKind::LeakyRelu:
    return emitLeakyRelu(kb, op, x[0]);
  case OpKind::Logistic:
    return quantized ? emitTable(kb, op, x[0]) : emitLogistic(kb, x[0]);
  case OpKind::Tanh:
    return quantized ? emitTable(kb, op, x[0]) : emitTanh(kb, x[0]);
  case OpKind::Exp:
    return emitExp(kb, x[0]);
  case OpKind::Sqrt:
    return emitSqrt(kb, x[0]);
  case OpKind::Neg:
    if (quantized)
      return emitTable(kb, op, x[0]);
    return x[0]->getType()->isFPOrFPVectorTy() ? kb.b.CreateFNeg(x[0]) : kb.b.CreateNeg(x[0]);
  case OpKind::Abs:
    if (quantized)
      return emitTable(kb, op, x[0]);
    if (x[0]->getType()->isFPOrFPVectorTy())
      return kb.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x[0]);
    return kb.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x[0], kb.b.getFalse());
  case OpKind::Quantize:
    return emitQuantize(kb, op, x[0]);
  case OpKind::Dequantize:
    return emitDequantize(kb, op, x[0]);
  case OpKind::Requantize:
    return emitRequantize(kb, op, x[0]);
  case OpKind::Cast:
    return emitCast(kb, op, x[0]);
  case OpKind::Conv2D:
  case OpKind::DepthwiseConv2D:
  case OpKind::Dense:
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
  case OpKind::ReduceMean:
  case OpKind::Softmax:
  case OpKind::BatchNorm:
  case OpKind::Reshape:
  case OpKind::Transpose:
  case OpKind::Concat:
  case OpKind::Slice:
  case OpKind::Pad:
  case OpKind::Gather:
  case OpKind::Identity:
    break;
  }
  llvm_unreachable("canEmitElementwise was asked");
}

/// True for operators that load from a 256-entry table.
static bool usesTable(const Operation &op) {
  switch (op.kind()) {
  case OpKind::LeakyRelu:
  case OpKind::Logistic:
  case OpKind::Tanh:
  case OpKind::Neg:
  case OpKind::Abs:
    return hasUnaryTable(op);
  default:
    return false;
  }
}

unsigned mfc::elementwiseLanes(const Operation &op, const TargetHooks &hooks) {
  if (usesTable(op))
    return 1;
  switch (op.kind()) {
  case OpKind::Quantize: // float division has no vector form on MVE
  case OpKind::Logistic:
  case OpKind::Tanh:
  case OpKind::Div:
    return 1;
  default:
    break;
  }
  unsigned lanes = hooks.lanes(op.result()->type.element);
  for (const Value *operand : op.operands())
    lanes = std::min(lanes, hooks.lanes(operand->type.element));
  return lanes;
}

bool mfc::canEmitElementwise(const Operation &op, std::string &why) {
  const TensorType &in = op.operand(0)->type, &out = op.result()->type;
  auto refuse = [&](const char *wanted) {
    why = (llvm::Twine(op.info().name) + " of " + typeText(in) + " is found, " + wanted + " is wanted").str();
    return false;
  };
  if (!hasTrait(op.kind(), OpTrait::Elementwise) || op.kind() == OpKind::BatchNorm)
    return refuse("an element-wise operator");
  bool quantizedIn = in.isQuantized() && !isFloat(in.element);
  bool narrow = elementBytes(in.element) <= 2;
  switch (op.kind()) {
  case OpKind::LeakyRelu:
  case OpKind::Logistic:
  case OpKind::Tanh:
    return isFloat(in.element) || hasUnaryTable(op) || refuse("float or an 8-bit quantized type");
  case OpKind::Neg:
  case OpKind::Abs:
    return !quantizedIn || hasUnaryTable(op) || refuse("float, plain integers or an 8-bit quantized type");
  case OpKind::Exp:
  case OpKind::Sqrt:
  case OpKind::Div:
    return isFloat(in.element) || refuse("float");
  case OpKind::Quantize:
    return elementBytes(out.element) <= 2 || refuse("a quantized result of 8 or 16 bits");
  case OpKind::Dequantize:
    return (narrow && in.quant->isPerTensor()) || refuse("a per-tensor quantized operand of 8 or 16 bits");
  case OpKind::Requantize:
    return (narrow && elementBytes(out.element) <= 2) || refuse("8 or 16 bits");
  case OpKind::Add:
  case OpKind::Sub:
    return !quantizedIn || elementBytes(in.element) == 1 || refuse("float, plain integers or an 8-bit quantized type");
  case OpKind::Mul:
    return !quantizedIn || narrow || refuse("float, plain integers or a quantized type of 8 or 16 bits");
  case OpKind::Cast:
    // 64-bit integers and floats convert by library calls only.
    return !((isFloat(in.element) && elementBytes(out.element) == 8) ||
             (isFloat(out.element) && elementBytes(in.element) == 8)) ||
           refuse("an integer of at most 32 bits");
  default:
    return true;
  }
}
