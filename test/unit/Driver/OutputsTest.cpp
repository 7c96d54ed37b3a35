// Names of the outputs.
#include "mfc/Driver/Outputs.h"
#include "mfc/Support/ClassifiedError.h"

#include <catch2/catch.hpp>

using namespace mfc;

namespace {

CompileOptions request(std::string model, std::string output = "", std::string name = "") {
  CompileOptions options;
  options.model = std::move(model);
  options.output = std::move(output);
  options.name = std::move(name);
  return options;
}

std::string usageError(llvm::Expected<OutputNames> names) {
  REQUIRE(!names);
  llvm::Error error = names.takeError();
  CHECK(errorClassOf(error) == ErrorClass::Usage);
  return llvm::toString(std::move(error));
}

} // namespace

TEST_CASE("four files beside the archive") {
  struct Row {
    const char *model, *output, *name, *archive, *header;
  } rows[] = {
      {"model.onnx", "", "", "libmodel.a", "model.h"},
      {"some/gen-kws-m55.onnx", "", "", "libgen_kws_m55.a", "gen_kws_m55.h"},
      {"m.tflite", "dir/libkws.a", "", "dir/libkws.a", "dir/kws.h"},
      {"m.tflite", "dir/kws.a", "", "dir/kws.a", "dir/kws.h"},
      {"m.tflite", "dir/lib.a", "", "dir/lib.a", "dir/lib.h"},
      {"m.tflite", "/abs/libx-y.a", "", "/abs/libx-y.a", "/abs/x_y.h"},
      {"m.tflite", "dir/libkws.a", "other", "dir/libkws.a", "dir/other.h"},
      {"m.tflite", "", "2net", "lib_2net.a", "_2net.h"},
      {"-", "", "", "libmodel.a", "model.h"},
  };
  for (const Row &row : rows) {
    INFO(row.model << ' ' << row.output << ' ' << row.name);
    OutputNames names = llvm::cantFail(outputNames(request(row.model, row.output, row.name)));
    CHECK(names.primary == row.archive);
    CHECK(names.header == row.header);
    CHECK(names.files().back() == row.archive); // renamed last
    CHECK(names.files().size() == 4);
  }
}

TEST_CASE("one file for everything else") {
  for (auto [kind, file] : {std::pair(OutputKind::Assembly, "m.s"),
                            {OutputKind::Object, "m.o"},
                            {OutputKind::LLVM, "m.ll"},
                            {OutputKind::Graph, "m.mfcir"}}) {
    CompileOptions options = request("dir/m.onnx");
    options.emit = kind;
    CHECK(llvm::cantFail(outputNames(options)).files() == std::vector<std::string>{file});
    options.output = "-";
    CHECK(llvm::cantFail(outputNames(options)).files() == std::vector<std::string>{"-"});
  }
}

TEST_CASE("a device takes all four files, nothing is created beside it") {
  OutputNames names = llvm::cantFail(outputNames(request("m.onnx", "/dev/null")));
  CHECK(names.files() == std::vector<std::string>(4, "/dev/null"));
  CHECK(names.model == "m");
  CHECK(!checkOutputs(request("m.onnx", "/dev/null"), names));
}

TEST_CASE("outputs that make no sense are refused") {
  CHECK(usageError(outputNames(request("m.onnx", "-"))).find("--emit=") != std::string::npos);
  CHECK(usageError(outputNames(request("m.onnx", "dir/"))).find("folder") != std::string::npos);
  CHECK(usageError(outputNames(request("int.onnx"))).find("keyword") != std::string::npos);
  CHECK(usageError(outputNames(request("m.onnx", "libint.a"))).find("libint.a") !=
        std::string::npos);
  // The archive under the header's name.
  CompileOptions options = request("m.onnx", "kws.h");
  OutputNames names = llvm::cantFail(outputNames(options));
  llvm::Error error = checkOutputs(options, names);
  REQUIRE(bool(error));
  CHECK(errorClassOf(error) == ErrorClass::Usage);
  CHECK(llvm::toString(std::move(error)).find("twice") != std::string::npos);
}

TEST_CASE("dependency and record files") {
  CompileOptions options = request("m.onnx", "out/libkws.a");
  options.writeDepfile = options.saveRecord = true;
  OutputNames names = llvm::cantFail(outputNames(options));
  CHECK(names.depfile == "out/libkws.d");
  CHECK(names.record == "out/kws.opt.yaml");
  options.depfile = "deps/x.d";
  options.recordFile = "r.yaml";
  names = llvm::cantFail(outputNames(options));
  CHECK(names.depfile == "deps/x.d");
  CHECK(names.record == "r.yaml");
}
