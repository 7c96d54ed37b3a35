// neg and abs.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferNeg(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferAbs(const ShapeQuery &query) { return inferSameShape(query); }
