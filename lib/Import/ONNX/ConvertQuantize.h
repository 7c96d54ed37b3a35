// Quantization parameters of nodes, and the two conversions.
#ifndef MFC_IMPORT_ONNX_CONVERTQUANTIZE_H
#define MFC_IMPORT_ONNX_CONVERTQUANTIZE_H

#include "Node.h"

namespace mfc::onnx {

/// Scale and zero point from two constant operands; nothing after a diagnostic. A rank-0 scale and
/// one of shape [1] are per tensor; a longer one runs along `axis` of `shape`. `element` is the
/// stored type.
std::optional<Quantization> readQuantization(NodeContext &ctx, size_t scaleIndex, size_t zeroIndex,
                                             ElementType element, const Shape &shape, int64_t axis);

/// Stored values to float. A constant gets the quantization in its type, as does a graph input that
/// nothing else reads.
Value *buildDequantize(Builder &b, Value *x, const Quantization &quant);
Value *buildQuantize(Builder &b, Value *x, ElementType element, Quantization quant);

} // namespace mfc::onnx
#endif
