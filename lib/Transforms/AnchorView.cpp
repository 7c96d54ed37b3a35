#include "AnchorView.h"

#include <cstring>
#include <set>

using namespace mfc;

/// Taps over all kinds of windows. A 10x4 kernel with SAME padding has 40 kinds, 1,600 taps.
static constexpr size_t kMostWindowTaps = size_t(1) << 18;

bool AnchorView::covers(const Operation &op) {
  if (op.kind() != OpKind::Conv2D && op.kind() != OpKind::DepthwiseConv2D &&
      op.kind() != OpKind::Dense)
    return false;
  const Value *bias = op.operandOrNull(2);
  const bool foldable = !bias || (bias->isConstant() && bias->type.element == ElementType::I32);
  return op.operand(0)->type.isQuantized() && op.operand(1)->isConstant() && foldable;
}

AnchorView::AnchorView(const Operation &op) : op(op) {
  const TensorType &weights = op.operand(1)->type;
  weightBytes = op.operand(1)->bytes();
  if (const Value *bias = op.operandOrNull(2))
    biasBytes = bias->bytes();
  wide = weights.element == ElementType::I16;
  outputs = op.result()->type.dim(-1);
  if (op.kind() == OpKind::Dense) {
    inputs = outputStep = weights.dim(1);
    inputStep = 1;
    outputsPerGroup = outputs;
    windows = {{0}};
    return;
  }
  taps = weights.dim(1) * weights.dim(2);
  if (op.kind() == OpKind::Conv2D) {
    inputs = tapStep = weights.dim(3);
    outputStep = taps * inputs;
    inputStep = 1;
    outputsPerGroup = outputs / op.attrs<ConvAttrs>().groups;
  } else {
    inputs = outputStep = 1;
    tapStep = outputs;
    outputsPerGroup = outputs / op.operand(0)->type.dim(-1);
  }
  findWindows();
}

int64_t AnchorView::weight(int64_t o, int64_t t, int64_t i) const {
  const auto at = static_cast<size_t>(o * outputStep + t * tapStep + i * inputStep);
  if (!wide)
    return static_cast<int8_t>(weightBytes[at]);
  int16_t w;
  std::memcpy(&w, weightBytes.data() + 2 * at, sizeof w);
  return w;
}

int64_t AnchorView::bias(int64_t o) const {
  if (biasBytes.empty())
    return 0;
  int32_t b;
  std::memcpy(&b, biasBytes.data() + 4 * o, sizeof b);
  return b;
}

int64_t AnchorView::inputChannel(int64_t o, int64_t i) const {
  return o / outputsPerGroup * inputs + i;
}

bool AnchorView::readsNothing(int64_t o, int64_t i) const {
  for (int64_t t = 0; t < taps; ++t)
    if (weight(o, t, i) != 0)
      return false;
  return true;
}

/// The ranges of taps that occur along one dimension.
static std::set<std::pair<int64_t, int64_t>> tapRanges(int64_t input, const Window &window) {
  std::set<std::pair<int64_t, int64_t>> ranges;
  forEachWindowKind(input, window, [&](int64_t o) {
    const TapRange range = tapsInside(o, input, window);
    ranges.insert(range.size() ? std::pair(range.begin, range.end)
                               : std::pair(int64_t(0), int64_t(0)));
  });
  return ranges;
}

void AnchorView::findWindows() {
  const auto &attrs = op.attrs<ConvAttrs>();
  const TensorType &in = op.operand(0)->type, &weights = op.operand(1)->type;
  const auto rows = tapRanges(in.dim(1), convWindow(attrs, weights.dim(1), 0));
  const auto columns = tapRanges(in.dim(2), convWindow(attrs, weights.dim(2), 1));
  if (rows.size() * columns.size() > kMostWindowTaps / static_cast<size_t>(taps))
    return;
  for (const auto &[top, bottom] : rows)
    for (const auto &[left, right] : columns) {
      std::vector<int64_t> &window = windows.emplace_back();
      for (int64_t y = top; y < bottom; ++y)
        for (int64_t x = left; x < right; ++x)
          window.push_back(y * weights.dim(2) + x);
    }
}
