// clamp: limits to [min, max].
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferClamp(const ShapeQuery &query) { return inferSameShape(query); }
