// logistic and tanh.
#include "Elements.h"
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>

using namespace mfc;

llvm::Expected<Shape> mfc::inferLogistic(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferTanh(const ShapeQuery &query) { return inferSameShape(query); }

// Float results are those of double functions rounded once; compiled code stays within the bound of docs/numerics.md.

void mfc::evalLogistic(const EvalArgs &args) {
  if (!isFloat(args.resultType().element))
    return evalUnaryTable(args);
  applyUnary<float, float>(args, [](float x) { return static_cast<float>(1 / (1 + std::exp(-double(x)))); });
}

void mfc::evalTanh(const EvalArgs &args) {
  if (!isFloat(args.resultType().element))
    return evalUnaryTable(args);
  applyUnary<float, float>(args, [](float x) { return static_cast<float>(std::tanh(double(x))); });
}

void mfc::verifyLogistic(OpVerifier &v) {
  // logistic_c1: f32, or 8-bit quantized.
  constexpr const char *wanted = "f32, or quantized i8 or u8, on both sides";
  ArithmeticKind kind = verifyArithmetic(v, wanted);
  if (kind == ArithmeticKind::Integer || (kind == ArithmeticKind::Quantized && !hasUnaryTable(v.op)))
    v.unsupportedTypes(wanted);
}

void mfc::verifyTanh(OpVerifier &v) { verifyLogistic(v); }
