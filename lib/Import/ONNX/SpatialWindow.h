// Kernel, strides, dilations and padding of Conv and the pools, from the attributes to two
// dimensions.
#ifndef MFC_IMPORT_ONNX_SPATIALWINDOW_H
#define MFC_IMPORT_ONNX_SPATIALWINDOW_H

#include "Node.h"

#include <array>

namespace mfc::onnx {

/// Attributes that Conv and the pools share; one spatial dimension becomes a height of 1.
struct SpatialWindow {
  std::array<int64_t, 2> kernel{1, 1};
  std::array<int64_t, 2> stride{1, 1};
  std::array<int64_t, 2> dilation{1, 1};
  std::array<int64_t, 4> pad{0, 0, 0, 0}; ///< top, left, bottom, right
  bool explicitPad = true;                ///< auto_pad was NOTSET
};

/// `spatial` are the one or two spatial sizes of the input, `kernel` those of the kernel (from
/// weights or kernel_shape).
std::optional<SpatialWindow> readWindow(NodeContext &ctx, llvm::ArrayRef<int64_t> spatial,
                                        llvm::ArrayRef<int64_t> kernel);

} // namespace mfc::onnx
#endif
