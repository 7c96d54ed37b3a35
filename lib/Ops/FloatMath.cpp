// exp and sqrt, float only.
#include "Elements.h"
#include "Verifier.h"

#include <cmath>

using namespace mfc;

llvm::Expected<Shape> mfc::inferExp(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferSqrt(const ShapeQuery &query) { return inferSameShape(query); }

void mfc::evalExp(const EvalArgs &args) {
  applyUnary<float, float>(args, [](float x) { return static_cast<float>(std::exp(double(x))); });
}

void mfc::evalSqrt(const EvalArgs &args) {
  applyUnary<float, float>(args, [](float x) { return std::sqrt(x); });
}

void mfc::verifyExp(OpVerifier &v) {
  // exp_c1: f32.
  if (!v.sameElements() || !isFloat(v.result().element))
    v.unsupportedTypes("f32");
}

void mfc::verifySqrt(OpVerifier &v) { verifyExp(v); }
