// maximum and minimum of broadcast operands.
#include "BinaryEval.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferMaximum(const ShapeQuery &query) { return inferBroadcast(query); }
llvm::Expected<Shape> mfc::inferMinimum(const ShapeQuery &query) { return inferBroadcast(query); }

// Which operand wins decides what a NaN does: the comparison is false, so the second operand is taken.

void mfc::evalMaximum(const EvalArgs &args) {
  dispatchElement(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    applyBroadcast<T, T, T>(args, [](T a, T b) { return a > b ? a : b; });
  });
}

void mfc::evalMinimum(const EvalArgs &args) {
  dispatchElement(args.resultType().element, [&](auto zero) {
    using T = decltype(zero);
    applyBroadcast<T, T, T>(args, [](T a, T b) { return a < b ? a : b; });
  });
}

void mfc::verifyMaximum(OpVerifier &v) {
  // maximum_c1: one type throughout, so that stored values compare like reals.
  ElementType element = v.result().element;
  if (!v.sameElements() || element == ElementType::Bool) {
    v.unsupportedTypes("one element type");
    return;
  }
  for (const Value *operand : v.op.operands())
    if (operand->type.quant != v.result().quant)
      v.unsupported(*operand) << "operand is " << typeText(operand->type) << " but the result " << typeText(v.result())
                              << ", wanted the same quantization";
}

void mfc::verifyMinimum(OpVerifier &v) { verifyMaximum(v); }
