// From a model file to a Graph: the front door of every tool.
//
// What a file is follows from its content, never from its name. Importers report every problem that they
// find to the engine and return nothing if there was one; they never crash, hang or read past the buffer.
#ifndef MFC_IMPORT_IMPORT_H
#define MFC_IMPORT_IMPORT_H

#include "mfc/IR/Graph.h"
#include "mfc/Support/Diagnostic.h"
#include "mfc/Support/Remark.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mfc {

struct ImportOptions {
  /// --input-shape name=1x49x10x1: input name and the shape to use for it. A dynamic batch is 1
  /// without being told; any other dynamic dimension needs an entry.
  std::vector<std::pair<std::string, Shape>> inputShapes;
  /// Where to say which nodes became constants; may be null.
  RemarkList *remarks = nullptr;
  /// Where to say which files were read besides the model (external data of ONNX), each once; may be null.
  std::vector<std::string> *filesRead = nullptr;
};

enum class ModelFormat { TFLite, ONNX, Text };
/// "a TFLite model", "an ONNX model", "a textual mfc graph".
llvm::StringRef formatName(ModelFormat format);

/// What the bytes look like: TFLite's file identifier, the textual form's first word, or the field structure of
/// an ONNX ModelProto. Looks at a few bytes, so a damaged file keeps its format.
std::optional<ModelFormat> detectFormat(llvm::StringRef content);

/// Reads a file ("-" is the standard input) and imports it. I/O problems are of class Usage.
/// The graph's name is the file's stem as a C identifier; a textual graph keeps its own.
std::optional<Graph> importModel(llvm::StringRef path, const ImportOptions &options, DiagnosticEngine &diag);

/// The buffer's identifier is the file name for diagnostics.
std::optional<Graph> importTFLite(llvm::MemoryBufferRef buffer, const ImportOptions &options, DiagnosticEngine &diag);
std::optional<Graph> importONNX(llvm::MemoryBufferRef buffer, const ImportOptions &options, DiagnosticEngine &diag);

} // namespace mfc
#endif
