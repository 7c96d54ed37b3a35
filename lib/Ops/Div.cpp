// div: quotient of broadcast operands.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferDiv(const ShapeQuery &query) { return inferBroadcast(query); }
