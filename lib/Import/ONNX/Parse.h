// Bytes to ModelProto, with limits: nothing in the file is trusted.
#ifndef MFC_IMPORT_ONNX_PARSE_H
#define MFC_IMPORT_ONNX_PARSE_H

#include "mfc/Support/Diagnostic.h"

#include "llvm/Support/MemoryBufferRef.h"
#include <memory>

namespace mfc::onnxpb {
class ModelProto;
}

namespace mfc::onnx {

/// The parsed file, or null after a diagnostic. Checks the container only, not what is in it.
std::unique_ptr<onnxpb::ModelProto> parseModel(llvm::MemoryBufferRef buffer,
                                               DiagnosticEngine &diag);

} // namespace mfc::onnx
#endif
