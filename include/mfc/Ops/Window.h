// Geometry of sliding windows (convolutions and pools): the one definition of output sizes and padding.
//
// Along one dimension output o reads the inputs o * stride - before + k * dilation for k in [0, kernel); what
// falls outside the input is padding.
#ifndef MFC_OPS_WINDOW_H
#define MFC_OPS_WINDOW_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <optional>
#include <utility>

namespace mfc {

struct ConvAttrs;
struct PoolAttrs;

/// One dimension of a window; all in elements.
struct Window {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0; ///< padding at the low end
  int64_t after = 0;  ///< padding at the high end

  /// Inputs spanned, gaps included.
  int64_t span() const { return (kernel - 1) * dilation + 1; }
};

/// The y (dimension 0) or x (1) window of a convolution with this kernel size, and of a pool.
Window convWindow(const ConvAttrs &attrs, int64_t kernel, int dimension);
Window poolWindow(const PoolAttrs &attrs, int dimension);

/// Number of outputs: floor((input + before + after - span) / stride) + 1; nothing if the window does not fit once.
std::optional<int64_t> windowOutputs(int64_t input, const Window &window);

/// The taps k of output `output` that read inside the input: [begin, end), empty if begin >= end.
struct TapRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end > begin ? end - begin : 0; }
};
TapRange tapsInside(int64_t output, int64_t input, const Window &window);

/// Visits every output whose window reaches into the padding, and one whose window does not, if there is one: all
/// kinds of windows there are, without walking along a long input.
void forEachWindowKind(int64_t input, const Window &window, llvm::function_ref<void(int64_t output)> visit);

/// Padding (before, after) that gives ceil(input / stride) outputs. An odd element goes after (TFLite SAME, ONNX
/// SAME_UPPER) or, on request, before (ONNX SAME_LOWER).
std::pair<int64_t, int64_t> samePadding(int64_t input, const Window &window, bool oddBefore = false);

} // namespace mfc
#endif
