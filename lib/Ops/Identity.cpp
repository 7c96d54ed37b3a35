// identity: the operand itself.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferIdentity(const ShapeQuery &query) { return inferSameShape(query); }
