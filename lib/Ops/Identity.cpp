// identity: the operand itself.
#include "Elements.h"
#include "Verifier.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferIdentity(const ShapeQuery &query) { return inferSameShape(query); }

void mfc::evalIdentity(const EvalArgs &args) { args.result.bytes = args.operands[0]->bytes; }

void mfc::verifyIdentity(OpVerifier &v) { verifyMovement(v); }
