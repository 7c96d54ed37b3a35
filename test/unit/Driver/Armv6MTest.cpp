// Libraries for Armv6-M hold Armv6-M instructions only. QEMU runs them on a Cortex-M3, which would not notice.
#include "mfc/Driver/Compile.h"
#include "mfc/Sim/Armv6MCheck.h"

#include <catch2/catch.hpp>

using namespace mfc;

static void requireArmv6M(const char *model, OptLevel level, bool expected, const char *cpu) {
  CompileOptions options;
  options.model = std::string(MFC_SOURCE_DIR) + "/" + model;
  options.target.mcpu = cpu;
  options.level = level;
  options.name = "checked";
  DiagnosticEngine diag;
  std::optional<CompiledModel> compiled = compileModel(options, diag, llvm::errs());
  INFO(model << " for " << cpu);
  REQUIRE(compiled);
  bool clean = true;
  for (const LibraryObject &object : compiled->objects) {
    llvm::Error error = checkArmv6MOnly(
        llvm::MemoryBufferRef(llvm::StringRef(object.code.bytes.data(), object.code.bytes.size()), object.name));
    clean &= !error;
    if (error && expected)
      FAIL(llvm::toString(std::move(error)));
    llvm::consumeError(std::move(error));
  }
  REQUIRE(clean == expected);
}

TEST_CASE("libraries for Armv6-M are Armv6-M only") {
  for (const char *model : {"test/models/keyword/keyword.tflite", "test/package/models/int8.mfcir",
                            "test/package/models/float.mfcir"})
    for (OptLevel level : {OptLevel::O0, OptLevel::O2})
      requireArmv6M(model, level, true, "cortex-m0plus");
}

TEST_CASE("the check can fail: Armv7-M code is found") {
  requireArmv6M("test/models/keyword/keyword.tflite", OptLevel::O2, false, "cortex-m3");
}
