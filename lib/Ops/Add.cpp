// add and sub: sum and difference of broadcast operands.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferAdd(const ShapeQuery &query) { return inferBroadcast(query); }
llvm::Expected<Shape> mfc::inferSub(const ShapeQuery &query) { return inferBroadcast(query); }
