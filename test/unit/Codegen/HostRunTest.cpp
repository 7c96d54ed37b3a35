// Compiled host code in this process, and the pages around it.
#include "ModuleFixture.h"

#include "mfc/Sim/HostRun.h"
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace mfc;
using namespace mfc::test;

/// The signal that ends a child process which does the work; 0 if it comes back.
template <typename Work> static int signalOf(Work work) {
  pid_t child = fork();
  if (child == 0) {
    // Catch2 and LLVM have handlers of their own; here the plain end is wanted.
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static bool faults(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

static std::unique_ptr<HostProgram> loadAll(const std::vector<std::string> &texts) {
  std::vector<ObjectCode> objects;
  std::vector<llvm::ArrayRef<char>> bytes;
  for (const std::string &text : texts)
    objects.push_back(compileText(text, targetNamed("host")));
  for (const ObjectCode &object : objects)
    bytes.push_back(object.bytes);
  llvm::Expected<std::unique_ptr<HostProgram>> program = HostProgram::load(bytes);
  if (!program)
    FAIL(llvm::toString(program.takeError()));
  return std::move(*program);
}

TEST_CASE("host code runs, across objects too") {
  auto program = loadAll({"declare i32 @twice(i32)\n@table = external constant [4 x i32]\n"
                          "define i32 @f(i32 %i) {\n"
                          "  %p = getelementptr [4 x i32], ptr @table, i32 0, i32 %i\n"
                          "  %v = load i32, ptr %p\n  %r = call i32 @twice(i32 %v)\n  ret i32 %r\n}\n",
                          "@table = constant [4 x i32] [i32 3, i32 5, i32 7, i32 11]\n"
                          "define i32 @twice(i32 %a) {\n  %r = add i32 %a, %a\n  ret i32 %r\n}\n"});
  auto *f = program->function<int(int)>("f");
  REQUIRE(f);
  CHECK(f(0) == 6);
  CHECK(f(3) == 22);
  CHECK(program->lookup("table") != nullptr);
  CHECK(program->lookup("absent") == nullptr);
}

TEST_CASE("the big loop computes what plain C++ does") {
  auto program = loadAll({sumsKernel(36)});
  auto *sums = program->function<void(const int32_t *, int32_t *, int)>("sums");
  REQUIRE(sums);
  std::vector<int32_t> in = {3, -7, 100000, 5}, out(36);
  sums(in.data(), out.data(), static_cast<int>(in.size()));
  std::vector<uint32_t> expected(36);
  for (uint32_t i = 0; i < 36; ++i)
    expected[i] = i;
  for (int32_t x : in) {
    std::vector<uint32_t> old = expected;
    for (size_t i = 0; i < 36; ++i)
      expected[i] = old[(i + 35) % 36] * static_cast<uint32_t>(x) + old[i];
  }
  for (size_t i = 0; i < 36; ++i)
    CHECK(static_cast<uint32_t>(out[i]) == expected[i]);
}

TEST_CASE("an object that needs something from outside does not load") {
  ObjectCode object = compileText("declare i32 @memcpy(i32)\ndefine i32 @f() {\n"
                                  "  %r = call i32 @memcpy(i32 1)\n  ret i32 %r\n}\n",
                                  targetNamed("host"));
  llvm::ArrayRef<char> bytes = object.bytes;
  llvm::Expected<std::unique_ptr<HostProgram>> program = HostProgram::load(bytes);
  REQUIRE_FALSE(bool(program));
  CHECK_THAT(llvm::toString(program.takeError()), Catch::Contains("memcpy"));
}

TEST_CASE("constants are read-only, variables are not, data is not executable") {
  auto program = loadAll({"@w = constant [64 x i8] c\"" + std::string(64, 'w') +
                          "\"\n@v = global [64 x i8] zeroinitializer\n"
                          "define void @poke(ptr %p) {\n  store i8 1, ptr %p\n  ret void\n}\n"});
  auto *poke = program->function<void(void *)>("poke");
  REQUIRE(poke);
  void *w = program->lookup("w"), *v = program->lookup("v");
  CHECK(signalOf([&] { poke(v); }) == 0);
  CHECK(faults(signalOf([&] { poke(w); })));
  CHECK(faults(signalOf([&] { poke(reinterpret_cast<void *>(poke)); })));
}

TEST_CASE("objects for other machines and garbage are refused") {
  ObjectCode arm = compileText(sumsKernel(2), targetNamed("cortex-m4"));
  llvm::ArrayRef<char> bytes = arm.bytes;
  llvm::Expected<std::unique_ptr<HostProgram>> program = HostProgram::load(bytes);
  CHECK_FALSE(bool(program));
  llvm::consumeError(program.takeError());
  std::string garbage = "not an object at all";
  llvm::ArrayRef<char> junk(garbage.data(), garbage.size());
  program = HostProgram::load(junk);
  CHECK_FALSE(bool(program));
  llvm::consumeError(program.takeError());
}

TEST_CASE("a guarded buffer ends where memory ends") {
  for (size_t size : {size_t(1), size_t(100), size_t(4096), size_t(10000)}) {
    INFO(size);
    llvm::Expected<GuardedBuffer> made = GuardedBuffer::allocate(size);
    REQUIRE(bool(made));
    GuardedBuffer buffer = std::move(*made);
    REQUIRE(buffer.size() == size);
    buffer.fill(7);
    CHECK(buffer.data()[0] == 7);
    CHECK(buffer.data()[size - 1] == 7);
    CHECK(buffer.frontIntact());
    volatile uint8_t *p = buffer.data();
    CHECK(faults(signalOf([&] { p[size] = 1; })));
    CHECK(faults(signalOf([&] { (void)p[size]; })));
    if (size % 4096 != 0) {
      buffer.data()[-1] = 1;
      CHECK_FALSE(buffer.frontIntact());
    } else {
      CHECK(faults(signalOf([&] { p[-1] = 1; })));
    }
    REQUIRE_FALSE(bool(buffer.makeReadOnly()));
    CHECK(faults(signalOf([&] { p[0] = 1; })));
    CHECK(p[0] == 7);
  }
}

TEST_CASE("a guarded buffer may be empty") {
  llvm::Expected<GuardedBuffer> buffer = GuardedBuffer::allocate(0);
  REQUIRE(bool(buffer));
  volatile uint8_t *p = buffer->data();
  CHECK(faults(signalOf([&] { (void)p[0]; })));
}
