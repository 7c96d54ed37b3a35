// dense: matrix product over the last dimension, weights [outputs, inputs], optional bias.
#include "AnchorEval.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferDense(const ShapeQuery &query) {
  const Shape &in = query.shape(0), &w = query.shape(1);
  if (in.empty() || w.size() != 2)
    return badShape("input has shape " + shapeText(in) + " and weights " + shapeText(w) +
                    ", wanted rank 1 or more and [outputs, inputs]");
  if (in.back() != w[1])
    return badShape("weights read " + llvm::Twine(w[1]) + " inputs but the last dimension is " +
                    llvm::Twine(in.back()));
  Shape result = in;
  result.back() = w[0];
  return result;
}

void mfc::evalDense(const EvalArgs &args) {
  const int64_t inputs = args.operandType(1).dim(1), outputs = args.operandType(1).dim(0);
  const int64_t rows = args.operandType(0).count() / inputs;
  evalAnchor(args, [&](auto *x, auto *w, auto zero, auto store) {
    using Acc = decltype(zero);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t o = 0; o < outputs; ++o) {
        Acc acc = 0;
        for (int64_t i = 0; i < inputs; ++i)
          acc += (static_cast<Acc>(x[row * inputs + i]) - zero) * static_cast<Acc>(w[o * inputs + i]);
        store(row * outputs + o, o, acc);
      }
  });
}

void mfc::verifyDense(OpVerifier &v) { verifyAnchor(v, 0); }
