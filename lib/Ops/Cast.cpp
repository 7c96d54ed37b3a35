// cast: conversion of stored values.
#include "Elements.h"
#include "Verifier.h"

#include <cmath>

using namespace mfc;

llvm::Expected<Shape> mfc::inferCast(const ShapeQuery &query) { return inferSameShape(query); }

/// Truncates toward zero; saturates; NaN gives 0.
static int64_t truncated(float x, int64_t low, int64_t high) {
  if (std::isnan(x))
    return 0;
  if (static_cast<double>(x) <= static_cast<double>(low))
    return low;
  if (static_cast<double>(x) >= static_cast<double>(high))
    return high;
  return static_cast<int64_t>(x);
}

void mfc::evalCast(const EvalArgs &args) {
  const ElementType from = args.operandType(0).element, to = args.resultType().element;
  const Tensor &in = *args.operands[0];
  const int64_t n = args.resultType().count();
  if (isFloat(from) && isFloat(to)) {
    args.result.bytes = in.bytes;
  } else if (isFloat(to)) {
    for (int64_t i = 0; i < n; ++i)
      args.result.set<float>(i, static_cast<float>(in.getInteger(i)));
  } else if (to == ElementType::Bool) {
    for (int64_t i = 0; i < n; ++i)
      args.result.set<uint8_t>(i, isFloat(from) ? in.get<float>(i) != 0 : in.getInteger(i) != 0);
  } else {
    for (int64_t i = 0; i < n; ++i) // integers wrap
      args.result.setInteger(i, isFloat(from) ? truncated(in.get<float>(i), elementMin(to), elementMax(to))
                                              : in.getInteger(i));
  }
}

void mfc::verifyCast(OpVerifier &v) {
  // cast_c1: converts stored values; a quantized result would have to say by which scale.
  if (v.result().isQuantized())
    v.unsupported() << "cast to " << typeText(v.result()) << ", wanted a type without scale";
}
