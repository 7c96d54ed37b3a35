// The text outputs: what they promise, against the facts they are written from.
#include "mfc/Emit/Writers.h"
#include "SampleModel.h"
#include "TextForms.h"
#include "mfc/Emit/Names.h"

#include "llvm/Support/JSON.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>

using namespace mfc;
using namespace mfc::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

LibraryFiles filesOf(SampleModel &sample) {
  llvm::cantFail(sample.build());
  return llvm::cantFail(writeLibrary(sample.info, sample.objects));
}

} // namespace

TEST_CASE("the header states the interface") {
  SampleModel sample({});
  std::string header = filesOf(sample).header;
  for (const char *line :
       {"#define MFC_TINY_ALIGN 16u\n", "#define MFC_TINY_ARENA_BYTES 32u\n",
        "#define MFC_TINY_INPUT_COUNT 1u\n", "#define MFC_TINY_INPUT0_BYTES 4u\n",
        "#define MFC_TINY_INPUT0_RANK 2u\n", "#define MFC_TINY_INPUT0_DIM1 4u\n",
        "#define MFC_TINY_INPUT0_SHAPE {1u, 4u}\n", "#define MFC_TINY_INPUT0_SCALE 0.5f\n",
        "#define MFC_TINY_INPUT0_ZERO_POINT (-128)\n", "#define MFC_TINY_OUTPUT0_OFFSET 16u\n",
        "typedef int8_t mfc_tiny_output0_t;\n", "#define MFC_TINY_INPUTS_OVERWRITTEN 1\n",
        "static inline int mfc_tiny_invoke(void) {\n", "#define MFC_ERROR_ALIGNMENT 3"}) {
    INFO(line);
    CHECK(contains(header, line));
  }
  CHECK(contains(header, "&" + idSymbol(sample.info)));
  CHECK(contains(header, "#define MFC_TINY_MODELLED_CYCLES "));
  CHECK(contains(header, "#define MFC_TINY_LONGEST_KERNEL_MODELLED_CYCLES "));
  CHECK(contains(header, "#define MFC_TINY_STACK_BYTES " +
                             std::to_string(sample.info.totals.stackBytes) + "u\n"));
}

TEST_CASE("with the caller's buffers, invoke takes them") {
  SampleOptions options;
  options.callerIO = true;
  SampleModel sample(options);
  std::string header = filesOf(sample).header;
  CHECK(contains(header,
                 "mfc_tiny_invoke(const mfc_tiny_input0_t *input0, mfc_tiny_output0_t *output0)"));
  CHECK(contains(header, "#define MFC_TINY_INPUTS_OVERWRITTEN 0\n"));
  CHECK(contains(
      header, "#define MFC_TINY_SRAM_BYTES 8u\n")); // inputs and outputs count wherever they live
  CHECK(!contains(header, "INPUT0_OFFSET"));
}

TEST_CASE("names of tensors cannot break the outputs") {
  SampleOptions options;
  options.inputName = "a*/ b /* \"q\\ ?\?/ \n \xff \t";
  options.outputName = std::string("nul\0x", 5);
  SampleModel sample(options);
  LibraryFiles files = filesOf(sample);
  // Only the comment's own end may be on the line.
  size_t start = files.header.find("/* input 0 ");
  REQUIRE(start != std::string::npos);
  std::string line = files.header.substr(start, files.header.find('\n', start) - start);
  CHECK(line.find("*/") == line.size() - 2);
  CHECK(line.find("/*", 2) == std::string::npos);
  CHECK(!contains(line, "?\?/"));
  CHECK(contains(files.header, "\"a*/ b /* \\\"q\\\\ \\077\\077/ \\012 \\377 \\011\""));
  CHECK(bool(llvm::json::parse(files.report)));
}

TEST_CASE("the linker fragment places and checks the arena") {
  SampleModel sample({});
  std::string text = filesOf(sample).linkerFragment;
  for (const char *line :
       {".mfc_tiny_SRAM (NOLOAD) : ALIGN(16) {\n", "  __mfc_tiny_SRAM_start = . ;\n",
        "  *(.bss.mfc.tiny.SRAM)\n", "} > MFC_SRAM\n"})
    CHECK(contains(text, line));
  CHECK(contains(text, "== 32,"));
  SampleOptions noArena;
  noArena.callerIO = true;
  SampleModel empty(noArena);
  CHECK(!contains(filesOf(empty).linkerFragment, "NOLOAD) : ALIGN"));
}

TEST_CASE("the report has the keys that others rely on") {
  SampleModel sample({});
  sample.info.decisions.push_back(
      {RemarkKind::Missed, "fuse", "limit", "conv_1", "no (7 spills, limit 2)", {{"spills", "7"}}});
  std::string text = filesOf(sample).report;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  REQUIRE(bool(parsed));
  const llvm::json::Object &report = *parsed->getAsObject();
  CHECK(report.getInteger("schema") == 1);
  CHECK(report.getString("model") == llvm::StringRef("tiny"));
  CHECK(report.getString("target") == llvm::StringRef("cortex-m4"));
  const llvm::json::Object *totals = report.getObject("totals");
  REQUIRE(totals);
  for (const char *key : {"flash_bytes", "code_bytes", "const_bytes", "sram_bytes", "arena_bytes",
                          "arena_lower_bound_bytes", "state_bytes", "stack_bytes"}) {
    INFO(key);
    CHECK(totals->getInteger(key));
  }
  CHECK(totals->getNumber("modelled_cycles").value_or(0) > 1);
  CHECK(totals->getInteger("instructions").value_or(0) > 1);
  CHECK(totals->getBoolean("exact_counts") == true);
  CHECK(totals->getInteger("helper_calls") == 0);
  const llvm::json::Object *longest = report.getObject("longest_kernel");
  REQUIRE(longest);
  CHECK(longest->getString("name") == llvm::StringRef("add_1"));
  CHECK(longest->getNumber("modelled_cycles").value_or(0) > 1);
  CHECK(*longest->getNumber("modelled_cycles") < *totals->getNumber("modelled_cycles"));
  const llvm::json::Object &layer = *(*report.getArray("layers"))[0].getAsObject();
  for (const char *key : {"code_bytes", "const_bytes", "spills", "reloads", "frame_bytes"})
    CHECK(layer.getInteger(key));
  CHECK(layer.getNumber("modelled_cycles") == longest->getNumber("modelled_cycles"));
  CHECK(layer.getBoolean("exact_counts") == true);
  CHECK(layer.getString("name") == llvm::StringRef("add_1"));
  CHECK(layer.getArray("call_sites")->size() == 1);
  REQUIRE(report.getArray("tensors")->size() == 3);
  const llvm::json::Object &output = *(*report.getArray("tensors"))[2].getAsObject();
  CHECK(output.getString("name") == llvm::StringRef("sum"));
  CHECK(output.getString("placement") == llvm::StringRef("arena"));
  CHECK(output.getString("region") == llvm::StringRef("SRAM"));
  CHECK(output.getInteger("offset") == 16);
  CHECK(output.getInteger("bytes") == 4);
  CHECK(output.getInteger("group") == 0);
  const llvm::json::Object &weights = *(*report.getArray("tensors"))[1].getAsObject();
  CHECK(weights.getString("placement") == llvm::StringRef("flash"));
  CHECK(report.getArray("regions")->size() == 1);
  CHECK(report.getArray("groups")->size() == 1);
  const llvm::json::Object &decision = *(*report.getArray("decisions"))[0].getAsObject();
  CHECK(decision.getString("kind") == llvm::StringRef("missed"));
  CHECK(decision.getObject("args")->getString("spills") == llvm::StringRef("7"));
}

TEST_CASE("floats are written shortest and read back exactly") {
  for (float value :
       {0.0983f, 0.5f, 1.0f, 1e-5f, 3.4028235e38f, 1.17549435e-38f, 1e-45f, 0.1f, 16777216.0f}) {
    std::string text = floatText(value);
    INFO(text);
    CHECK(std::strtof(text.c_str(), nullptr) == value);
  }
  CHECK(floatText(0.0983f) == "0.0983");
}
