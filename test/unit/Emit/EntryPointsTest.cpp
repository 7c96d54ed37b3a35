// The entry points, run on the build machine: what they check and what they leave alone.
#include "SampleModel.h"
#include "mfc/Emit/Names.h"
#include "mfc/Sim/HostRun.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace mfc;
using namespace mfc::test;

namespace {

/// As the header declares it for one region.
struct Memory {
  uint32_t version;
  void *arena;
  uint32_t arenaBytes;
};

struct Loaded {
  SampleModel sample;
  std::unique_ptr<HostProgram> program;
  explicit Loaded(const SampleOptions &options) : sample(options) {
    llvm::cantFail(sample.build());
    std::vector<llvm::ArrayRef<char>> objects;
    for (const LibraryObject &object : sample.objects)
      objects.push_back(object.code.bytes);
    program = llvm::cantFail(HostProgram::load(objects));
  }
  const void *id() { return program->lookup(idSymbol(sample.info)); }
};

SampleOptions host(bool callerIO = false) {
  SampleOptions options;
  options.cpu = "host";
  options.callerIO = callerIO;
  return options;
}

} // namespace

TEST_CASE("the static form uses its own arena") {
  Loaded model(host());
  auto *invoke = model.program->function<int(const void *)>("mfc_tiny_invoke_static");
  auto *arena = static_cast<int8_t *>(model.program->lookup("mfc_tiny_arena"));
  REQUIRE(invoke);
  REQUIRE(arena);
  CHECK(reinterpret_cast<uintptr_t>(arena) % 16 == 0);
  const int8_t input[] = {10, 20, 30, 127}, output[] = {11, 22, 33, -125};
  std::memcpy(arena + model.sample.info.inputs[0].offset, input, 4);
  CHECK(invoke(model.id()) == 0);
  CHECK(std::memcmp(arena + model.sample.info.outputs[0].offset, output, 4) == 0);
}

TEST_CASE("the caller-owned form refuses memory that does not fit") {
  Loaded model(host());
  auto *invoke =
      model.program->function<int(const Memory *, const void *)>("mfc_tiny_invoke_memory");
  REQUIRE(invoke);
  alignas(64) uint8_t buffer[128];
  const uint32_t need = static_cast<uint32_t>(model.sample.info.regions[0].bytes);
  auto status = [&](Memory memory) {
    std::memset(buffer, 0x55, sizeof buffer);
    int result = invoke(&memory, model.id());
    bool touched = false;
    for (uint8_t byte : buffer)
      touched |= byte != 0x55;
    CHECK(touched == (result == 0)); // a refused call writes nothing
    return result;
  };
  CHECK(status({1, buffer, need}) == 0);
  CHECK(status({1, buffer + 16, need + 5}) == 0);
  CHECK(invoke(nullptr, model.id()) == static_cast<int>(Status::Null));
  CHECK(status({0, buffer, need}) == static_cast<int>(Status::Version));
  CHECK(status({2, buffer, need}) == static_cast<int>(Status::Version));
  CHECK(status({1, nullptr, need}) == static_cast<int>(Status::Null));
  CHECK(status({1, buffer, need - 1}) == static_cast<int>(Status::Size));
  CHECK(status({1, buffer, 0}) == static_cast<int>(Status::Size));
  for (int shift : {1, 2, 4, 8})
    CHECK(status({1, buffer + shift, need}) == static_cast<int>(Status::Alignment));
}

TEST_CASE("the arena of the caller-owned form is used to its last byte and not beyond") {
  Loaded model(host());
  auto *invoke =
      model.program->function<int(const Memory *, const void *)>("mfc_tiny_invoke_memory");
  GuardedBuffer buffer =
      llvm::cantFail(GuardedBuffer::allocate(model.sample.info.regions[0].bytes));
  Memory memory{1, buffer.data(), static_cast<uint32_t>(buffer.size())};
  CHECK(invoke(&memory, model.id()) == 0);
  CHECK(buffer.frontIntact());
}

TEST_CASE("buffers of the caller are checked in both forms") {
  Loaded model(host(/*callerIO=*/true));
  auto *invoke =
      model.program->function<int(const void *, const void *, void *)>("mfc_tiny_invoke_static");
  auto *memoryForm =
      model.program->function<int(const Memory *, const void *, const void *, void *)>(
          "mfc_tiny_invoke_memory");
  REQUIRE(invoke);
  REQUIRE(memoryForm);
  CHECK(model.program->lookup("mfc_tiny_arena") == nullptr); // no arena, no bytes
  Memory memory{1, nullptr, 0};
  alignas(64) int8_t in[64] = {1, 2, 3, 4}, out[64] = {};
  const int8_t expected[] = {2, 4, 6, 8};
  CHECK(invoke(model.id(), in, out) == 0);
  CHECK(std::memcmp(out, expected, 4) == 0);
  std::memset(out, 0, sizeof out);
  CHECK(memoryForm(&memory, model.id(), in, out) == 0);
  CHECK(std::memcmp(out, expected, 4) == 0);
  CHECK(invoke(model.id(), nullptr, out) == static_cast<int>(Status::Null));
  CHECK(invoke(model.id(), in, nullptr) == static_cast<int>(Status::Null));
  CHECK(memoryForm(&memory, model.id(), in, nullptr) == static_cast<int>(Status::Null));
  for (int shift : {1, 2, 4}) {
    CHECK(invoke(model.id(), in + shift, out) == static_cast<int>(Status::Alignment));
    CHECK(memoryForm(&memory, model.id(), in, out + shift) == static_cast<int>(Status::Alignment));
  }
}

TEST_CASE("float entry points carry the ABI, integer ones do not") {
  struct Row {
    const char *cpu, *abi, *suffix;
  } rows[] = {{"cortex-m4", "hard", "_hard"}, {"cortex-m4", "softfp", "_softfp"},
              {"cortex-m4", "soft", "_soft"}, {"cortex-m0plus", "", "_soft"},
              {"rv32imc", "", "_soft"},       {"rv32imfc", "", "_single"}};
  for (const Row &row : rows) {
    INFO(row.cpu << ' ' << row.abi);
    for (bool isFloat : {false, true}) {
      SampleOptions options;
      options.cpu = row.cpu;
      options.floatAbi = row.abi;
      options.isFloat = isFloat;
      SampleModel sample(options);
      REQUIRE(!sample.build());
      std::string suffix = isFloat ? row.suffix : "";
      CHECK(sample.info.abiSuffix() == suffix);
      CHECK(sample.objects[0].code.find("mfc_tiny_invoke_memory" + suffix));
      CHECK(sample.objects[1].code.find("mfc_tiny_invoke_static" + suffix));
    }
  }
}
