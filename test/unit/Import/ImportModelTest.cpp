// The front door: what a file is, and what is said about files that are no models.
#include "TFLiteBuilder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <catch2/catch.hpp>
#include <unistd.h>

using namespace mfc;
using namespace mfc::test;

namespace {
/// A file of this content under this name in a folder of its own.
class TempFile {
public:
  TempFile(const std::string &name, llvm::StringRef content) {
    REQUIRE(!llvm::sys::fs::createUniqueDirectory("mfc-import", folder));
    path = (folder + "/" + name).str();
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << content;
    REQUIRE(!error);
  }
  ~TempFile() { llvm::sys::fs::remove_directories(folder); }
  std::string path;
  llvm::SmallString<128> folder;
};
} // namespace

static std::string toString(const std::vector<uint8_t> &bytes) { return {bytes.begin(), bytes.end()}; }

/// The one error of importing this path, after "path: error: ".
static std::string errorOf(const std::string &path, int exitCode) {
  DiagnosticEngine diag;
  CHECK(!importModel(path, {}, diag));
  CHECK(diag.exitCode() == exitCode);
  REQUIRE(diag.errorCount() == 1);
  std::string text = formatDiagnostic(diag.diagnostics()[0]);
  REQUIRE(text.find(path + ": error: ") == 0);
  return text.substr(path.size() + 9);
}

/// ir_version 7, producer "x", a graph of 4 bytes, opset_import.
static const std::string onnxBytes("\x08\x07\x12\x01x\x3a\x04\x0a\x02\x08\x01\x42\x02\x10\x0d", 15);

TEST_CASE("import: formats are told by content") {
  TFLiteBuilder b = addModel();
  CHECK(detectFormat(toString(b.bytes())) == ModelFormat::TFLite);
  CHECK(detectFormat(onnxBytes) == ModelFormat::ONNX);
  for (size_t cut = 3; cut < onnxBytes.size(); ++cut)
    CHECK(detectFormat(onnxBytes.substr(0, cut)) == ModelFormat::ONNX); // truncated, still recognised
  CHECK(detectFormat("graph @kws {\n}\n") == ModelFormat::Text);
  CHECK(detectFormat("\n// RUN: mfc-opt\n  // more\n graph @kws {") == ModelFormat::Text);
  for (const char *other : {"graphical @x", "// graph @x", "\x08", "hello world", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "TFL3"})
    CHECK(detectFormat(other) == std::nullopt);
}

TEST_CASE("import: files that cannot be read") {
  CHECK(errorOf("no/such/file.tflite", 1) == "cannot open: no such file or directory");
  TempFile file("model.tflite", "x");
  CHECK(errorOf(file.folder.str().str(), 1) == "is a directory; wanted a model file");
  CHECK(errorOf("/dev/null", 1) == "is not a regular file; wanted a model file");
  CHECK(errorOf("/dev/zero", 1) == "is not a regular file; wanted a model file");
  if (geteuid() != 0) { // root may read everything
    REQUIRE(!llvm::sys::fs::setPermissions(file.path, llvm::sys::fs::no_perms));
    CHECK(errorOf(file.path, 1) == "cannot read: permission denied");
  }
}

static std::string contentError(const std::string &name, llvm::StringRef content, int exitCode) {
  TempFile file(name, content);
  return errorOf(file.path, exitCode);
}

TEST_CASE("import: content that is no model") {
  CHECK(contentError("a.tflite", "", 2) == "file is empty; wanted a TFLite or ONNX model");
  CHECK(contentError("a.onnx", "garbage!", 2) ==
        "content is neither a TFLite model (no 'TFL3' at byte 4), an ONNX model (no ModelProto fields) nor a textual "
        "graph; the first bytes are 6761726261676521");
  CHECK(contentError("a.tflite", "version https://git-lfs.github.com/spec/v1\n", 2) ==
        "content looks like a Git LFS pointer: fetch the real file with 'git lfs pull'");
  CHECK(contentError("a.onnx", "PK\x03\x04zip", 2).find("content looks like a ZIP archive") == 0);
  CHECK(contentError("a.h5", "\x89HDF\r\n", 2).find("content looks like an HDF5 file") == 0);
  CHECK(contentError("a.tflite", llvm::StringRef("\x1c\0\0\0TFL", 7), 2) ==
        "content looks like a TFLite file cut off inside its header");
}

TEST_CASE("import: a name that promises another format") {
  CHECK(contentError("a.tflite", onnxBytes, 2) ==
        "file is named like a TFLite model, but its content is that of an ONNX model; rename it or give the right file");
  TFLiteBuilder b = addModel();
  CHECK(contentError("a.ONNX", toString(b.bytes()), 2).find("file is named like an ONNX model") == 0);
}

TEST_CASE("import: a truncated model") {
  TFLiteBuilder b = addModel();
  std::string bytes = toString(b.bytes());
  bytes.resize(bytes.size() / 2);
  CHECK(contentError("a.tflite", bytes, 2) == "TFLite file is truncated or damaged: its " +
                                                  std::to_string(bytes.size()) + " bytes are not a complete flatbuffer");
}

TEST_CASE("import: graph names are C identifiers") {
  TFLiteBuilder b = addModel();
  std::string bytes = toString(b.bytes());
  for (auto [name, expected] : {std::pair("gen-kws m55.tflite", "gen_kws_m55"), {"2net.tflite", "_2net"}, {"plain", "plain"}}) {
    TempFile file(name, bytes);
    DiagnosticEngine diag;
    std::optional<Graph> graph = importModel(file.path, {}, diag);
    REQUIRE(graph);
    CHECK(graph->name == expected);
    CHECK(graph->file == file.path);
  }
  TempFile text("other.mfcir", "graph @kws {\n  %in = input \"a\" : f32[2]\n  %0 = clamp %in {min = 0, max = 1} : f32[2]\n"
                               "  output %0 \"b\"\n}\n");
  DiagnosticEngine diag;
  std::optional<Graph> graph = importModel(text.path, {}, diag);
  REQUIRE(graph);
  CHECK(graph->name == "kws");
}
