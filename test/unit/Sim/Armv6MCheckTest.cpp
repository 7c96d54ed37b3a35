// The proof that code is Armv6-M only.
#include "SimFirmware.h"

#include "mfc/Sim/Armv6MCheck.h"
#include "llvm/Support/MemoryBuffer.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

static std::string problem(const std::string &path) {
  llvm::Error error = checkArmv6MOnly(llvm::StringRef(path));
  return error ? llvm::toString(std::move(error)) : "";
}

TEST_CASE("objects, archives and images of Armv6-M pass") {
  CHECK(problem(modelObject("add_one", "thumbv6m")) == "");
  CHECK(problem(modelObject("soft_float", "thumbv6m")) == "");
  CHECK(problem(installPaths().simDir() + "/harness-thumbv6m.a") == "");
  CHECK(problem(installPaths().simDir() + "/softfloat-thumbv6m.a") == "");
  CHECK(problem(SimFirmware(*findBoard("microbit"), "add_one").elf()) == "");
}

TEST_CASE("code of later architectures is refused with its place") {
  std::string m3 = problem(modelObject("add_one", "thumbv7m"));
  CHECK(m3.find("section '.text.test_invoke' at offset 0x") != std::string::npos);
  CHECK(m3.find("no Armv6-M instruction") != std::string::npos);
  CHECK(problem(modelObject("hard_float", "m55f")) != "");
  CHECK(problem(modelObject("add_one", "rv32imc")).find("no Arm ELF object") != std::string::npos);
}

TEST_CASE("text and truncated files are errors") {
  TemporaryFolder folder;
  writeFile(folder.file("text"), {'h', 'e', 'l', 'l', 'o'});
  CHECK(problem(folder.file("text")) != "");
  CHECK(problem(folder.file("missing")) != "");
}
