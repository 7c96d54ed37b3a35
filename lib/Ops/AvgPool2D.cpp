// avg_pool2d: mean of each NHWC window.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferAvgPool2D(const ShapeQuery &query) { return inferMaxPool2D(query); }
