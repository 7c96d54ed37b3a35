// The board table and the choice of a board for a target.
#include "mfc/Sim/Board.h"

#include "mfc/Support/InstallPaths.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/Support/FileSystem.h"
#include <catch2/catch.hpp>

using namespace mfc;

static std::string boardOf(const char *mcpu, const char *march) {
  TargetOptions options;
  options.mcpu = mcpu;
  options.march = march;
  auto target = resolveTarget(options);
  if (!target)
    FAIL(llvm::toString(target.takeError()));
  const Board *board = defaultBoard(*target);
  return board ? board->name : "none";
}

TEST_CASE("every core has the board that its list says") {
  for (auto [core, board] :
       {std::pair("cortex-m0plus", "mps2-an385"), std::pair("cortex-m3", "mps2-an385"),
        std::pair("cortex-m4", "mps2-an386"), std::pair("cortex-m7", "mps2-an500"),
        std::pair("cortex-m33", "mps2-an505"), std::pair("cortex-m55", "mps3-an547"),
        std::pair("cortex-m85", "mps3-an547")}) {
    INFO(core);
    CHECK(boardOf(core, "") == board);
    REQUIRE(boardForCore(core));
    CHECK(std::string(boardForCore(core)->name) == board);
  }
  CHECK(boardForCore("cortex-a53") == nullptr);
  CHECK(findBoard("nucleo") == nullptr);
}

TEST_CASE("an architecture gets a board that has all of it") {
  CHECK(boardOf("", "armv6-m") == "mps2-an385");
  CHECK(boardOf("", "armv7e-m+fp") == "mps2-an386");
  CHECK(boardOf("", "armv7e-m+fp.dp") == "mps2-an500");
  CHECK(boardOf("", "armv8-m.base") == "mps2-an505");
  CHECK(boardOf("", "armv8-m.main+dsp") == "mps2-an505");
  CHECK(boardOf("", "armv8.1-m.main+mve") == "mps3-an547");
  CHECK(boardOf("", "rv32imc") == "riscv32-virt");
  CHECK(boardOf("", "rv32imac_zbb") == "riscv32-virt-full");
  // QEMU 7.2 has neither the small register file nor the code-size extensions.
  CHECK(boardOf("", "rv32emc") == "none");
  CHECK(boardOf("rp2350-hazard3", "") == "none");
}

TEST_CASE("what the table refers to is there") {
  auto paths = InstallPaths::locate();
  if (!paths)
    FAIL(llvm::toString(paths.takeError()));
  for (const Board &board : allBoards()) {
    INFO(board.name);
    CHECK(llvm::sys::fs::exists(paths->linkerDir() + "/" + board.linkerScript));
    CHECK(llvm::sys::fs::exists(paths->simDir() + "/harness-" + board.firmware + ".a"));
    CHECK(llvm::sys::fs::exists(paths->simDir() + "/softfloat-" + board.firmware + ".a"));
  }
  CHECK(llvm::sys::fs::exists(paths->tcgPlugin()));
}
