// The passes. Each is in the file of its name (foldPad: lib/Transforms/FoldPad.cpp), keeps what the interpreter
// computes (integers bit for bit; float sums may be re-associated where the comment says so), and does
// nothing when it runs a second time.
#ifndef MFC_TRANSFORMS_PASSES_H
#define MFC_TRANSFORMS_PASSES_H

#include "mfc/Transforms/Pass.h"

namespace mfc {

/// Computes every result shape again from the operands and writes it where the type has '?'.
///   before: %1 = conv2d %in, @w : f32[1,?,?,16]
///   after:  %1 = conv2d %in, @w : f32[1,25,5,16]
/// Fails where a static shape contradicts the operands, or a dimension stays unknown.
PassResult inferShapes(Graph &graph, PassContext &ctx);

/// Removes operations and constants whose results nobody reads.
///   before: %1 = add %a, %b   %2 = mul %a, %c   output %2
///   after:  %2 = mul %a, %c   output %2
PassResult eraseDeadCode(Graph &graph, PassContext &ctx);

/// Evaluates operations whose operands are all constant.
///   before: %1 = transpose @w : f32[16,3,3,8]   %2 = conv2d %in, %1
///   after:  %2 = conv2d %in, @w'
/// Not where the result would be much larger than the operands (PassOptions::foldBytes, foldGrowth), and not a
/// dequantize: its stored form is smaller and fold-qdq needs it.
PassResult foldConstants(Graph &graph, PassContext &ctx);

/// Evaluates a dequantize of a constant that fold-qdq left: its reader computes in float.
///   before: %1 = dequantize @w : f32[16,3,3,8]   %2 = conv2d %x, %1 : f32
///   after:  %2 = conv2d %x, @w' : f32
PassResult foldDequantizedConstants(Graph &graph, PassContext &ctx);

/// Merges operations with equal operands and attributes, and constants with equal type and contents.
///   before: %1 = transpose %x   %2 = transpose %x   %3 = add %1, %2
///   after:  %1 = transpose %x   %3 = add %1, %1
/// Two graph outputs are never merged.
PassResult commonSubexpressions(Graph &graph, PassContext &ctx);

/// Removes what changes nothing and merges pairs that are one.
///   before: %1 = clamp %x {0, inf}   %2 = clamp %1 {-inf, 6}   %3 = reshape %2 (same shape)
///   after:  %2 = clamp %x {0, 6}
/// Covers identity, reshape, transpose, slice, pad, concat of one, cast and requantize to the same type, clamp of the whole
/// range, 1x1 pools, x + 0, x * 1, maximum and minimum with a single constant (clamp), mean of size-1 dimensions (reshape).
PassResult foldIdentities(Graph &graph, PassContext &ctx);

/// Turns batch_norm into constants of its neighbours.
///   before: %1 = conv2d %x, @w, @b   %2 = batch_norm %1, @scale, @bias, @mean, @variance
///   after:  %2 = conv2d %x, @w', @b'
/// Also into the convolution behind it where no padding sees the shift. Else (the convolution has other readers, which need
/// the unscaled value) it becomes mul and add. Float sums are re-associated.
PassResult foldBatchNorm(Graph &graph, PassContext &ctx);

/// Folds float add, sub, mul, div of per-channel constants into the convolution or dense before them.
///   before: %1 = dense %x, @w   %2 = add %1, @b
///   after:  %2 = dense %x, @w, @b
/// Does nothing when %1 has other users. Float sums are re-associated.
PassResult foldArithmetic(Graph &graph, PassContext &ctx);

/// Makes an explicit border the padding of the window operator behind it.
///   before: %1 = pad %x {before = [0,1,1,0], after = [0,1,1,0], value = 0}   %2 = conv2d %1, @w
///   after:  %2 = conv2d %x, @w {pad = [1,1,1,1]}
/// conv2d and depthwise_conv2d where the value stands for 0; avg_pool2d then counts the border; max_pool2d where
/// no element is below the value.
PassResult foldPad(Graph &graph, PassContext &ctx);

/// Lets data movement work on stored values.
///   before: %1 = dequantize %q : f32   %2 = transpose %1
///   after:  %1 = transpose %q : i8     %2 = dequantize %1
/// Also reshape, slice, pad, concat (equal scales), gather, max_pool2d, and clamps whose bounds are exact.
PassResult sinkDequantize(Graph &graph, PassContext &ctx);

/// Cancels the transposes between NCHW and NHWC.
///   before: %1 = conv2d   %2 = transpose %1 (NCHW)   %3 = clamp %2   %4 = transpose %3 (NHWC)   %5 = conv2d %4
///   after:  %1 = conv2d   %3 = clamp %1              %5 = conv2d %3
/// Transposes sink through element-wise operators, concat, slice, pad, reduce_mean, softmax, gather, reshape (axes renamed),
/// into constants, and into the columns of dense weights behind a flatten. What is left stands at the graph border or where
/// two layouts meet; a transpose of size-1 dimensions is a reshape.
PassResult foldLayout(Graph &graph, PassContext &ctx);

/// Renames quantized u8 tensors to i8 (stored values and zero points smaller by 128) inside the graph.
///   before: %1 = quantize %in : u8[10] q(0.5, 128)
///   after:  %1 = quantize %in : i8[10] q(0.5, 0)
/// Inputs and outputs keep their type behind an exact requantize.
PassResult shiftU8ToI8(Graph &graph, PassContext &ctx);

/// Subtracts zero points from the weights of conv2d, depthwise_conv2d and dense.
///   before: %1 = dequantize @w : i8[16,3,3,8] q(0.02, -3)
///   after:  %1 = dequantize @w' : i8[16,3,3,8] q(0.02, 0), or i16 where i8 is too narrow
PassResult foldWeightZeroPoints(Graph &graph, PassContext &ctx);

/// Makes integer operators of float operators between dequantize and quantize.
///   before: %1 = dequantize %x   %2 = conv2d %1, dequantize(@w), dequantize(@b)   %3 = clamp %2   %4 = quantize %3
///   after:  %2 = conv2d %x, @w, @b : i8   %4 = clamp %2
/// Does nothing when the float result has other users. A dequantize in front of a graph output stays.
PassResult foldQDQ(Graph &graph, PassContext &ctx);

/// --io=quantized: the border carries stored values.
///   before: %in : f32   %1 = quantize %in : i8 q(0.5, 0)   ...   %9 = dequantize %8   output %9
///   after:  %in : i8 q(0.5, 0)   ...   output %8
PassResult foldIOQuantize(Graph &graph, PassContext &ctx);

/// Where channels are always equal, reads one of them with the sum of the weights; remove-channels takes the others.
///   before: %1 = conv2d %x, @w : i8[1,8,8,2] (equal rows)   %2 = conv2d %1, @v   (weights 3 and 4)
///   after:  %1 = conv2d %x, @w : i8[1,8,8,2]                %2 = conv2d %1, @v'  (weights 7 and 0)
/// Only where the sum fits and every reader can do so.
PassResult mergeChannels(Graph &graph, PassContext &ctx);

/// Removes channels whose stored value is the same whatever the input, and channels that nobody reads.
///   before: %1 = conv2d %x, @w, @b : i8[1,8,8,16]   %2 = clamp %1   %3 = conv2d %2, @v, @c   (channel 3 of %2 is always 7)
///   after:  %1 = conv2d %x, @w', @b' : i8[1,8,8,15] %2 = clamp %1   %3 = conv2d %2, @v', @c'
/// What a constant channel adds goes into the bias, where it is the same at padded borders and inside. Each tensor keeps one
/// channel; inputs, outputs, grouped convolutions and operators that mix channels keep all. Integers only.
PassResult removeChannels(Graph &graph, PassContext &ctx);

/// Makes a depthwise_conv2d of one input channel a conv2d, whose matrix product reads each pixel once for all results.
///   before: %1 = depthwise_conv2d %x, @w : f32[1,25,20,8]   (%x : f32[1,49,40,1])
///   after:  %1 = conv2d %x, @w' : f32[1,25,20,8]
PassResult depthwiseToConv(Graph &graph, PassContext &ctx);

/// Removes outer rows and columns of zeros from the kernels of quantized conv2d and depthwise_conv2d.
///   before: %1 = conv2d %x, @w : 3x3 {pad = [1, 1, 1, 1]}   (only the middle tap is not zero)
///   after:  %1 = conv2d %x, @w' : 1x1
/// Only where the padding can shrink with the kernel.
PassResult trimTaps(Graph &graph, PassContext &ctx);

/// Changes nothing; fails where a kernel cannot take the graph (weights that are not constant), and reports operators of a
/// quantized model that compute in float (an error with PassOptions::strictInt8).
PassResult checkLowerable(Graph &graph, PassContext &ctx);

} // namespace mfc
#endif
