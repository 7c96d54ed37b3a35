#ifndef MFC_IMPORT_ONNX_CONVERTMATRIX_H
#define MFC_IMPORT_ONNX_CONVERTMATRIX_H

#include "Node.h"

namespace mfc::onnx {

/// Float, with the node's attributes; c may be null.
Value *buildGemm(NodeContext &ctx, Value *a, Value *w, Value *c);
/// w is constant.
Value *buildMatMul(NodeContext &ctx, Value *a, Value *w);

} // namespace mfc::onnx
#endif
