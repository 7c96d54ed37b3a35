// leaky_relu: x if x >= 0, else alpha * x.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferLeakyRelu(const ShapeQuery &query) { return inferSameShape(query); }
