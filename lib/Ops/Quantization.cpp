// quantize, dequantize and requantize: between reals and quantized types.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferQuantize(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferDequantize(const ShapeQuery &query) { return inferSameShape(query); }
llvm::Expected<Shape> mfc::inferRequantize(const ShapeQuery &query) { return inferSameShape(query); }
