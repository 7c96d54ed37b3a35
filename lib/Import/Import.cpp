// The front door: reads the file, decides by its content what it is, and hands it to the importer of that format.
#include "mfc/Import/Import.h"

#include "Detect.h"
#include "mfc/IR/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cctype>

using namespace mfc;

static Location fileLocation(llvm::StringRef path) {
  Location loc;
  loc.file = path.str();
  return loc;
}

/// Only files and pipes are read: a directory has no bytes and a device may have no end.
static bool checkReadable(llvm::StringRef path, DiagnosticEngine &diag) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return diag.error(ErrorClass::Usage, fileLocation(path)) << "cannot open: " << llvm::StringRef(error.message()).lower();
  switch (status.type()) {
  case llvm::sys::fs::file_type::regular_file:
  case llvm::sys::fs::file_type::fifo_file:
    return true;
  case llvm::sys::fs::file_type::directory_file:
    return diag.error(ErrorClass::Usage, fileLocation(path)) << "is a directory; wanted a model file";
  case llvm::sys::fs::file_type::status_error:
  case llvm::sys::fs::file_type::file_not_found:
  case llvm::sys::fs::file_type::symlink_file:
  case llvm::sys::fs::file_type::block_file:
  case llvm::sys::fs::file_type::character_file:
  case llvm::sys::fs::file_type::socket_file:
  case llvm::sys::fs::file_type::type_unknown:
    break;
  }
  return diag.error(ErrorClass::Usage, fileLocation(path)) << "is not a regular file; wanted a model file";
}

static std::unique_ptr<llvm::MemoryBuffer> readFile(llvm::StringRef path, DiagnosticEngine &diag) {
  if (path != "-" && !checkReadable(path, diag))
    return nullptr;
  // Volatile: a copy, not a mapping, so that a file that shrinks under us cannot fault.
  auto buffer = path == "-" ? llvm::MemoryBuffer::getSTDIN()
                            : llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/true,
                                                          /*IsVolatile=*/true);
  if (!buffer) {
    diag.error(ErrorClass::Usage, fileLocation(path))
        << "cannot read: " << llvm::StringRef(buffer.getError().message()).lower();
    return nullptr;
  }
  if ((*buffer)->getBufferSize() == 0) {
    diag.error(ErrorClass::BadModel, fileLocation(path)) << "file is empty; wanted a TFLite or ONNX model";
    return nullptr;
  }
  return std::move(*buffer);
}

/// The format that the file's extension promises, if any.
static std::optional<ModelFormat> formatOfExtension(llvm::StringRef path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension.equals_insensitive(".tflite"))
    return ModelFormat::TFLite;
  if (extension.equals_insensitive(".onnx"))
    return ModelFormat::ONNX;
  return std::nullopt;
}

static std::optional<ModelFormat> decideFormat(llvm::StringRef path, llvm::StringRef content, DiagnosticEngine &diag) {
  std::optional<ModelFormat> found = detectFormat(content);
  std::optional<ModelFormat> promised = formatOfExtension(path);
  if (found && promised && *found != *promised) {
    diag.error(ErrorClass::BadModel, fileLocation(path))
        << "file is named like " << formatName(*promised) << ", but its content is that of " << formatName(*found)
        << "; rename it or give the right file";
    return std::nullopt;
  }
  if (found)
    return found;
  auto error = diag.error(ErrorClass::BadModel, fileLocation(path));
  llvm::StringRef foreign = describeForeignContent(content);
  if (!foreign.empty())
    error << "content looks like " << foreign;
  else
    error << "content is neither a TFLite model (no 'TFL3' at byte 4), an ONNX model (no ModelProto fields) nor a "
             "textual graph; the first bytes are "
          << llvm::toHex(content.take_front(8), /*LowerCase=*/true);
  return std::nullopt;
}

/// The file's stem as a C identifier: what is no letter or digit becomes '_', a leading digit gets one.
static std::string graphName(llvm::StringRef path) {
  std::string name = path == "-" ? "model" : llvm::sys::path::stem(path).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name.insert(name.begin(), '_');
  return name;
}

std::optional<Graph> mfc::importModel(llvm::StringRef path, const ImportOptions &options, DiagnosticEngine &diag) {
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(path, diag);
  if (!buffer)
    return std::nullopt;
  std::optional<ModelFormat> format = decideFormat(path, buffer->getBuffer(), diag);
  if (!format)
    return std::nullopt;
  llvm::MemoryBufferRef content(buffer->getBuffer(), path);
  std::optional<Graph> graph;
  switch (*format) {
  case ModelFormat::TFLite:
    graph = importTFLite(content, options, diag);
    break;
  case ModelFormat::ONNX:
    graph = importONNX(content, options, diag);
    break;
  case ModelFormat::Text:
    graph = parseGraph(buffer->getBuffer(), path, diag);
    break;
  }
  if (!graph)
    return std::nullopt;
  graph->file = path.str();
  if (*format != ModelFormat::Text)
    graph->name = graphName(path);
  return graph;
}
