// The table of operators: which function converts which operator in which versions of its domain.
#ifndef MFC_IMPORT_ONNX_CONVERTERS_H
#define MFC_IMPORT_ONNX_CONVERTERS_H

#include "Node.h"

#include <climits>

namespace mfc::onnx {

/// Adds the operations that the node stands for and sets its results; a result left null is a
/// failure, which must have been reported.
using Converter = void (*)(NodeContext &);

constexpr int kLatest = INT_MAX;
/// Models with an older default domain are refused as a whole: operators had other forms (broadcast
/// attributes ...).
constexpr int kOldestOpset = 7;
/// The newest version that the converters were written for; newer models get a warning.
constexpr int kNewestOpset = 23;

struct ConverterRow {
  llvm::StringRef op;
  Converter convert;
  int since = 1; ///< versions of the domain
  int until = kLatest;
  llvm::StringRef domain = ""; ///< "" is ai.onnx
};

/// Null if there is none; `known` then says whether another version is supported.
const ConverterRow *findConverter(llvm::StringRef domain, llvm::StringRef op, int64_t version,
                                  bool &known);
/// All rows, by domain and name.
std::vector<const ConverterRow *> allConverters();

// One list a family, in the file of the same name.
llvm::ArrayRef<ConverterRow> activationConverters();
llvm::ArrayRef<ConverterRow> constantConverters();
llvm::ArrayRef<ConverterRow> controlConverters();
llvm::ArrayRef<ConverterRow> convConverters();
llvm::ArrayRef<ConverterRow> convTransposeConverters();
llvm::ArrayRef<ConverterRow> elementwiseConverters();
llvm::ArrayRef<ConverterRow> matrixConverters();
llvm::ArrayRef<ConverterRow> movementConverters();
llvm::ArrayRef<ConverterRow> normalizationConverters();
llvm::ArrayRef<ConverterRow> padConverters();
llvm::ArrayRef<ConverterRow> poolConverters();
llvm::ArrayRef<ConverterRow> qlinearConverters();
llvm::ArrayRef<ConverterRow> quantizeConverters();
llvm::ArrayRef<ConverterRow> reduceConverters();
llvm::ArrayRef<ConverterRow> resizeConverters();
llvm::ArrayRef<ConverterRow> shapeConverters();
llvm::ArrayRef<ConverterRow> sliceConverters();
llvm::ArrayRef<ConverterRow> foldOnlyConverters();

} // namespace mfc::onnx
#endif
