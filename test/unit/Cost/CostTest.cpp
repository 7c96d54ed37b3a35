// Records in JSON, canned answers, and keys.
#include "mfc/Cost/CostOracle.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/Support/FormatVariadic.h"
#include <catch2/catch.hpp>

using namespace mfc;

static CostRecord sample() {
  CostRecord record;
  record.codeBytes = 412;
  record.constBytes = 96;
  record.spills = 3;
  record.reloads = 5;
  record.spillSlotBytes = 12;
  record.frameBytes = 48;
  record.calleeSaved = 8;
  record.registersUsed = 13;
  record.modelledCycles = 1234.5;
  record.loops = {{"conv.k", 3, 2, 4}};
  return record;
}

TEST_CASE("a record survives JSON") {
  CostRecord record = sample();
  for (bool cycles : {true, false}) {
    if (!cycles)
      record.modelledCycles.reset();
    std::string text = llvm::formatv("{0:2}", toJSON(record)).str();
    llvm::Expected<CostRecord> back = costRecordFromJSON(llvm::cantFail(llvm::json::parse(text)));
    REQUIRE(bool(back));
    CHECK(*back == record);
  }
}

TEST_CASE("bad records are refused") {
  const std::pair<const char *, const char *> rows[] = {
      {"[]", "not a JSON object"},
      {R"({"code_byte": 1})", "unknown key 'code_byte'"},
      {R"({"code_bytes": -1})", "'code_bytes'"},
      {R"({"code_bytes": 1.5})", "'code_bytes'"},
      {R"({"spills": 4294967296})", "'spills'"},
      {R"({"modelled_cycles": "many"})", "'modelled_cycles'"},
      {R"({"loops": 3})", "'loops'"},
      {R"({"loops": [3]})", "the loop is not"},
      {R"({"loops": [{"loop": 3}]})", "'loop'"},
  };
  for (const auto &[text, words] : rows) {
    INFO(text);
    llvm::Expected<CostRecord> record = costRecordFromJSON(llvm::cantFail(llvm::json::parse(text)));
    REQUIRE_FALSE(bool(record));
    CHECK_THAT(llvm::toString(record.takeError()), Catch::Contains(words));
  }
}

TEST_CASE("records of kernels in sequence add up, frames do not") {
  CostRecord other = sample();
  other.frameBytes = 16;
  other.codeBytes = 100;
  other.modelledCycles = 10;
  CostRecord both = sum(sample(), other);
  CHECK(both.codeBytes == 512);
  CHECK(both.spills == 6);
  CHECK(both.frameBytes == 48);
  CHECK(both.modelledCycles == 1244.5);
  CHECK(both.loops.size() == 2);
  other.modelledCycles.reset();
  CHECK_FALSE(sum(sample(), other).modelledCycles);
}

static Candidate candidate(const std::string &name, const std::string &schedule = "") {
  Candidate c;
  c.name = name;
  c.schedule = schedule;
  c.text = "text of " + name;
  return c;
}

TEST_CASE("a canned oracle answers by label, then by name, then by *") {
  auto oracle = llvm::cantFail(CannedOracle::parse(
      R"({"schema": 1, "records": {
           "conv": {"code_bytes": 1}, "conv@p2o2": {"code_bytes": 2}, "*": {"code_bytes": 3}}})",
      "costs.json"));
  CHECK(llvm::cantFail(oracle->measure(candidate("conv"))).codeBytes == 1);
  CHECK(llvm::cantFail(oracle->measure(candidate("conv", "p2o2"))).codeBytes == 2);
  CHECK(llvm::cantFail(oracle->measure(candidate("conv", "p3o2"))).codeBytes == 1);
  CHECK(llvm::cantFail(oracle->measure(candidate("dense"))).codeBytes == 3);
  std::vector<Candidate> all = {candidate("dense"), candidate("conv")};
  std::vector<CostRecord> records = llvm::cantFail(oracle->measureAll(all));
  REQUIRE(records.size() == 2);
  CHECK(records[0].codeBytes == 3);
  CHECK(records[1].codeBytes == 1);
}

TEST_CASE("what a canned file lacks is an error that names it") {
  auto oracle = llvm::cantFail(
      CannedOracle::parse(R"({"schema": 1, "records": {}})", "costs.json"));
  llvm::Expected<CostRecord> record = oracle->measure(candidate("conv", "p2o2"));
  REQUIRE_FALSE(bool(record));
  llvm::Error error = record.takeError();
  CHECK(errorClassOf(error) == ErrorClass::Usage);
  CHECK_THAT(llvm::toString(std::move(error)),
             Catch::Contains("costs.json") && Catch::Contains("conv@p2o2"));
  for (const char *text : {"", "{", "[]", "{}", R"({"schema": 2, "records": {}})", R"({"schema": 1})",
                           R"({"schema": 1, "records": []})", R"({"schema": 1, "records": {"a": 1}})"}) {
    INFO(text);
    auto parsed = CannedOracle::parse(text, "costs.json");
    REQUIRE_FALSE(bool(parsed));
    CHECK_THAT(llvm::toString(parsed.takeError()), Catch::StartsWith("costs.json: "));
  }
  auto missing = CannedOracle::fromFile("no/such/file.json");
  REQUIRE_FALSE(bool(missing));
  llvm::consumeError(missing.takeError());
}

TEST_CASE("the key covers text, schedule and target, and no concatenation of them") {
  std::vector<std::string> keys = {
      candidateKey(candidate("a"), "row"), candidateKey(candidate("a"), "row2"),
      candidateKey(candidate("a", "s"), "row"), candidateKey(candidate("b"), "row")};
  Candidate shifted = candidate("a", "row");
  keys.push_back(candidateKey(shifted, ""));
  for (size_t i = 0; i < keys.size(); ++i) {
    CHECK(keys[i].size() == 16);
    for (size_t j = 0; j < i; ++j)
      CHECK(keys[i] != keys[j]);
  }
}
