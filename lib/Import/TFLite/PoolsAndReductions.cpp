// AVERAGE_POOL_2D, MAX_POOL_2D, MEAN, SOFTMAX.
#include "OperatorTable.h"
#include "Windows.h"

#include <algorithm>
#include <cmath>

using namespace mfc;
using namespace mfc::tflite;

static bool convertPool(const Node &node, OpKind kind) {
  auto options = node.options<fb::Pool2DOptions>();
  WindowOptions window;
  window.kernel = {options.filter_height, options.filter_width};
  window.stride = {options.stride_h, options.stride_w};
  window.padding = options.padding;
  if (!node.wantType(0, {ElementType::F32, ElementType::I8}) || !node.wantSameType(0))
    return false;
  std::optional<std::array<int64_t, 4>> pad = explicitPadding(node, window);
  if (!pad)
    return false;
  PoolAttrs attrs;
  attrs.kernel = window.kernel;
  attrs.stride = window.stride;
  attrs.pad = *pad;
  attrs.rounding = Rounding::TfliteDouble;
  return node.finish(node.activate(node.add(kind, {node.input(0)}, attrs, node.outputType()), options.fused_activation));
}

bool tflite::convertAveragePool2D(const Node &node) { return convertPool(node, OpKind::AvgPool2D); }
bool tflite::convertMaxPool2D(const Node &node) { return convertPool(node, OpKind::MaxPool2D); }

bool tflite::convertMean(const Node &node) {
  if (!node.wantType(0, {ElementType::F32, ElementType::I8}) || !node.wantSameElement(0) ||
      !node.wantQuantized(*node.input(0)))
    return false;
  std::optional<std::vector<int64_t>> axes = node.constantIntegers(1);
  if (!axes)
    return false;
  ReduceAttrs attrs;
  attrs.keepDims = node.options<fb::ReducerOptions>().keep_dims;
  attrs.rounding = Rounding::TfliteDouble;
  for (int64_t axis : *axes) {
    std::optional<int64_t> position = node.axis(axis, node.input(0)->type.rank());
    if (!position)
      return false;
    attrs.axes.push_back(*position);
  }
  std::sort(attrs.axes.begin(), attrs.axes.end());
  attrs.axes.erase(std::unique(attrs.axes.begin(), attrs.axes.end()), attrs.axes.end());
  if (attrs.axes.empty())
    return node.unsupported() << "mean over no dimension is not supported";
  return node.finish(node.add(OpKind::ReduceMean, {node.input(0)}, attrs, node.outputType()));
}

bool tflite::convertSoftmax(const Node &node) {
  if (!node.wantType(0, {ElementType::F32, ElementType::I8}) || !node.wantSameElement(0) ||
      !node.wantQuantized(*node.input(0)))
    return false;
  SoftmaxAttrs attrs;
  attrs.axis = -1;
  attrs.beta = node.options<fb::SoftmaxOptions>().beta;
  attrs.rounding = Rounding::TfliteDouble;
  if (!std::isfinite(attrs.beta) || attrs.beta <= 0)
    return node.bad() << "beta is " << double(attrs.beta) << "; wanted a positive number";
  if (node.input(0)->type.shape.empty())
    return node.bad() << "input is a scalar; wanted at least one dimension";
  return node.finish(node.add(OpKind::Softmax, {node.input(0)}, attrs, node.outputType()));
}
