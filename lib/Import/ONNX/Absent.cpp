// Answers for the ONNX importer in builds that do not contain it.
#include "mfc/Import/Import.h"

using namespace mfc;

std::optional<Graph> mfc::importONNX(llvm::MemoryBufferRef buffer, const ImportOptions &, DiagnosticEngine &diag) {
  Location loc;
  loc.file = buffer.getBufferIdentifier().str();
  diag.error(ErrorClass::Unsupported, loc) << "this build of mfc does not read ONNX models";
  return std::nullopt;
}
