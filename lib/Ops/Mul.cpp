// mul: product of broadcast operands.
#include "BinaryEval.h"
#include "Verifier.h"
#include "mfc/Ops/QuantizedForms.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferMul(const ShapeQuery &query) { return inferBroadcast(query); }

void mfc::evalMul(const EvalArgs &args) {
  if (args.resultType().isQuantized())
    return evalWithForm(args, mulForm(args.op));
  evalPlain(args, [](auto a, auto b) { return a * b; });
}

void mfc::verifyMul(OpVerifier &v) {
  if (verifyArithmetic(v, "all f32, all of one integer type, or all quantized to one of i8, u8 and i16") != ArithmeticKind::Quantized)
    return;
  // mul_c1: the product fits 32 bits, also where a TFLite rounding shifts it left.
  MulForm form = mulForm(v.op);
  double largest = static_cast<double>(largestStoredOffset(v.operand(0))) *
                   static_cast<double>(largestStoredOffset(v.operand(1)));
  if (largest > INT32_MAX)
    v.unsupported() << "products up to " << static_cast<int64_t>(largest) << " overflow 32 bits, wanted zero point 0";
  else
    v.leftShiftFits(form.requant.multiplier(0).shift, largest, form.requant.rounding);
}
