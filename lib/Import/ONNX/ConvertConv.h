#ifndef MFC_IMPORT_ONNX_CONVERTCONV_H
#define MFC_IMPORT_ONNX_CONVERTCONV_H

#include "Node.h"

namespace mfc::onnx {

/// A float convolution in ONNX layout with the node's attributes; bias may be null.
Value *buildConv(NodeContext &ctx, Value *x, Value *w, Value *bias);

} // namespace mfc::onnx
#endif
