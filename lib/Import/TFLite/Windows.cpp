// Padding of convolutions and pools.
#include "Windows.h"

#include "mfc/Ops/Window.h"

using namespace mfc;
using namespace mfc::tflite;

/// Above this no window makes sense on a microcontroller, and below it sizes cannot overflow.
static constexpr int64_t kMaxWindow = 1 << 15;

bool tflite::wantRank(const Node &node, size_t i, int64_t rank) {
  const Shape &shape = node.input(i)->type.shape;
  if (static_cast<int64_t>(shape.size()) == rank)
    return true;
  return node.badInput(i) << "input " << i << " has shape " << shapeText(shape) << "; wanted " << rank << " dimensions";
}

static bool wantSize(const Node &node, const char *what, int64_t size) {
  if (size >= 1 && size <= kMaxWindow)
    return true;
  return node.bad() << what << " is " << size << "; wanted 1 to " << kMaxWindow;
}

std::optional<std::array<int64_t, 4>> tflite::explicitPadding(const Node &node, const WindowOptions &options) {
  if (!wantRank(node, 0, 4))
    return std::nullopt;
  std::array<int64_t, 4> pad{0, 0, 0, 0};
  for (size_t d = 0; d < 2; ++d) {
    bool isY = d == 0;
    bool sound = wantSize(node, isY ? "kernel height" : "kernel width", options.kernel[d]);
    sound &= wantSize(node, isY ? "vertical stride" : "horizontal stride", options.stride[d]);
    sound &= wantSize(node, isY ? "vertical dilation" : "horizontal dilation", options.dilation[d]);
    if (!sound)
      return std::nullopt;
    Window window{options.kernel[d], options.stride[d], options.dilation[d], 0, 0};
    if (options.padding == fb::Padding::Same)
      std::tie(pad[d], pad[d + 2]) = samePadding(node.input(0)->type.dim(int64_t(d) + 1), window);
  }
  if (options.padding != fb::Padding::Same && options.padding != fb::Padding::Valid) {
    node.bad() << "padding number is " << int(options.padding) << "; wanted 0 (same) or 1 (valid)";
    return std::nullopt;
  }
  return pad;
}
