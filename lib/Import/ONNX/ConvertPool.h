// Pools as other converters use them: float, ONNX layout, rank 3 or 4.
#ifndef MFC_IMPORT_ONNX_CONVERTPOOL_H
#define MFC_IMPORT_ONNX_CONVERTPOOL_H

#include "Node.h"

namespace mfc::onnx {

Value *buildAveragePool(NodeContext &ctx, Value *x); ///< with the node's attributes
Value *buildGlobalAverage(NodeContext &ctx, Value *x);
Value *buildGlobalMax(NodeContext &ctx, Value *x);

} // namespace mfc::onnx
#endif
