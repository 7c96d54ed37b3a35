#include "TransposedConv.h"

#include "llvm/Support/CheckedArithmetic.h"
#include <cstring>

using namespace mfc;

std::optional<int64_t> TransposedWindow::weight(int64_t phase, int64_t tap) const {
  int64_t distance = phase + stride * (taps() - 1 - tap);
  if (distance % dilation != 0 || distance / dilation >= kernel)
    return std::nullopt;
  return distance / dilation;
}

std::optional<int64_t> TransposedConv::weightCount(int64_t most) const {
  int64_t count = 1;
  for (int64_t factor : {groups, channels, depth, y.stride, x.stride, y.taps(), x.taps()}) {
    std::optional<int64_t> product = llvm::checkedMul(count, factor);
    if (!product || *product > most)
      return std::nullopt;
    count = *product;
  }
  return count;
}

void TransposedConv::forEachChannel(llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t, int64_t)> f) const {
  int64_t next = 0;
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t py = 0; py < y.stride; ++py)
      for (int64_t px = 0; px < x.stride; ++px)
        for (int64_t channel = 0; channel < channels; ++channel)
          f(next++, group, py, px, channel);
}

std::optional<Quantization> TransposedConv::repeated(const std::optional<Quantization> &quant) const {
  if (!quant || quant->isPerTensor())
    return quant;
  Quantization result{{}, {}, 0};
  auto count = static_cast<int64_t>(quant->scales.size()); // kernels of several groups share theirs, biases do not
  forEachChannel([&](int64_t, int64_t group, int64_t, int64_t, int64_t channel) {
    auto i = static_cast<size_t>((group * channels + channel) % count);
    result.scales.push_back(quant->scales[i]);
    result.zeroPoints.push_back(quant->zeroPoints[i]);
  });
  return result;
}

Tensor TransposedConv::weights(
    const Tensor &kernel, llvm::function_ref<int64_t(int64_t, int64_t, int64_t, int64_t, int64_t)> at) const {
  Shape shape{groups * phases() * channels, y.taps(), x.taps(), depth};
  Tensor result(TensorType{kernel.type.element, std::move(shape), repeated(kernel.type.quant)});
  size_t size = elementBytes(kernel.type.element);
  int64_t next = 0;
  forEachChannel([&](int64_t c, int64_t group, int64_t py, int64_t px, int64_t channel) {
    for (int64_t ty = 0; ty < y.taps(); ++ty)
      for (int64_t tx = 0; tx < x.taps(); ++tx)
        for (int64_t in = 0; in < depth; ++in, ++next) {
          std::optional<int64_t> ky = y.weight(py, ty), kx = x.weight(px, tx);
          if (ky && kx) {
            auto from = static_cast<size_t>(at(group, channel, *ky, *kx, in));
            std::memcpy(result.bytes.data() + static_cast<size_t>(next) * size, kernel.bytes.data() + from * size, size);
          } else if (result.type.quant) {
            result.setInteger(next, result.type.quant->zeroPoint(static_cast<size_t>(c)));
          }
        }
  });
  return result;
}

Tensor TransposedConv::bias(const Tensor &values) const {
  Tensor result(TensorType{values.type.element, {groups * phases() * channels}, repeated(values.type.quant)});
  size_t size = elementBytes(values.type.element);
  forEachChannel([&](int64_t c, int64_t group, int64_t, int64_t, int64_t channel) {
    auto from = static_cast<size_t>(group * channels + channel);
    std::memcpy(result.bytes.data() + static_cast<size_t>(c) * size, values.bytes.data() + from * size, size);
  });
  return result;
}

ConvAttrs TransposedConv::attributes(Rounding rounding) const {
  ConvAttrs attrs;
  attrs.pad = {y.padBefore(), x.padBefore(), y.padAfter(), x.padAfter()};
  attrs.groups = groups;
  attrs.rounding = rounding;
  return attrs;
}

Value *TransposedConv::interleave(Value *value, const Mover &mover) const {
  if (!value)
    return nullptr;
  int64_t batch = value->type.dim(0), rows = y.positions(), columns = x.positions(), all = outputChannels();
  if (groups > 1 && phases() > 1) { // the phases in front of the groups
    value = mover.reshape(value, {batch * rows * columns, groups, phases(), channels});
    value = mover.transpose(value, {0, 2, 1, 3});
  }
  if (y.stride > 1) { // the phases of y in front of the columns
    value = mover.reshape(value, {batch * rows, columns, y.stride, x.stride * all});
    value = mover.transpose(value, {0, 2, 1, 3});
  }
  value = mover.reshape(value, {batch, rows * y.stride, columns * x.stride, all});
  if (!value || value->type.shape == Shape{batch, y.outputs, x.outputs, all})
    return value;
  return mover.slice(value, {{0, y.skip(), x.skip(), 0}, {1, 1, 1, 1}}, {batch, y.outputs, x.outputs, all});
}
