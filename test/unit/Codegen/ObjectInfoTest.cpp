// Reading objects back, good ones and bad ones.
#include "ModuleFixture.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("undefined symbols of several objects are what none of them defines") {
  TargetInfo m4 = targetNamed("cortex-m4");
  ObjectCode caller = compileText("declare void @b()\ndeclare void @z()\ndeclare void @a()\n"
                                  "define void @f() {\n  call void @z()\n  call void @b()\n"
                                  "  call void @a()\n  ret void\n}\n",
                                  m4);
  ObjectCode callee = compileText("define void @b() {\n  ret void\n}\n", m4);
  using Names = std::vector<std::string>;
  CHECK(llvm::cantFail(undefinedSymbols(caller.bytes)) == Names{"a", "b", "z"});
  llvm::ArrayRef<char> both[] = {caller.bytes, callee.bytes};
  CHECK(llvm::cantFail(undefinedSymbols(llvm::ArrayRef<llvm::ArrayRef<char>>(both))) ==
        Names{"a", "z"});
}

TEST_CASE("local symbols do not satisfy another object") {
  TargetInfo m4 = targetNamed("cortex-m4");
  ObjectCode caller = compileText(
      "declare void @b()\ndefine void @f() {\n  call void @b()\n  ret void\n}\n", m4);
  ObjectCode local = compileText("define internal void @b() {\n  ret void\n}\n"
                                 "@keep = global ptr @b\n",
                                 m4);
  llvm::ArrayRef<char> both[] = {caller.bytes, local.bytes};
  CHECK(llvm::cantFail(undefinedSymbols(llvm::ArrayRef<llvm::ArrayRef<char>>(both))) ==
        std::vector<std::string>{"b"});
}

TEST_CASE("stack sizes name their functions") {
  ObjectCode object =
      compileText(sumsKernel(36) + "define void @leaf() {\n  ret void\n}\n", targetNamed("rv32imc"));
  llvm::Expected<ObjectInfo> info = readObject(object.bytes);
  REQUIRE(bool(info));
  REQUIRE(info->stackSizes.size() == 2);
  for (const StackSize &size : info->stackSizes)
    CHECK(size.bytes == object.find(size.function)->cost.frameBytes);
  CHECK(object.find("leaf")->cost.frameBytes == 0);
  CHECK(object.find("absent") == nullptr);
}

TEST_CASE("every truncation of an object is refused or read, never a crash") {
  ObjectCode object = compileText(sumsKernel(4), targetNamed("cortex-m4"));
  unsigned refused = 0;
  for (size_t bytes = 0; bytes < object.bytes.size(); ++bytes) {
    llvm::Expected<ObjectInfo> info =
        readObject(llvm::ArrayRef<char>(object.bytes.data(), bytes));
    refused += !info;
    if (!info)
      llvm::consumeError(info.takeError());
  }
  CHECK(refused == object.bytes.size()); // the section table is last in the file
}
