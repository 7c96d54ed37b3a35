// TFLite operators that mfc converts: a row each, a file per family of converters.
#ifndef MFC_LIB_IMPORT_TFLITE_OPERATORTABLE_H
#define MFC_LIB_IMPORT_TFLITE_OPERATORTABLE_H

#include "Node.h"

namespace mfc::tflite {

/// Adds the mfc operations of one node and binds its results. False after a diagnostic.
using Converter = bool (*)(const Node &node);

struct OperatorRow {
  fb::Builtin code;
  unsigned minInputs; ///< that many must be given; later ones may be left out
  unsigned maxInputs;
  unsigned outputs; ///< 0: one or more
  Converter convert;
};

/// Null for operators that mfc does not convert.
const OperatorRow *findOperator(int code);
llvm::ArrayRef<OperatorRow> allOperators();

bool convertConv2D(const Node &node);
bool convertDepthwiseConv2D(const Node &node);
bool convertFullyConnected(const Node &node);
bool convertTransposeConv(const Node &node);
bool convertAveragePool2D(const Node &node);
bool convertMaxPool2D(const Node &node);
bool convertMean(const Node &node);
bool convertSoftmax(const Node &node);

bool convertAdd(const Node &node);
bool convertSub(const Node &node);
bool convertMul(const Node &node);
bool convertDiv(const Node &node);
bool convertMaximum(const Node &node);
bool convertMinimum(const Node &node);

bool convertRelu(const Node &node);
bool convertRelu6(const Node &node);
bool convertReluN1To1(const Node &node);
bool convertRelu0To1(const Node &node);
bool convertLeakyRelu(const Node &node);
bool convertLogistic(const Node &node);
bool convertTanh(const Node &node);
bool convertNeg(const Node &node);
bool convertAbs(const Node &node);
bool convertExp(const Node &node);
bool convertSqrt(const Node &node);
bool convertQuantize(const Node &node);
bool convertDequantize(const Node &node);
bool convertCast(const Node &node);

bool convertSpaceToBatch(const Node &node);
bool convertBatchToSpace(const Node &node);
bool convertReshape(const Node &node);
bool convertSqueeze(const Node &node);
bool convertExpandDims(const Node &node);
bool convertTranspose(const Node &node);
bool convertPad(const Node &node);
bool convertPadV2(const Node &node);
bool convertConcatenation(const Node &node);
bool convertPack(const Node &node);
bool convertSlice(const Node &node);
bool convertStridedSlice(const Node &node);
bool convertSplit(const Node &node);
bool convertSplitV(const Node &node);
bool convertGather(const Node &node);

} // namespace mfc::tflite
#endif
