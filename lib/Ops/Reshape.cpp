// reshape: the same elements in row-major order under another shape, which the result type names.
#include "Elements.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferReshape(const ShapeQuery &query) {
  if (!query.wanted)
    return makeError(ErrorClass::Internal, "reshape needs its result type");
  const Shape &wanted = query.wanted->shape;
  for (int64_t d : wanted)
    if (d <= 0)
      return badShape("reshape to " + shapeText(wanted) + ", dimensions must be known and positive");
  std::optional<int64_t> from = elementCount(query.shape(0)), to = elementCount(wanted);
  if (!to || from != to)
    return badShape("reshape from " + shapeText(query.shape(0)) + " to " + shapeText(wanted) +
                    " does not keep the number of elements");
  return wanted;
}

void mfc::evalReshape(const EvalArgs &args) { args.result.bytes = args.operands[0]->bytes; }

void mfc::verifyReshape(OpVerifier &v) { verifyMovement(v); }
