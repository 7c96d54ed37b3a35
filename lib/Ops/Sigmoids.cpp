// logistic and tanh.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferLogistic(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferTanh(const ShapeQuery &query) { return inferSameShape(query); }
