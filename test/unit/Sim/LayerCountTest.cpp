// What the plugin counts by layer, against numbers counted by hand (models/layers_model.h).
#include "SimFirmware.h"

#include "mfc/Sim/LayerSites.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>

using namespace mfc;
using namespace mfc::test;

namespace {

/// Instructions by hand; the call belongs to the layer it calls.
struct Expected {
  uint64_t kernelA, kernelB, outside;
};

Expected expectedOn(const Board &board) {
  // Arm: push, movs, 10 * 2, bl, bx of the helper, pop; movs, 3 * 2, bx; four in test_invoke, two
  // in test_run. RISC-V: two to enter and three to leave a function.
  return llvm::StringRef(board.firmware) == "rv32imc" ? Expected{29, 9, 12} : Expected{26, 9, 6};
}

const std::vector<std::string> kernels = {"kernel_a", "kernel_b", "kernel_a"};

QemuRequest layerRequest(const SimFirmware &firmware) {
  QemuRequest request = firmware.request();
  auto sites = findLayerSites(firmware.elf(), "test_run", kernels);
  if (!sites)
    FAIL(llvm::toString(sites.takeError()));
  request.sites = *sites;
  request.profile = true;
  return request;
}

QemuResult runRequest(const QemuRequest &request) {
  auto result = runQemu(request);
  if (!result)
    FAIL(llvm::toString(result.takeError()));
  return *result;
}

const InstructionCount *at(const ExecutionProfile &profile, std::optional<uint64_t> address) {
  for (const InstructionCount &count : profile.instructions)
    if (count.address == address)
      return &count;
  return nullptr;
}

uint64_t executed(const ExecutionProfile &profile) {
  uint64_t sum = 0;
  for (const InstructionCount &count : profile.instructions)
    sum += count.executions;
  return sum;
}

const Board &boardNamed(const char *name) {
  const Board *board = findBoard(name);
  REQUIRE(board);
  return *board;
}

} // namespace

TEST_CASE("layers that share a kernel are counted apart, helpers to the layer that calls, on every "
          "board") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      SimFirmware firmware(board, "layers");
      QemuResult result = runRequest(layerRequest(firmware));
      INFO(describeRun(result) << result.console);
      REQUIRE(result.outcome == RunOutcome::Ok);
      Expected one = expectedOn(board);
      uint64_t whole = 2 * one.kernelA + one.kernelB + one.outside;
      CHECK(result.passes == std::vector<uint64_t>(3, whole));
      CHECK(result.instructions == 3 * whole);
      REQUIRE(result.layers.size() == 4);
      const uint64_t wanted[] = {one.outside, one.kernelA, one.kernelB, one.kernelA};
      for (size_t i = 0; i < 4; ++i) {
        CHECK(result.layers[i].layer == static_cast<int>(i) - 1);
        CHECK(result.layers[i].calls == 3);
        CHECK(result.layers[i].instructions == 3 * wanted[i]);
        CHECK(executed(result.layers[i].profile) == 3 * wanted[i]);
      }
    }
}

TEST_CASE("executions and taken branches are exact by instruction") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      SimFirmware firmware(board, "layers");
      QemuResult result = runRequest(layerRequest(firmware));
      REQUIRE(result.layers.size() == 4);
      for (size_t layer : {1u, 3u}) {
        const ExecutionProfile &profile = result.layers[layer].profile;
        const InstructionCount *branch = at(profile, firmware.symbols().address("branch_a"));
        REQUIRE(branch);
        CHECK(branch->executions == 30); // three calls, ten times round
        CHECK(branch->taken == 27);
        const InstructionCount *body = at(profile, firmware.symbols().address("loop_a"));
        REQUIRE(body);
        CHECK(body->executions == 30);
        CHECK(body->taken == 0);
        const InstructionCount *helper = at(profile, firmware.symbols().address("helper"));
        REQUIRE(helper);
        CHECK(helper->executions == 3);
        CHECK(helper->taken == 3); // its return
      }
      CHECK_FALSE(at(result.layers[2].profile, firmware.symbols().address("loop_a")));
    }
}

TEST_CASE("addresses are right at the end of a page") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      SimFirmware firmware(board, "page_end");
      QemuRequest request = firmware.request();
      request.profile = true;
      QemuResult result = runRequest(request);
      CHECK(result.instructions == 126);
      REQUIRE(result.layers.size() == 1);
      const ExecutionProfile &profile = result.layers[0].profile;
      uint64_t branch = firmware.symbols().address("page_branch").value_or(0);
      CHECK(branch % 4096 == 4094);
      REQUIRE(at(profile, branch));
      CHECK(at(profile, branch)->executions == 31);
      CHECK(at(profile, branch)->taken == 30);
      REQUIRE(at(profile, branch + 2));
      CHECK(at(profile, branch + 2)->executions == 1);
      REQUIRE(profile.instructions.size() == 6);
      for (size_t i = 0; i < 6; ++i)
        CHECK(profile.instructions[i].address == branch - 8 + 2 * i);
    }
}

TEST_CASE("counting more changes no count, and two runs give the same") {
  SimFirmware firmware(boardNamed("mps2-an386"), "layers");
  QemuRequest request = layerRequest(firmware);
  QemuResult plain = firmware.run(), first = runRequest(request);
  request.checkAlignment = true;
  auto memories = memoriesOf(boardNamed("mps2-an386"), installPaths());
  REQUIRE(bool(memories));
  request.memories = *memories;
  QemuResult all = runRequest(request), again = runRequest(request);
  CHECK(plain.instructions == first.instructions);
  CHECK(plain.instructions == all.instructions);
  REQUIRE(first.layers.size() == all.layers.size());
  for (size_t i = 0; i < all.layers.size(); ++i) {
    CHECK(first.layers[i].profile.instructions == all.layers[i].profile.instructions);
    CHECK(again.layers[i].profile.instructions == all.layers[i].profile.instructions);
  }
  CHECK(all.misaligned == 0);
}

TEST_CASE("accesses are counted in the memory where they go, on every board") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      SimFirmware firmware(board, "layers");
      QemuRequest request = layerRequest(firmware);
      auto memories = memoriesOf(board, installPaths());
      REQUIRE(bool(memories));
      request.memories = *memories;
      QemuResult result = runRequest(request);
      REQUIRE(result.layers.size() == 4);
      // The return address is saved and restored once a call; the stack is in the memory of its
      // symbol.
      uint64_t stack = firmware.symbols().address("__mfc_stack_limit").value_or(0);
      std::string memory = "other";
      for (const MemoryRange &range : *memories)
        if (stack - range.first < range.bytes)
          memory = range.name;
      CHECK(memory != "other");
      for (size_t layer : {1u, 3u}) {
        const std::vector<AccessCount> &accesses = result.layers[layer].accesses;
        REQUIRE(accesses.size() == 1);
        CHECK(accesses[0].memory == memory);
        CHECK(accesses[0].reads == 3);
        CHECK(accesses[0].readBytes == 12);
        CHECK(accesses[0].writes == 3);
        CHECK(accesses[0].writtenBytes == 12);
      }
      CHECK(result.layers[2].accesses.empty());
    }
}

TEST_CASE("a run can end after a number of passes") {
  SimFirmware firmware(boardNamed("mps2-an505"), "layers");
  QemuRequest request = layerRequest(firmware);
  request.passes = 2;
  QemuResult result = runRequest(request);
  INFO(describeRun(result) << result.console);
  CHECK(result.outcome == RunOutcome::Ok);
  CHECK(result.counted);
  CHECK(result.passes.size() == 2);
  CHECK(result.passes[0] == result.passes[1]);
}

TEST_CASE("a region may be the calls of a function") {
  SimFirmware firmware(boardNamed("mps2-an385"), "layers");
  QemuRequest request = firmware.request();
  auto calls = findCallsOf(firmware.elf(), "kernel_a");
  REQUIRE(bool(calls));
  REQUIRE(calls->size() == 2);
  request.regions.clear();
  for (const DirectCall &call : *calls)
    request.regions.push_back({call.address, call.returns});
  QemuResult result = runRequest(request);
  CHECK(result.passes == std::vector<uint64_t>(6, expectedOn(boardNamed("mps2-an385")).kernelA -
                                                      1)); // without the call
}

TEST_CASE("a fault or a hang names the layer it is in") {
  const std::vector<std::string> names = {"first", "second", "third"};
  for (const Board &board : allBoards())
    DYNAMIC_SECTION("fault on " << board.name) {
      SimFirmware firmware(board, "layer_fault");
      QemuResult result = runRequest(layerRequest(firmware));
      CHECK(result.outcome == RunOutcome::Fault);
      std::string text = describeRun(result, &firmware.symbols(), names);
      INFO(text);
      CHECK(text.find("(kernel_b+0x0)") != std::string::npos);
      CHECK(text.find("in layer 'second'") != std::string::npos);
    }
  SECTION("time limit") {
    SimFirmware firmware(boardNamed("riscv32-virt"), "layer_hang", {.timeoutSeconds = 1});
    QemuResult result = runRequest(layerRequest(firmware));
    CHECK(result.outcome == RunOutcome::TimedOut);
    std::string text = describeRun(result, &firmware.symbols(), names);
    INFO(text);
    CHECK(text.find("in layer 'second'") != std::string::npos);
  }
}

TEST_CASE("a driver that does not fit the report is refused") {
  SimFirmware firmware(boardNamed("mps2-an385"), "layers");
  auto message = [&](llvm::StringRef driver, std::vector<std::string> names) {
    auto sites = findLayerSites(firmware.elf(), driver, names);
    REQUIRE_FALSE(bool(sites));
    return llvm::toString(sites.takeError());
  };
  CHECK(message("other_run", kernels).find("has no function 'other_run'") != std::string::npos);
  CHECK(
      message("test_run", {"kernel_a", "kernel_b", "kernel_b"}).find("does not call 'kernel_b'") !=
      std::string::npos);
  CHECK(message("test_run", {"kernel_c"}).find("does not call 'kernel_c'") != std::string::npos);
}

TEST_CASE("calls are decoded from every form") {
  auto calls = [](std::vector<uint8_t> bytes, uint64_t address, bool riscv) {
    std::vector<uint64_t> flat;
    for (const DirectCall &call : directCalls(bytes, address, riscv))
      flat.insert(flat.end(), {call.address, call.returns, call.target});
    return flat;
  };
  using List = std::vector<uint64_t>;
  // Assembled by llvm-mc: nop; bl .-0x100 (at 0x1002); ldr.w r0, [r1]; bl .+0x400000 (at 0x100a)
  CHECK(calls({0x00, 0xbf, 0xff, 0xf7, 0x7e, 0xff, 0xd1, 0xf8, 0x00, 0x00, 0xff, 0xf3, 0xfe, 0xff},
              0x1000, false) == List{0x1002, 0x1006, 0xf02, 0x100a, 0x100e, 0x40100a});
  // c.jal .-0x20; jal .+0x800; auipc ra, 0x10; jalr ra, -16(ra); jal zero (a jump, no call)
  CHECK(calls({0xc5, 0x37, 0xef, 0x00, 0x10, 0x00, 0x97, 0x00, 0x01, 0x00, 0xe7, 0x80, 0x00, 0xff,
               0x6f, 0x00, 0x00, 0x00},
              0x80000000, true) == List{0x80000000, 0x80000002, 0x7fffffe0, 0x80000002, 0x80000006,
                                        0x80000802, 0x80000006, 0x8000000e, 0x8000fff6});
}

// As in QemuTest.cpp, with MFC_SHARED set: executions by address, from a plugin that was written independently.
TEST_CASE("an independent plugin finds the same executions at every address", "[.][shared]") {
  const char *shared = std::getenv("MFC_SHARED");
  REQUIRE(shared);
  SimFirmware firmware(boardNamed("mps2-an386"), "layers");
  QemuResult ours = runRequest(layerRequest(firmware));
  std::map<uint64_t, uint64_t> counted, theirs;
  for (const LayerCounts &layer : ours.layers)
    for (const InstructionCount &count : layer.profile.instructions)
      counted[count.address] += count.executions;
  CHECK(counted.size() > 15);

  auto marker = [&](const char *name) { return std::to_string(firmware.symbols().address(name).value_or(0)); };
  std::string command = "cd '" + firmware.folder().path() + "' && cc -O2 -fPIC -shared -fvisibility=hidden -o count.so '" +
                        shared + "/tools/insncount.c' && qemu-system-arm -M mps2-an386 -display none -serial null " +
                        "-monitor none -semihosting-config enable=on,target=native -plugin ./count.so,begin=" +
                        marker("mfc_sim_begin") + ",end=" + marker("mfc_sim_end") +
                        ",out=total.txt,pcs=pcs.txt -kernel firmware.elf";
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream lines(firmware.folder().file("pcs.txt"));
  unsigned pass = 0, size = 0;
  uint64_t address = 0, count = 0;
  while (lines >> std::dec >> pass >> std::hex >> address >> std::dec >> size >> count)
    theirs[address] += count;
  CHECK(theirs == counted);
}
