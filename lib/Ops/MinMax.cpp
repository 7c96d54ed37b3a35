// maximum and minimum of broadcast operands.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferMaximum(const ShapeQuery &query) { return inferBroadcast(query); }
llvm::Expected<Shape> mfc::inferMinimum(const ShapeQuery &query) { return inferBroadcast(query); }
