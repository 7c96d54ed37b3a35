// conv2d, depthwise_conv2d and dense seen alike: for each output channel, weights by tap and input,
// and the kinds of windows that occur at borders.
#ifndef MFC_LIB_TRANSFORMS_ANCHORVIEW_H
#define MFC_LIB_TRANSFORMS_ANCHORVIEW_H

#include "mfc/IR/Graph.h"
#include "mfc/Ops/Window.h"

namespace mfc {

/// A window operator or dense with quantized tensors and constant weights and bias; the accumulator
/// of output o is
///   bias(o) + sum over taps t inside the input, over inputs i, of (x[inputChannel(o, i)] - zero
///   point) * weight(o, t, i).
class AnchorView {
public:
  /// False for other operators, and for these where weights or bias are not constant or the bias is
  /// not i32.
  static bool covers(const Operation &op);
  explicit AnchorView(const Operation &op);

  const Operation &op;
  int64_t outputs = 0; ///< output channels
  int64_t inputs = 0;  ///< input channels that each of them reads
  int64_t taps = 1;

  int64_t weight(int64_t o, int64_t t, int64_t i) const;
  int64_t bias(int64_t o) const;
  /// All weights of output o for input i are 0.
  bool readsNothing(int64_t o, int64_t i) const;
  int64_t inputChannel(int64_t o, int64_t i) const;
  int64_t inputZeroPoint() const { return op.operand(0)->type.quant->zeroPoint(); }

  /// Numbers of the taps that read the input, one list for each kind of window that occurs, in a
  /// fixed order. Empty where there are too many kinds to look at (padding far wider than the
  /// input); any subset of the taps may occur then.
  std::vector<std::vector<int64_t>> windows;

private:
  llvm::ArrayRef<uint8_t> weightBytes, biasBytes;
  int64_t outputStep = 0, tapStep = 0,
          inputStep = 0;       ///< elements between neighbours in the weights
  int64_t outputsPerGroup = 0; ///< outputs that read the same inputs
  bool wide = false;           ///< i16 weights
  void findWindows();
};

} // namespace mfc
#endif
