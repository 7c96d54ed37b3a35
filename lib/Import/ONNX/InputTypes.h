// Types of graph inputs: what the model says, what --input-shape says, and batch 1 where neither
// does.
#ifndef MFC_IMPORT_ONNX_INPUTTYPES_H
#define MFC_IMPORT_ONNX_INPUTTYPES_H

#include "mfc/Import/Import.h"

namespace mfc::onnxpb {
class ValueInfoProto;
}

namespace mfc::onnx {

/// The static type of a graph input, or nothing after a diagnostic.
std::optional<TensorType> inputType(const onnxpb::ValueInfoProto &info,
                                    const ImportOptions &options, DiagnosticEngine &diag,
                                    const Location &loc);

/// Whether inputType makes the first dimension 1 without being told.
bool hasAssumedBatch(const onnxpb::ValueInfoProto &info, const ImportOptions &options);

} // namespace mfc::onnx
#endif
