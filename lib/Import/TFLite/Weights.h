// Weights and bias of convolutions and fully connected layers: what TFLite's quantization specification demands of
// them, checked, and the bias in the form that mfc's operators take.
#ifndef MFC_LIB_IMPORT_TFLITE_WEIGHTS_H
#define MFC_LIB_IMPORT_TFLITE_WEIGHTS_H

#include "Node.h"

namespace mfc::tflite {

/// Where an operator has them; the bias is optional.
struct WeightedPositions {
  size_t input = 0, weights = 1, bias = 2;
};

/// Checks input, weights and bias and the result of an operator whose weights have their
/// output channels along `channelDim`. Nothing after a diagnostic; else the operands to use.
std::optional<std::vector<Value *>> weightedOperands(const Node &node, int channelDim, WeightedPositions at = {});

} // namespace mfc::tflite
#endif
