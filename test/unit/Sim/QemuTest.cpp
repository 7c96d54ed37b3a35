// The harness, the boards, the plugin and the QEMU runner together, with hand-written models.
#include "SimFirmware.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dirent.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mfc;
using namespace mfc::test;

static std::string outcomeText(const QemuResult &result) {
  return describeRun(result) + "\n" + result.console;
}

static const Board &board(const char *name) {
  const Board *found = findBoard(name);
  REQUIRE(found);
  return *found;
}

TEST_CASE("a hand-counted loop has exactly its count on every board") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      QemuResult result = SimFirmware(board, "count_loop").run();
      INFO(outcomeText(result));
      REQUIRE(result.outcome == RunOutcome::Ok);
      CHECK(result.counted);
      CHECK(result.instructions == 202);
      CHECK(result.stackBytes == 0);
    }
}

TEST_CASE("inputs, weights, arena, poison and outputs work on every board") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      SimFirmware firmware(board, "add_one");
      std::vector<uint8_t> in0, wanted0;
      for (unsigned i = 0; i < 16; ++i) {
        in0.push_back(static_cast<uint8_t>(i * 17));
        wanted0.push_back(static_cast<uint8_t>(i * 17 + 1));
      }
      writeFile(firmware.folder().file("in0.bin"), in0);
      writeFile(firmware.folder().file("in1.bin"), {1, 2, 3, 250});
      QemuResult result = firmware.run();
      INFO(outcomeText(result));
      REQUIRE(result.outcome == RunOutcome::Ok);
      CHECK(result.redZones == 2);
      CHECK(result.instructions > 16);
      CHECK(readFile(firmware.folder().file("out0.bin")) == wanted0);
      CHECK(readFile(firmware.folder().file("out1.bin")) == std::vector<uint8_t>{11, 22, 33, 34});
      CHECK(readFile(firmware.folder().file("out2.bin")) == std::vector<uint8_t>(4, 0x5a));
    }
}

TEST_CASE("wrong inputs are reported with their size") {
  SimFirmware firmware(board("mps2-an385"), "add_one");
  QemuResult missing = firmware.run();
  CHECK(missing.outcome == RunOutcome::InputOutputFailed);
  CHECK(missing.ioProblem.find("in0.bin cannot be opened") != std::string::npos);
  writeFile(firmware.folder().file("in0.bin"), std::vector<uint8_t>(15));
  QemuResult small = firmware.run();
  CHECK(small.outcome == RunOutcome::InputOutputFailed);
  CHECK(small.ioProblem == "in0.bin has the wrong size: wanted 16 bytes, found 15 bytes");
}

TEST_CASE("a write behind a buffer breaks the red zone there") {
  for (const char *name : {"mps2-an385", "mps3-an547", "riscv32-virt"})
    DYNAMIC_SECTION(name) {
      QemuResult result = SimFirmware(board(name), "break_red_zone").run();
      INFO(outcomeText(result));
      CHECK(result.outcome == RunOutcome::RedZoneBroken);
      CHECK(result.exitStatus == 91);
      CHECK(result.brokenRedZone == 1u);
      CHECK(result.brokenOffset == 0);
    }
}

TEST_CASE("a fault is reported with its instruction on every board") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      SimFirmware firmware(board, "fault");
      QemuResult result = firmware.run();
      INFO(outcomeText(result));
      REQUIRE(result.outcome == RunOutcome::Fault);
      CHECK(result.exitStatus == 99);
      CHECK_FALSE(result.counted);
      REQUIRE(result.fault);
      CHECK(result.fault->pc == firmware.symbols().address("fault_here"));
      std::string text = describeRun(result, &firmware.symbols());
      CHECK(text.find("(test_invoke+0x") != std::string::npos);
    }
}

TEST_CASE("accesses to forbidden addresses are counted") {
  SimFirmware firmware(board("mps2-an386"), "unaligned", {});
  const ElfSymbols::Symbol *words = firmware.symbols().find("words"); // bytes 1 to 4 are read
  REQUIRE(words);
  auto run = [&](uint64_t first, uint64_t bytes) {
    QemuRequest request = firmware.request();
    request.zones = {{"before", words->address - 8, 8}, {"zone", words->address + first, bytes}};
    llvm::Expected<QemuResult> result = runQemu(request);
    REQUIRE(static_cast<bool>(result));
    CHECK(result->outcome == RunOutcome::Ok);
    return *result;
  };
  CHECK(run(0, 1).outside == 0);
  CHECK(run(5, 3).outside == 0);
  QemuResult last = run(4, 1);
  CHECK(last.outside == 1);
  CHECK(last.outsidePc == firmware.symbols().address("unaligned_here"));
  CHECK(run(0, 8).outside == 1);
}

TEST_CASE("unaligned accesses trap where they are told to, and are seen by the plugin") {
  SECTION("a Cortex-M3 has them") {
    SimFirmware firmware(board("mps2-an385"), "unaligned", {.checkAlignment = true});
    QemuResult result = firmware.run();
    INFO(outcomeText(result));
    CHECK(result.outcome == RunOutcome::Ok);
    CHECK(result.misaligned == 1);
    CHECK(result.misalignedPc == firmware.symbols().address("unaligned_here"));
  }
  SECTION("an Armv6-M image on it has not") {
    SimFirmware firmware(board("mps2-an385"), "unaligned", {.trapUnaligned = true});
    QemuResult result = firmware.run();
    INFO(outcomeText(result));
    REQUIRE(result.outcome == RunOutcome::Fault);
    CHECK(result.fault->pc == firmware.symbols().address("unaligned_here"));
    REQUIRE(result.fault->cfsr);
    CHECK(*result.fault->cfsr == 1u << 24); // UFSR.UNALIGNED
  }
  SECTION("QEMU's RV32 has them, the plugin counts them") {
    SimFirmware firmware(board("riscv32-virt"), "unaligned", {.checkAlignment = true});
    QemuResult result = firmware.run();
    INFO(outcomeText(result));
    CHECK(result.outcome == RunOutcome::Ok);
    CHECK(result.misaligned == 1);
    CHECK(result.misalignedPc == firmware.symbols().address("unaligned_here"));
  }
}

TEST_CASE("the painted stack shows the deepest use exactly") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      QemuResult result = SimFirmware(board, "deep_stack").run();
      INFO(outcomeText(result));
      REQUIRE(result.outcome == RunOutcome::Ok);
      CHECK(result.stackBytes == 208);
    }
}

TEST_CASE("failures of the model have outcomes of their own") {
  QemuResult status = SimFirmware(board("mps2-an386"), "bad_status").run();
  CHECK(status.outcome == RunOutcome::InvokeFailed);
  CHECK(status.status == -7);
  QemuResult overflow = SimFirmware(board("mps2-an500"), "overflow_stack").run();
  CHECK(overflow.outcome == RunOutcome::StackOverflow);
  QemuResult table = SimFirmware(board("mps2-an505"), "old_table").run();
  CHECK(table.outcome == RunOutcome::ProgramFailed);
  CHECK(table.exitStatus == 93);
}

static std::vector<uint8_t> floatBytes(const std::vector<float> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

static const std::vector<float> floatInputs = {0.1f, -20.25f, 1e6f, 3.3333f};

static std::vector<float> floatResults() {
  std::vector<float> results;
  for (unsigned i = 0; i < 4; ++i)
    results.push_back((floatInputs[i] * 3.0f - 1.0f) / 7.0f + static_cast<float>(i));
  return results;
}

TEST_CASE("soft-float models link without a foreign library and give the FPU's bits") {
  for (const char *name : {"mps2-an385", "microbit", "mps3-an547", "riscv32-virt"})
    DYNAMIC_SECTION(name) {
      SimFirmware firmware(board(name), "soft_float");
      writeFile(firmware.folder().file("in0.bin"), floatBytes(floatInputs));
      QemuResult result = firmware.run();
      INFO(outcomeText(result));
      REQUIRE(result.outcome == RunOutcome::Ok);
      std::vector<uint8_t> wanted = floatBytes(floatResults());
      std::vector<uint32_t> integers;
      for (float value : floatResults())
        integers.push_back(value < 100.0f ? static_cast<uint32_t>(static_cast<int32_t>(value))
                                          : ~0u);
      for (unsigned i = 0; i < 4; ++i)
        integers.push_back(floatResults()[i] >= 0 ? static_cast<uint32_t>(floatResults()[i]) + i
                                                  : 0);
      for (uint32_t integer : integers)
        for (unsigned byte = 0; byte < 4; ++byte)
          wanted.push_back(static_cast<uint8_t>(integer >> (8 * byte)));
      CHECK(readFile(firmware.folder().file("out0.bin")) == wanted);
    }
}

TEST_CASE("FPU and MVE are on, and hard-float objects link with the harness") {
  for (auto [name, architecture, abi] :
       {std::tuple("mps2-an386", "m4f", ""), std::tuple("mps2-an500", "m7f", ""),
        std::tuple("mps2-an505", "m33f", ""), std::tuple("mps3-an547", "m55f", ""),
        std::tuple("riscv32-virt-full", "rv32imfc", ""),
        std::tuple("riscv32-virt-full", "rv32imc-ilp32f", "ilp32f"),
        std::tuple("riscv32-virt-full", "rv32imc-ilp32d", "ilp32d")})
    DYNAMIC_SECTION(name << " " << architecture) {
      SimFirmware firmware(board(name), "hard_float", {.architecture = architecture, .abi = abi});
      writeFile(firmware.folder().file("in0.bin"), floatBytes(floatInputs));
      QemuResult result = firmware.run();
      INFO(outcomeText(result));
      REQUIRE(result.outcome == RunOutcome::Ok);
      CHECK(readFile(firmware.folder().file("out0.bin")) == floatBytes(floatResults()));
    }
}

TEST_CASE("float code faults on a core without an FPU") {
  for (auto [name, architecture] :
       {std::pair("mps2-an385", "m4f"), std::pair("riscv32-virt", "rv32imfc")})
    DYNAMIC_SECTION(name) {
      SimFirmware firmware(board(name), "hard_float", {.architecture = architecture});
      writeFile(firmware.folder().file("in0.bin"), floatBytes(floatInputs));
      CHECK(firmware.run().outcome == RunOutcome::Fault);
    }
}

TEST_CASE("counts repeat exactly, also for several runs at once") {
  std::deque<SimFirmware> firmware;
  for (unsigned i = 0; i < 3; ++i) {
    firmware.emplace_back(board("mps3-an547"), "add_one");
    writeFile(firmware.back().folder().file("in0.bin"), std::vector<uint8_t>(16));
    writeFile(firmware.back().folder().file("in1.bin"), std::vector<uint8_t>(4));
  }
  // No assertions in the threads: Catch2's are not made for that.
  std::vector<uint64_t> counts(3);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i)
    threads.emplace_back([request = firmware[i].request(), &count = counts[i]] {
      auto result = runQemu(request);
      if (result && result->outcome == RunOutcome::Ok)
        count = result->instructions;
      else if (!result)
        llvm::consumeError(result.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(counts[0] > 0);
  CHECK(counts[1] == counts[0]);
  CHECK(counts[2] == counts[0]);
}

/// Processes of this machine that have the text in their command line.
static unsigned processesWith(const std::string &text) {
  unsigned count = 0;
  DIR *processes = opendir("/proc");
  REQUIRE(processes);
  while (dirent *entry = readdir(processes)) {
    std::ifstream file(std::string("/proc/") + entry->d_name + "/cmdline");
    std::stringstream content;
    content << file.rdbuf();
    count += content.str().find(text) != std::string::npos;
  }
  closedir(processes);
  return count;
}

template <typename Condition> static bool eventually(Condition condition) {
  for (unsigned i = 0; i < 1200; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST_CASE("a run that hangs is stopped at its time limit and leaves no child") {
  SimFirmware firmware(board("mps2-an385"), "hang", {.timeoutSeconds = 1});
  auto start = std::chrono::steady_clock::now();
  QemuResult result = firmware.run();
  auto elapsed = std::chrono::steady_clock::now() - start;
  CHECK(result.outcome == RunOutcome::TimedOut);
  CHECK(result.timedOut);
  CHECK(elapsed >= std::chrono::seconds(1));
  CHECK(elapsed < std::chrono::seconds(30));
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1); // no child is left
  CHECK(processesWith(firmware.elf()) == 0);
}

TEST_CASE("QEMU dies with the program that started it") {
  SimFirmware firmware(board("mps2-an385"), "hang", {.timeoutSeconds = 60});
  QemuRequest request = firmware.request();
  pid_t child = fork();
  if (child == 0) {
    auto result = runQemu(request);
    if (!result)
      llvm::consumeError(result.takeError());
    _exit(0);
  }
  REQUIRE(child > 0);
  CHECK(eventually([&] { return processesWith(firmware.elf()) == 1; }));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(eventually([&] { return processesWith(firmware.elf()) == 0; }));
}

// Run by CI with MFC_SHARED set: `SimTests "[shared]"`. Another plugin, written independently, has
// to find the same counts; the host's C compiler builds it.
TEST_CASE("an independent plugin counts the same", "[.][shared]") {
  const char *shared = std::getenv("MFC_SHARED");
  REQUIRE(shared);
  TemporaryFolder folder;
  std::string plugin = folder.file("insncount.so");
  std::string build = "cc -O2 -fPIC -shared -fvisibility=hidden -o '" + plugin + "' '" +
                      std::string(shared) + "/tools/insncount.c'";
  REQUIRE(std::system(build.c_str()) == 0);
  for (const Board &board : allBoards())
    for (const char *model : {"count_loop", "add_one"})
      DYNAMIC_SECTION(board.name << " " << model) {
        SimFirmware ours(board, model), theirs(board, model, {.plugin = plugin});
        for (SimFirmware *firmware : {&ours, &theirs}) {
          writeFile(firmware->folder().file("in0.bin"), std::vector<uint8_t>(16));
          writeFile(firmware->folder().file("in1.bin"), std::vector<uint8_t>(4));
        }
        QemuResult counted = ours.run();
        REQUIRE(counted.outcome == RunOutcome::Ok);
        CHECK(theirs.run().outcome == RunOutcome::Ok);
        // The other plugin's report has its own form, in the file that is given as out=.
        std::vector<uint8_t> bytes = readFile(theirs.folder().file("mfc-tcg.json"));
        std::string text(bytes.begin(), bytes.end());
        CHECK(text == "region 0 insns " + std::to_string(counted.instructions) + "\n");
      }
}
