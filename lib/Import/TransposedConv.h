// Transposed convolutions as convolutions, for both importers.
//
// With stride s, output o of a dimension is sum over k of in[(o + before - k) / s] * w[k] where the division has no rest: the
// outputs with equal (o + before) mod s, a phase, use every s-th weight and are an ordinary convolution of stride 1
// with that part of the kernel, turned round. All phases are the channels of one convolution, which one movement of its
// results interleaves. The products and sums are those of the transposed convolution; a tap that a shorter phase lacks has
// weight 0.
#ifndef MFC_LIB_IMPORT_TRANSPOSEDCONV_H
#define MFC_LIB_IMPORT_TRANSPOSEDCONV_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Tensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace mfc {

/// One dimension: input i adds w[k] * in[i] to output i * stride + k * dilation - before. All below 2^31, before >= 0.
struct TransposedWindow {
  int64_t inputs, kernel, stride, dilation, before, outputs;

  /// The convolution: taps a phase, its padding and results; the wanted outputs begin behind `skip` interleaved ones.
  int64_t taps() const { return ((kernel - 1) * dilation + stride) / stride; }
  int64_t firstPosition() const { return std::min(before / stride, taps() - 1); }
  int64_t lastPosition() const { return std::max((before + outputs - 1) / stride, inputs - 1); }
  int64_t positions() const { return lastPosition() - firstPosition() + 1; }
  int64_t padBefore() const { return taps() - 1 - firstPosition(); }
  int64_t padAfter() const { return lastPosition() - (inputs - 1); }
  int64_t skip() const { return before - firstPosition() * stride; }
  /// The weight that a tap of a phase multiplies with; nothing: it has none.
  std::optional<int64_t> weight(int64_t phase, int64_t tap) const;
};

struct TransposedConv {
  TransposedWindow y, x;
  int64_t groups, channels, depth; ///< output channels and input channels, both of one group

  int64_t phases() const { return y.stride * x.stride; }
  /// Elements of the convolution's weights; nothing: more than `most`.
  std::optional<int64_t> weightCount(int64_t most) const;

  /// Weights [groups * phases * channels][taps of y][taps of x][depth]. `at`: index of an element in the transposed
  /// kernel. A scale for each output channel becomes one for each channel of the convolution.
  Tensor weights(const Tensor &kernel,
                 llvm::function_ref<int64_t(int64_t group, int64_t channel, int64_t ky, int64_t kx, int64_t in)> at) const;
  Tensor bias(const Tensor &values) const;
  ConvAttrs attributes(Rounding rounding) const;

  /// How an importer adds movements.
  struct Mover {
    llvm::function_ref<Value *(Value *, Shape)> reshape;
    llvm::function_ref<Value *(Value *, std::vector<int64_t> perm)> transpose;
    llvm::function_ref<Value *(Value *, SliceAttrs, Shape)> slice;
  };
  /// From the convolution's result to [batch][y.outputs][x.outputs][groups * channels].
  Value *interleave(Value *result, const Mover &mover) const;

private:
  int64_t outputChannels() const { return groups * channels; }
  /// Calls f(channel of the convolution, group, phase of y, phase of x, channel in the group).
  void forEachChannel(llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t, int64_t)> f) const;
  std::optional<Quantization> repeated(const std::optional<Quantization> &quant) const;
};

} // namespace mfc
#endif
