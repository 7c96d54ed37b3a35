// Weights and bias of convolutions and fully connected layers: what TFLite's quantization specification demands of
// them, checked, and the bias in the form that mfc's operators take.
#ifndef MFC_LIB_IMPORT_TFLITE_WEIGHTS_H
#define MFC_LIB_IMPORT_TFLITE_WEIGHTS_H

#include "Node.h"

namespace mfc::tflite {

/// Checks operands 0 (input), 1 (weights) and 2 (bias, optional) and the result of an operator whose weights have their
/// output channels along `channelDim`. Nothing after a diagnostic; else the operands to use.
std::optional<std::vector<Value *>> weightedOperands(const Node &node, int channelDim);

} // namespace mfc::tflite
#endif
