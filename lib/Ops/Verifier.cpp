// The shared checks of Verifier.h.
#include "Verifier.h"

#include "OpFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mfc;

std::string mfc::elementNames(llvm::ArrayRef<Value *> values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i)
      text += i + 1 == values.size() ? " and " : ", ";
    text += (values[i]->type.isQuantized() ? "quantized " : "") + elementName(values[i]->type.element).str();
  }
  return text;
}

bool mfc::isActivationElement(ElementType type) {
  return type == ElementType::I8 || type == ElementType::U8 || type == ElementType::I16;
}

bool mfc::isPlainInteger(ElementType type) { return !isFloat(type) && type != ElementType::Bool; }

int64_t mfc::largestStoredOffset(const TensorType &type) {
  int64_t z = type.quant->zeroPoint();
  return std::max(elementMax(type.element) - z, z - elementMin(type.element));
}

Location OpVerifier::locationOf(const Value &value) const {
  Location location = op.loc;
  location.tensor = value.name;
  return location;
}

bool OpVerifier::unsupportedTypes(const char *wanted) {
  return unsupported() << op.info().name << " of " << elementNames(op.operands()) << " with result "
                       << elementNames(op.results()) << " is not supported, wanted " << wanted;
}

bool OpVerifier::sameElements() const {
  return llvm::all_of(op.operands(), [&](const Value *x) { return x->type.element == result().element; });
}

bool OpVerifier::nothingQuantized() const {
  return !result().isQuantized() && llvm::none_of(op.operands(), [](const Value *x) { return x->type.isQuantized(); });
}

bool OpVerifier::allQuantized() const {
  return result().isQuantized() && llvm::all_of(op.operands(), [](const Value *x) { return x->type.isQuantized(); });
}

bool OpVerifier::resultLikeOperand(const char *reason) {
  if (operand(0).element == result().element && operand(0).quant == result().quant)
    return true;
  return bad(*op.result()) << "result is " << typeText(result()) << " but the operand " << typeText(operand(0))
                           << ", wanted the same element type and quantization: " << reason;
}

bool OpVerifier::perTensor(const Value &value) {
  if (value.type.quant->isPerTensor())
    return true;
  return unsupported(value) << op.info().name << " of a tensor with " << value.type.quant->scales.size()
                            << " scales is not supported, wanted one scale";
}

bool OpVerifier::leftShiftFits(int shift, double bound, Rounding rounding) {
  if (rounding == Rounding::HalfEven || shift <= 0 || std::ldexp(bound, shift) <= 2147483647.0)
    return true;
  return bad() << "scales make a requantization multiplier of about 2^" << shift
               << ", with which accumulators up to " << static_cast<int64_t>(bound)
               << " overflow 32 bits; wanted a larger result scale";
}

void mfc::verifyMovement(OpVerifier &v) {
  // movement_c1: one element type.
  if (!v.sameElements()) {
    v.unsupportedTypes("one element type");
    return;
  }
  // movement_c2: the numbers keep their meaning. Scales along an axis survive only where slices stay together.
  for (Value *operand : v.op.operands()) {
    if (operand->type.quant == v.result().quant)
      continue;
    bool alongAxis = operand->type.quant && !operand->type.quant->isPerTensor();
    if (alongAxis && v.result().quant && operand->type.quant->scales == v.result().quant->scales)
      continue;
    v.bad(*operand) << "operand is " << typeText(operand->type) << " but the result " << typeText(v.result())
                    << ", wanted the same quantization on both";
  }
}

ArithmeticKind mfc::verifyArithmetic(OpVerifier &v, const char *wanted) {
  // arithmetic_c1: all float, all of one plain integer type, or all of one quantized type.
  ElementType element = v.result().element;
  if (v.sameElements() && v.nothingQuantized() && (isFloat(element) || isPlainInteger(element)))
    return isFloat(element) ? ArithmeticKind::Float : ArithmeticKind::Integer;
  if (!v.sameElements() || !v.allQuantized() || !isActivationElement(element)) {
    v.unsupportedTypes(wanted);
    return ArithmeticKind::Invalid;
  }
  // arithmetic_c2: one scale a tensor.
  bool ok = v.perTensor(*v.op.result());
  for (const Value *operand : v.op.operands())
    ok &= v.perTensor(*operand);
  return ok ? ArithmeticKind::Quantized : ArithmeticKind::Invalid;
}

bool mfc::verifyWindows(OpVerifier &v) {
  // window_c1: every window covers at least one input element; the maximum or mean of nothing has no value.
  const auto &attrs = v.op.attrs<PoolAttrs>();
  for (int d = 0; d < 2; ++d) {
    Window window = poolWindow(attrs, d);
    const int64_t input = v.operand(0).dim(d + 1);
    int64_t empty = -1;
    forEachWindowKind(input, window, [&](int64_t o) {
      if (empty < 0 && tapsInside(o, input, window).size() == 0)
        empty = o;
    });
    if (empty >= 0)
      return v.bad() << (d ? "column " : "row ") << empty << " of the result reads padding only";
  }
  return true;
}
