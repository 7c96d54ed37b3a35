#ifndef MFC_IMPORT_ONNX_CONVERTSLICE_H
#define MFC_IMPORT_ONNX_CONVERTSLICE_H

#include "Node.h"

namespace mfc::onnx {

/// `size` elements of one dimension from `begin` on.
Value *cut(Builder &b, Value *x, int64_t axis, int64_t begin, int64_t size);

} // namespace mfc::onnx
#endif
