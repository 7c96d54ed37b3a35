// Strides, dilations and padding of sliding windows, from TFLite's options.
#ifndef MFC_LIB_IMPORT_TFLITE_WINDOWS_H
#define MFC_LIB_IMPORT_TFLITE_WINDOWS_H

#include "Node.h"

namespace mfc::tflite {

/// As the options have them: y first. Kernel sizes come from the weights or the pool's options.
struct WindowOptions {
  std::array<int64_t, 2> kernel, stride, dilation{1, 1};
  fb::Padding padding;
};

/// Checks the sizes and computes the padding (top, left, bottom, right); the odd pixel of SAME goes to the bottom and
/// right. Operand 0 must be an image. Nothing after a diagnostic.
std::optional<std::array<int64_t, 4>> explicitPadding(const Node &node, const WindowOptions &options);

/// Operand i must have this rank.
bool wantRank(const Node &node, size_t i, int64_t rank);

} // namespace mfc::tflite
#endif
