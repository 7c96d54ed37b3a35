#include "mfc/Sim/MemoryMap.h"

#include "SimFirmware.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("the memories of every board are read from its script and do not overlap") {
  for (const Board &board : allBoards())
    DYNAMIC_SECTION(board.name) {
      auto memories = memoriesOf(board, installPaths());
      REQUIRE(bool(memories));
      CHECK(memories->size() >= 2);
      for (const MemoryRange &a : *memories) {
        CHECK(a.bytes >= 16 * 1024);
        for (const MemoryRange &b : *memories)
          CHECK((&a == &b || a.first + a.bytes <= b.first || b.first + b.bytes <= a.first));
      }
    }
}

TEST_CASE("numbers of a MEMORY command have units") {
  auto memories =
      parseMemoryCommand("x\nMEMORY\n{\n  A (rx) : ORIGIN = 0x10, LENGTH = 4M /* ( : ) */\n\n"
                         "  B : ORIGIN = 0x20000000, LENGTH = 16K\n}\n");
  REQUIRE(bool(memories));
  REQUIRE(memories->size() == 2);
  CHECK(memories->at(0).name == "A");
  CHECK(memories->at(0).first == 0x10);
  CHECK(memories->at(0).bytes == 4 * 1024 * 1024);
  CHECK(memories->at(1).name == "B");
  CHECK(memories->at(1).bytes == 16 * 1024);
}

TEST_CASE("a MEMORY command that is not understood is an error") {
  for (const char *script : {"", "\nMEMORY\n{\n  A : ORIGIN = x, LENGTH = 4M\n}\n",
                             "\nMEMORY\n{\n  A : LENGTH = 4M\n}\n"}) {
    auto memories = parseMemoryCommand(script);
    CHECK_FALSE(bool(memories));
    llvm::consumeError(memories.takeError());
  }
}
