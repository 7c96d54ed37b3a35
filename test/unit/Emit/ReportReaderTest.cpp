// X.json read back: what was written, and nothing else.
#include "mfc/Emit/ReportReader.h"
#include "SampleModel.h"
#include "mfc/Emit/Writers.h"

#include "llvm/Support/JSON.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

namespace {

std::string errorOf(const std::string &json) {
  llvm::Expected<ReadReport> report = parseReport(json, "x.json");
  return report ? "" : llvm::toString(report.takeError());
}

std::string sampleReport() {
  SampleModel sample({});
  llvm::cantFail(sample.build());
  sample.info.totals.modelledCycles = 1234.5;
  sample.info.layers[0].modelledCycles = 1200;
  return writeReport(sample.info);
}

} // namespace

TEST_CASE("a report is read as it was written") {
  SampleModel sample({});
  llvm::cantFail(sample.build());
  sample.info.totals.modelledCycles = 1234.5;
  ReadReport read = llvm::cantFail(parseReport(writeReport(sample.info), "x.json"));
  CHECK(read.info.name == "tiny");
  CHECK(read.info.id == sample.info.id);
  CHECK(read.info.target.name == "cortex-m4");
  CHECK(read.info.totals.flashBytes() == sample.info.totals.flashBytes());
  CHECK(read.info.totals.sramBytes() == 32);
  CHECK(read.info.totals.stackBytes == sample.info.totals.stackBytes);
  CHECK(read.info.totals.modelledCycles == 1234.5);
  REQUIRE(read.info.layers.size() == 1);
  const LayerInfo &layer = read.info.layers[0], &written = sample.info.layers[0];
  CHECK(layer.name == written.name);
  CHECK(layer.kernel == "mfc_tiny_k0_add");
  CHECK(layer.codeBytes == written.codeBytes);
  CHECK(layer.stackBytes == written.stackBytes);
  CHECK(layer.stackBytes > 0);
  CHECK(layer.liveBytes == 8);
  REQUIRE(written.modelledCycles);
  CHECK(layer.modelledCycles == written.modelledCycles);
  REQUIRE(read.info.regions.size() == 1);
  CHECK(read.info.regions[0].bytes == 32);
}

TEST_CASE("no prefix of a report is taken for one") {
  std::string json = sampleReport();
  while (json.back() == '\n')
    json.pop_back();
  for (size_t length = 0; length < json.size(); ++length) {
    INFO(length);
    REQUIRE(!errorOf(json.substr(0, length)).empty());
  }
  CHECK(errorOf(json).empty());
}

TEST_CASE("keys that are missing or of another kind are named") {
  llvm::json::Value good = llvm::cantFail(llvm::json::parse(sampleReport()));
  auto text = [](const llvm::json::Value &value) { return llvm::formatv("{0}", value).str(); };
  for (const char *key : {"model", "target", "id", "totals", "regions", "layers", "schema"}) {
    INFO(key);
    llvm::json::Value changed = good;
    changed.getAsObject()->erase(key);
    CHECK(errorOf(text(changed)).find(key) != std::string::npos);
    (*changed.getAsObject())[key] = true;
    CHECK(!errorOf(text(changed)).empty());
  }
  for (const char *key : {"code_bytes", "live_bytes", "stack_bytes", "modelled_cycles"}) {
    INFO(key);
    for (llvm::json::Value wrong :
         {llvm::json::Value("12"), llvm::json::Value(-1), llvm::json::Value(1e300)}) {
      llvm::json::Value changed = good;
      llvm::json::Object &layer = *(*changed.getAsObject()->getArray("layers"))[0].getAsObject();
      layer[key] = std::move(wrong);
      CHECK(errorOf(text(changed)).find("layers[0]." + std::string(key)) != std::string::npos);
    }
  }
  llvm::json::Value later = good; // of a later release
  (*later.getAsObject())["something_new"] = 1;
  CHECK(errorOf(text(later)).empty());
}

TEST_CASE("figures that contradict each other are refused") {
  llvm::json::Value report = llvm::cantFail(llvm::json::parse(sampleReport()));
  (*report.getAsObject()->getObject("totals"))["sram_bytes"] = 33;
  CHECK(errorOf(llvm::formatv("{0}", report).str()).find("totals.sram_bytes") != std::string::npos);
}
