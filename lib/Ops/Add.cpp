// add and sub: sum and difference of broadcast operands.
#include "BinaryEval.h"
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferAdd(const ShapeQuery &query) { return inferBroadcast(query); }
llvm::Expected<Shape> mfc::inferSub(const ShapeQuery &query) { return inferBroadcast(query); }

void mfc::evalAdd(const EvalArgs &args) {
  if (args.resultType().isQuantized())
    return evalWithForm(args, addForm(args.op));
  evalPlain(args, [](auto a, auto b) { return a + b; });
}

void mfc::evalSub(const EvalArgs &args) {
  if (args.resultType().isQuantized())
    return evalWithForm(args, addForm(args.op));
  evalPlain(args, [](auto a, auto b) { return a - b; });
}

/// Ratio of an input scale to the result scale that the integer forms still resolve.
static constexpr double kLargestScaleRatio = 1 << 20;

void mfc::verifyAdd(OpVerifier &v) {
  if (verifyArithmetic(v, "all f32, all of one integer type, or all quantized to one of i8, u8 and i16") != ArithmeticKind::Quantized)
    return;
  // add_c1: the sum in result steps fits the fixed-point format.
  for (const Value *operand : v.op.operands())
    if (double(operand->type.quant->scale()) / v.result().quant->scale() > kLargestScaleRatio)
      v.unsupported(*operand) << "operand scale " << operand->type.quant->scale() << " is more than 2^20 times the result scale "
                              << v.result().quant->scale();
}

void mfc::verifySub(OpVerifier &v) { verifyAdd(v); }
