// quantize, dequantize and requantize: between reals and quantized types.
#include "Elements.h"
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferQuantize(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferDequantize(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferRequantize(const ShapeQuery &query) { return inferSameShape(query); }

/// The range of one slice of the quantization axis.
static StoredRange sliceRange(const TensorType &type, size_t slice) {
  StoredRange range = storedRange(type);
  range.zeroPoint = type.quant->zeroPoint(slice);
  return range;
}

void mfc::evalQuantize(const EvalArgs &args) {
  const TensorType &type = args.resultType();
  const Rounding rounding = args.op.attrs<RoundingAttrs>().rounding;
  const AxisIndex slice(type);
  const float *in = elements<float>(*args.operands[0]);
  dispatchElement(type.element, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0, n = type.count(); i < n; ++i) {
      const size_t s = slice(i);
      elements<T>(args.result)[i] =
          static_cast<T>(quantizeReal(in[i], type.quant->scale(s), sliceRange(type, s), rounding));
    }
  });
}

void mfc::evalDequantize(const EvalArgs &args) {
  const TensorType &type = args.operandType(0);
  const AxisIndex slice(type);
  float *out = elements<float>(args.result);
  dispatchElement(type.element, [&](auto zero) {
    using T = decltype(zero);
    const T *in = elements<T>(*args.operands[0]);
    for (int64_t i = 0, n = type.count(); i < n; ++i) {
      const size_t s = slice(i);
      out[i] = dequantizeStored(static_cast<int64_t>(in[i]), type.quant->scale(s), type.quant->zeroPoint(s));
    }
  });
}

void mfc::evalRequantize(const EvalArgs &args) {
  if (hasUnaryTable(args.op))
    return evalUnaryTable(args);
  const RequantForm form = requantForm(args.op);
  for (int64_t i = 0, n = args.resultType().count(); i < n; ++i)
    args.result.setInteger(i, form.apply(args.operands[0]->getInteger(i) - form.inputZeroPoint));
}

void mfc::evalUnaryTable(const EvalArgs &args) {
  const std::array<int8_t, 256> table = unaryTable(args.op);
  applyUnary<uint8_t, int8_t>(args, [&](uint8_t bits) { return table[bits]; });
}

/// Types whose range fits the 32-bit results of the rounding functions.
static bool isStoredElement(ElementType type) {
  return isActivationElement(type) || type == ElementType::U16 || type == ElementType::I32;
}

void mfc::verifyQuantize(OpVerifier &v) {
  // quantize_c1: f32 to a quantized type.
  if (!isFloat(v.operand(0).element) || !v.result().isQuantized() || !isStoredElement(v.result().element))
    v.unsupportedTypes("f32 to quantized i8, u8, i16, u16 or i32");
}

void mfc::verifyDequantize(OpVerifier &v) {
  // dequantize_c1: a quantized type to f32.
  if (!isFloat(v.result().element) || !v.operand(0).isQuantized() || !isStoredElement(v.operand(0).element))
    v.unsupportedTypes("quantized i8, u8, i16, u16 or i32 to f32");
}

void mfc::verifyRequantize(OpVerifier &v) {
  // requantize_c1: between quantized types with one scale a tensor.
  if (!v.allQuantized() || !isStoredElement(v.operand(0).element) || !isStoredElement(v.result().element)) {
    v.unsupportedTypes("quantized i8, u8, i16, u16 or i32 on both sides");
    return;
  }
  if (!v.perTensor(*v.op.operand(0)) || !v.perTensor(*v.op.result()) || v.operand(0).element == ElementType::I32)
    return;
  // requantize_c2: no overflow where a TFLite rounding shifts left.
  RequantForm form = requantForm(v.op);
  v.leftShiftFits(form.multiplier(0).shift, static_cast<double>(largestStoredOffset(v.operand(0))), form.rounding);
}
