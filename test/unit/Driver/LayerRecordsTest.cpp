// Records of layer taps: complete ones, several runs, and bytes that are no records.
#include "LayerRecords.h"

#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/StringExtras.h"
#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace mfc;

namespace {

ModelInfo twoInputs() {
  ModelInfo info;
  info.inputs.resize(2);
  info.inputs[0].bytes = 4;
  info.inputs[1].bytes = 1;
  return info;
}
const std::vector<uint64_t> layerBytes = {3, 0, 2};

std::string word(uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i)
    bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}
std::string record(int32_t layer, const std::string &data) {
  return word(0x4c43464d) + word(static_cast<uint32_t>(layer)) +
         word(static_cast<uint32_t>(data.size())) + data;
}
std::string oneRun() {
  return record(-1, "abcd") + record(-2, "e") + record(0, "xyz") + record(1, "") + record(2, "uv");
}

std::string problem(const std::string &text) {
  auto runs = readLayerRecords(text, twoInputs(), layerBytes);
  if (runs)
    return {};
  llvm::Error error = runs.takeError();
  CHECK(errorClassOf(error) == ErrorClass::Usage);
  return llvm::toString(std::move(error));
}

} // namespace

TEST_CASE("layer records of two runs") {
  std::string text = oneRun() + oneRun();
  auto runs = readLayerRecords(text, twoInputs(), layerBytes);
  REQUIRE(bool(runs));
  REQUIRE(runs->size() == 2);
  for (const RecordedRun &run : *runs) {
    REQUIRE(run.inputs.size() == 2);
    REQUIRE(run.layers.size() == 3);
    CHECK(llvm::toStringRef(run.inputs[0]) == "abcd");
    CHECK(llvm::toStringRef(run.layers[0]) == "xyz");
    CHECK(run.layers[1].empty());
    CHECK(llvm::toStringRef(run.layers[2]) == "uv");
  }
}

TEST_CASE("layer records of a run that broke off") {
  std::string text = record(-1, "abcd") + record(-2, "e") + record(0, "xyz");
  auto runs = readLayerRecords(text, twoInputs(), layerBytes);
  REQUIRE(bool(runs));
  REQUIRE(runs->size() == 1);
  CHECK(runs->front().layers.size() == 1);
}

TEST_CASE("layer records of something else") {
  CHECK(problem("").empty());
  CHECK(problem("MFCL") == "layer records: no record header at byte 0");
  CHECK_THAT(problem(record(-1, "abcd") + "junk that is long enough"),
             Catch::Contains("no record header at byte 16"));
  CHECK_THAT(problem(record(0, "xyz")), Catch::Contains("found layer 0 first, wanted input 0"));
  CHECK_THAT(problem(record(-1, "abc")), Catch::Contains("input 0 has 3 bytes, wanted 4"));
  CHECK_THAT(problem(record(-1, "abcd") + record(-1, "abcd") + record(1, "")),
             Catch::Contains("found layer 1 behind 0 of them, the model has 3"));
  CHECK_THAT(problem(oneRun() + record(3, "")), Catch::Contains("found layer 3 behind 3"));
  CHECK_THAT(problem(record(INT32_MIN, "")), Catch::Contains("wanted input 0"));
}

TEST_CASE("layer records cut off or changed anywhere") {
  std::string whole = oneRun();
  const std::set<size_t> borders = {0, 16, 29, 44, 56}; // of records: a run that broke off
  for (size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    CHECK(problem(whole.substr(0, length)).empty() == (borders.count(length) != 0));
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = whole;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random());
    problem(text);
  }
}
