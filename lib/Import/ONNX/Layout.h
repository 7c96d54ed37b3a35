// ONNX images are N C [H] W, those of the graph N H W C. The importer turns them at every operator
// that cares; a pass removes the pairs that meet.
#ifndef MFC_IMPORT_ONNX_LAYOUT_H
#define MFC_IMPORT_ONNX_LAYOUT_H

#include "Node.h"

namespace mfc::onnx {

/// N C W or N C H W to N H W C (height 1 for the first); the channel order comes first, so that it
/// stays next to the transposes of neighbours and the reshape next to the operator.
Value *toNHWC(Builder &b, Value *x);
/// The way back to a tensor of `rank` dimensions.
Value *fromNHWC(Builder &b, Value *y, int64_t rank);
/// Convolution weights M I [kH] kW to M kH kW I, or to 1 kH kW M (depthwise, I = 1).
Value *toOHWI(Builder &b, Value *weights);
Value *toDepthwise(Builder &b, Value *weights);

/// Operand i as an image of rank 3 or 4; reports other ranks.
Value *imageInput(NodeContext &ctx, size_t i);

} // namespace mfc::onnx
#endif
