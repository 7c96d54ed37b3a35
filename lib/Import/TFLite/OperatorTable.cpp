// The table of converters.
#include "OperatorTable.h"

using namespace mfc;
using namespace mfc::tflite;

static constexpr unsigned kAny = 1u << 16; // more inputs than any real operator has

static constexpr OperatorRow rows[] = {
    {fb::Builtin::Conv2D, 2, 3, 1, convertConv2D},
    {fb::Builtin::DepthwiseConv2D, 2, 3, 1, convertDepthwiseConv2D},
    {fb::Builtin::FullyConnected, 2, 3, 1, convertFullyConnected},
    {fb::Builtin::TransposeConv, 3, 4, 1, convertTransposeConv},
    {fb::Builtin::AveragePool2D, 1, 1, 1, convertAveragePool2D},
    {fb::Builtin::MaxPool2D, 1, 1, 1, convertMaxPool2D},
    {fb::Builtin::Mean, 2, 2, 1, convertMean},
    {fb::Builtin::Softmax, 1, 1, 1, convertSoftmax},
    {fb::Builtin::Add, 2, 2, 1, convertAdd},
    {fb::Builtin::Sub, 2, 2, 1, convertSub},
    {fb::Builtin::Mul, 2, 2, 1, convertMul},
    {fb::Builtin::Div, 2, 2, 1, convertDiv},
    {fb::Builtin::Maximum, 2, 2, 1, convertMaximum},
    {fb::Builtin::Minimum, 2, 2, 1, convertMinimum},
    {fb::Builtin::Relu, 1, 1, 1, convertRelu},
    {fb::Builtin::Relu6, 1, 1, 1, convertRelu6},
    {fb::Builtin::ReluN1To1, 1, 1, 1, convertReluN1To1},
    {fb::Builtin::Relu0To1, 1, 1, 1, convertRelu0To1},
    {fb::Builtin::LeakyRelu, 1, 1, 1, convertLeakyRelu},
    {fb::Builtin::Logistic, 1, 1, 1, convertLogistic},
    {fb::Builtin::Tanh, 1, 1, 1, convertTanh},
    {fb::Builtin::Neg, 1, 1, 1, convertNeg},
    {fb::Builtin::Abs, 1, 1, 1, convertAbs},
    {fb::Builtin::Exp, 1, 1, 1, convertExp},
    {fb::Builtin::Sqrt, 1, 1, 1, convertSqrt},
    {fb::Builtin::Quantize, 1, 1, 1, convertQuantize},
    {fb::Builtin::Dequantize, 1, 1, 1, convertDequantize},
    {fb::Builtin::Cast, 1, 1, 1, convertCast},
    {fb::Builtin::SpaceToBatchND, 3, 3, 1, convertSpaceToBatch},
    {fb::Builtin::BatchToSpaceND, 3, 3, 1, convertBatchToSpace},
    {fb::Builtin::Reshape, 1, 2, 1, convertReshape},
    {fb::Builtin::Squeeze, 1, 1, 1, convertSqueeze},
    {fb::Builtin::ExpandDims, 2, 2, 1, convertExpandDims},
    {fb::Builtin::Transpose, 2, 2, 1, convertTranspose},
    {fb::Builtin::Pad, 2, 2, 1, convertPad},
    {fb::Builtin::PadV2, 3, 3, 1, convertPadV2},
    {fb::Builtin::Concatenation, 1, kAny, 1, convertConcatenation},
    {fb::Builtin::Pack, 1, kAny, 1, convertPack},
    {fb::Builtin::Slice, 3, 3, 1, convertSlice},
    {fb::Builtin::StridedSlice, 4, 4, 1, convertStridedSlice},
    {fb::Builtin::Split, 2, 2, 0, convertSplit},
    {fb::Builtin::SplitV, 3, 3, 0, convertSplitV},
    {fb::Builtin::Gather, 2, 2, 1, convertGather},
};

llvm::ArrayRef<OperatorRow> tflite::allOperators() { return rows; }

const OperatorRow *tflite::findOperator(int code) {
  for (const OperatorRow &row : rows)
    if (static_cast<int>(row.code) == code)
      return &row;
  return nullptr;
}
