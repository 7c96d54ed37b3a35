// Which QEMU is accepted, and what the refusals say.
#include "mfc/Sim/Qemu.h"

#include "mfc/Sim/Board.h"
#include "mfc/Support/ClassifiedError.h"
#include <catch2/catch.hpp>
#include <cstdlib>

using namespace mfc;

static std::string refusal(const char *versionText) {
  llvm::Error error = checkQemuVersion("qemu-system-arm", versionText);
  if (!error)
    return "";
  CHECK(errorClassOf(error) == ErrorClass::Usage);
  return llvm::toString(std::move(error));
}

TEST_CASE("QEMU 7.2 to 8.2 are accepted") {
  CHECK(refusal("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright") == "");
  CHECK(refusal("QEMU emulator version 8.0.0") == "");
  CHECK(refusal("QEMU emulator version 8.2.10 (v8.2.10)") == "");
}

TEST_CASE("older and newer QEMU and other programs are refused with what was found") {
  CHECK(
      refusal("QEMU emulator version 7.1.0").find("found qemu-system-arm 7.1, wanted 7.2 to 8.2") !=
      std::string::npos);
  CHECK(refusal("QEMU emulator version 9.0.2").find("plugins of API version 1") !=
        std::string::npos);
  CHECK(refusal("QEMU emulator version 10.1.0").find("found qemu-system-arm 10.1") !=
        std::string::npos);
  CHECK(refusal("cat (GNU coreutils) 9.1").find("found 'cat (GNU coreutils) 9.1'") !=
        std::string::npos);
  CHECK(refusal("").find("cannot tell the version") != std::string::npos);
}

TEST_CASE("a missing QEMU is an error of class Usage that says what to install") {
  Board board = *findBoard("mps2-an385");
  board.emulator = "qemu-system-of-nobody";
  QemuRequest request;
  request.board = &board;
  auto result = runQemu(request);
  REQUIRE(!result);
  llvm::Error error = result.takeError();
  CHECK(errorClassOf(error) == ErrorClass::Usage);
  std::string text = llvm::toString(std::move(error));
  CHECK(text.find("'qemu-system-of-nobody' is not on PATH") != std::string::npos);
  CHECK(text.find("qemu-system-arm") != std::string::npos);
}
