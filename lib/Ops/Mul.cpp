// mul: product of broadcast operands.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferMul(const ShapeQuery &query) { return inferBroadcast(query); }
