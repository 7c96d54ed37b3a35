// y = x * scale + shift per output channel, multiplied into the weights and bias of a float convolution or dense.
#ifndef MFC_LIB_TRANSFORMS_AFFINE_H
#define MFC_LIB_TRANSFORMS_AFFINE_H

#include "mfc/IR/Graph.h"

#include <optional>
#include <vector>

namespace mfc {

/// One entry per channel (the last dimension). An empty vector: all ones, all zeros.
struct Affine {
  std::vector<double> scale, shift;
};

bool isConvLike(OpKind kind); ///< conv2d, depthwise_conv2d, dense
/// Dimension of the weights that counts output channels.
int64_t outputChannelDim(OpKind kind);

/// The constant as one real per channel, if it varies along the last dimension only.
std::optional<std::vector<double>> perChannel(const Value &constant, int64_t channels);

/// True if the producer of `value` is a float convolution or dense that nobody else reads, and whose weights (if the
/// affine map scales) and bias are float constants: they may be changed for the only reader.
bool acceptsAffine(const Graph &graph, const Value *value, const Affine &affine);

/// Replaces `last` (which computes conv * scale + shift) by a copy of conv with other weights and bias.
void foldAffineAfter(Graph &graph, Operation *conv, const Affine &affine, Operation *last);

/// conv(x * scale + shift) with per-channel affine of its input: changes conv's weights and bias in place. False if the
/// padding would see the shift, or the weights are not plain float constants.
bool foldAffineBefore(Graph &graph, Operation *conv, const Affine &affine);

} // namespace mfc
#endif
