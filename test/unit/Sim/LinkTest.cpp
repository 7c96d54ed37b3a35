// What links, what does not, and where things end up.
#include "SimFirmware.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

static std::string linkProblem(LinkRequest request, const TemporaryFolder &folder) {
  request.output = folder.file("firmware.elf");
  llvm::Error error = linkFirmware(request, installPaths());
  if (!error)
    return "";
  CHECK(errorClassOf(error) == ErrorClass::Usage);
  return llvm::toString(std::move(error));
}

TEST_CASE("the harness does not lend a model the C library") {
  for (const char *name : {"mps2-an385", "riscv32-virt"}) {
    const Board *board = findBoard(name);
    TemporaryFolder folder;
    std::string problem = linkProblem(
        {board, {modelObject("needs_memcpy", board->firmware)}, {MFC_TEST_FRAGMENT}, "", "", false},
        folder);
    INFO(problem);
    CHECK(problem.find("undefined symbol: memcpy") != std::string::npos);
  }
}

TEST_CASE("missing inputs and fragments are named, and the linker runs again afterwards") {
  const Board *board = findBoard("mps2-an385");
  TemporaryFolder folder;
  std::string object = modelObject("count_loop", "thumbv6m");
  CHECK(linkProblem({board, {folder.file("no.o")}, {}, "", "", false}, folder).find("no.o") !=
        std::string::npos);
  CHECK(
      linkProblem({board, {object}, {folder.file("no.ld")}, "", "", false}, folder).find("no.ld") !=
      std::string::npos);
  CHECK(linkProblem({board, {object}, {MFC_TEST_FRAGMENT}, "", "", false}, folder) == "");
}

/// Address and type of a section of a linked image.
static std::pair<uint64_t, unsigned> section(const std::string &elf, llvm::StringRef name) {
  auto object = llvm::object::ObjectFile::createObjectFile(elf);
  if (!object)
    FAIL(llvm::toString(object.takeError()));
  for (llvm::object::ELFSectionRef s : object->getBinary()->sections())
    if (llvm::cantFail(s.getName()) == name)
      return {s.getAddress(), s.getType()};
  FAIL("no section " << name.str());
  return {};
}

TEST_CASE("arena and weights go to the memories that the board has for them") {
  for (auto [name, arena, weights] : {std::tuple("mps2-an385", 0x21000000u, 0u),
                                      std::tuple("mps3-an547", 0x60000000u, 0x28000000u),
                                      std::tuple("riscv32-virt", 0x84000000u, 0x80000000u),
                                      std::tuple("microbit", 0x20000000u, 0u)}) {
    INFO(name);
    SimFirmware firmware(*findBoard(name), "add_one");
    auto [arenaAddress, arenaType] = section(firmware.elf(), ".mfc_test_SRAM");
    CHECK(arenaAddress == arena);
    CHECK(arenaType == llvm::ELF::SHT_NOBITS);
    CHECK(firmware.symbols().address("__mfc_test_SRAM_start") == arena);
    auto weightsAddress = firmware.symbols().address("test_weights");
    REQUIRE(weightsAddress);
    CHECK(*weightsAddress - weights < 0x10000u);
  }
}
