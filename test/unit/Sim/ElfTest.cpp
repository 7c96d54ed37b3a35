// ELF recognition and symbol look-up.
#include "SimFirmware.h"

#include "mfc/Support/ClassifiedError.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

static bool elfFile(const std::string &path) {
  auto answer = isElfFile(path);
  if (!answer)
    FAIL(llvm::toString(answer.takeError()));
  return *answer;
}

TEST_CASE("an ELF file is told from others by its content") {
  CHECK(isElf(llvm::StringRef("\177ELF\1\1\1", 7)));
  CHECK_FALSE(isElf("\177EL"));
  CHECK_FALSE(isElf(""));
  TemporaryFolder folder;
  writeFile(folder.file("empty"), {});
  writeFile(folder.file("short"), {0x7f, 'E'});
  writeFile(folder.file("model.elf"), {8, 9, 18, 7, 'T', 'F', 'L', '3'});
  CHECK_FALSE(elfFile(folder.file("empty")));
  CHECK_FALSE(elfFile(folder.file("short")));
  CHECK_FALSE(elfFile(folder.file("model.elf")));
  CHECK(elfFile(modelObject("count_loop", "thumbv6m")));
  for (const std::string &path : {folder.path(), folder.file("missing")}) {
    auto answer = isElfFile(path);
    REQUIRE(!answer);
    llvm::Error error = answer.takeError();
    CHECK(errorClassOf(error) == ErrorClass::Usage);
    llvm::consumeError(std::move(error));
  }
}

TEST_CASE("symbols and functions are found, without the Thumb bit") {
  SimFirmware firmware(*findBoard("mps2-an385"), "count_loop");
  const ElfSymbols &symbols = firmware.symbols();
  auto invoke = symbols.address("test_invoke");
  REQUIRE(invoke);
  CHECK(*invoke % 2 == 0);
  CHECK(symbols.functionAt(*invoke) == "test_invoke+0x0");
  CHECK(symbols.functionAt(*invoke + 4) == "test_invoke+0x4");
  CHECK(symbols.functionAt(0xf0000000) == "");
  CHECK_FALSE(symbols.address("no_such_symbol"));
  auto begin = symbols.address("mfc_sim_begin"), end = symbols.address("mfc_sim_end");
  REQUIRE((begin && end));
  CHECK(*end == *begin + 2);
}

TEST_CASE("a broken ELF file is an error, not a crash") {
  TemporaryFolder folder;
  std::vector<uint8_t> bytes = readFile(modelObject("count_loop", "rv32imc"));
  for (size_t keep = 4; keep < bytes.size(); keep += 37) {
    writeFile(folder.file("cut"), std::vector<uint8_t>(bytes.begin(), bytes.begin() + keep));
    auto symbols = ElfSymbols::read(folder.file("cut"));
    if (!symbols) {
      llvm::Error error = symbols.takeError();
      CHECK(errorClassOf(error) == ErrorClass::Usage);
      llvm::consumeError(std::move(error));
    }
  }
  CHECK_FALSE(
      llvm::errorToBool(ElfSymbols::read(modelObject("count_loop", "rv32imc")).takeError()));
}
