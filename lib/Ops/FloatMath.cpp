// exp and sqrt, float only.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferExp(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferSqrt(const ShapeQuery &query) { return inferSameShape(query); }
