// Initializers in files beside the model, and what a model must not be able to read.
#include "ONNXBuilder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
/// A folder that is gone when the test ends.
struct Folder {
  Folder() { REQUIRE(!fs::createUniqueDirectory("mfc-onnx", name)); }
  ~Folder() { fs::remove_directories(name); }
  std::string file(llvm::StringRef leaf) const {
    llvm::SmallString<128> full = name;
    path::append(full, leaf);
    return std::string(full);
  }
  void write(llvm::StringRef leaf, llvm::StringRef contents) const {
    std::error_code ec;
    llvm::raw_fd_ostream os(file(leaf), ec);
    REQUIRE(!ec);
    os << contents;
  }
  llvm::SmallString<128> name;
};
} // namespace

static TensorProto external(const std::string &location, const std::string &offset,
                            const std::string &length) {
  TensorProto tensor = floats({2}, {});
  tensor.set_data_location(TensorProto::EXTERNAL);
  auto add = [&](const char *key, const std::string &value) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", location);
  if (!offset.empty())
    add("offset", offset);
  if (!length.empty())
    add("length", length);
  return tensor;
}

TEST_CASE("external data", "[onnx][external]") {
  Folder folder;
  float numbers[] = {9, 9, 1, 2};
  folder.write("w.bin", llvm::StringRef(reinterpret_cast<const char *>(numbers), sizeof numbers));
  Model m;
  m.input("x", {2}).output("y").node("Add", {"x", "w"}, {"y"});
  auto import = [&](TensorProto w, int exitCode) {
    m.init("w", std::move(w));
    std::vector<std::string> filesRead;
    ImportOptions options;
    options.filesRead = &filesRead;
    std::optional<Graph> graph = m.import(options, folder.file("m.onnx"));
    CHECK(m.diag.exitCode() == exitCode);
    if (!graph)
      return formatDiagnostic(m.diag.diagnostics().at(0));
    CHECK(filesRead == std::vector<std::string>{folder.file("w.bin")});
    const Value *w2 = findOp(*graph, OpKind::Add)->operand(1);
    CHECK(floatsOf(Tensor(w2->type, w2->bytes())) == std::vector<float>{1, 2});
    return std::string();
  };
  SECTION("is read") { CHECK(import(external("w.bin", "8", "8"), 0).empty()); }
  SECTION("without a length") { CHECK(import(external("w.bin", "8", ""), 0).empty()); }
  SECTION("missing file") {
    CHECK_THAT(import(external("v.bin", "0", ""), 1),
               Catch::Contains("tensor 'w': cannot read external data file"));
  }
  SECTION("behind the end") {
    CHECK_THAT(import(external("w.bin", "12", ""), 2),
               Catch::Contains("has 16 bytes, wanted 8 from byte 12"));
  }
  SECTION("offset that overflows") {
    CHECK_THAT(import(external("w.bin", "18446744073709551615", ""), 2),
               Catch::Contains("wanted 8 from byte"));
  }
  SECTION("wrong length") {
    CHECK_THAT(import(external("w.bin", "0", "4"), 2),
               Catch::Contains("external data of 4 bytes, the shape needs 8"));
  }
  SECTION("no number") {
    CHECK_THAT(import(external("w.bin", "x", ""), 2),
               Catch::Contains("external data has offset 'x'"));
  }
  SECTION("absolute path") {
    CHECK_THAT(import(external(folder.file("w.bin"), "", ""), 2),
               Catch::Contains("in the folder of the model"));
  }
  SECTION("way up") {
    CHECK_THAT(import(external("../w.bin", "", ""), 2),
               Catch::Contains("in the folder of the model"));
  }
  SECTION("link that leads out") {
    Folder other;
    other.write("secret.bin", "0123456789abcdef");
    REQUIRE(!fs::create_link(other.file("secret.bin"), folder.file("link.bin")));
    CHECK_THAT(import(external("link.bin", "", ""), 2),
               Catch::Contains("leads out of the folder of the model"));
  }
  SECTION("a folder") {
    REQUIRE(!fs::create_directory(folder.file("dir")));
    CHECK_THAT(import(external("dir", "", ""), 1),
               Catch::Contains("cannot read external data file"));
  }
}
