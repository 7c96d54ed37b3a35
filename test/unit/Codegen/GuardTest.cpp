// What LLVM cannot compile comes back as an error, and the process goes on.
#include "ModuleFixture.h"

#include "FatalErrors.h"
#include "mfc/Support/ClassifiedError.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
/// What a longjmp out of LLVM leaves behind is lost on purpose: not a leak to report.
using LossExpected = __lsan::ScopedDisabler;
#else
struct LossExpected {
  ~LossExpected() {}
};
#endif

static std::string failure(const std::string &text, const char *target) {
  TargetInfo resolved = targetNamed(target);
  LossExpected loss;
  ParsedModule parsed = parse(text);
  llvm::Expected<ObjectCode> object = compileToObject(*parsed.module, resolved);
  if (object)
    return "";
  llvm::Error error = object.takeError();
  CHECK(errorClassOf(error) == ErrorClass::Internal);
  std::string message = llvm::toString(std::move(error));
  // A module on which the code generator gave up must not be touched again, not even to free it.
  parsed.module.release();
  parsed.context.release();
  return message;
}

TEST_CASE("an intrinsic of another target is an error, not the end") {
  std::string message = failure("declare i32 @llvm.arm.smlad(i32, i32, i32)\n"
                                "define i32 @f(i32 %a) {\n"
                                "  %r = call i32 @llvm.arm.smlad(i32 %a, i32 %a, i32 %a)\n"
                                "  ret i32 %r\n}\n",
                                "rv32imc");
  CHECK_THAT(message, Catch::Contains("rv32imc") && Catch::Contains("smlad"));
  // The next compile on this thread is not affected.
  CHECK(compileText(sumsKernel(2), targetNamed("rv32imc")).functions.size() == 1);
}

TEST_CASE("an instruction that the core lacks is an error") {
  std::string message = failure("declare i32 @llvm.arm.smlad(i32, i32, i32)\n"
                                "define i32 @f(i32 %a) {\n"
                                "  %r = call i32 @llvm.arm.smlad(i32 %a, i32 %a, i32 %a)\n"
                                "  ret i32 %r\n}\n",
                                "cortex-m0plus");
  CHECK_THAT(message, Catch::Contains("cortex-m0plus"));
}

TEST_CASE("bad inline assembly is an error with the assembler's words") {
  std::string message = failure("define void @f() {\n  call void asm sideeffect \"frobnicate r0\", \"\"()\n"
                                "  ret void\n}\n",
                                "cortex-m4");
  CHECK_THAT(message, Catch::Contains("invalid instruction"));
}

TEST_CASE("invalid IR is found before the code generator sees it") {
  llvm::LLVMContext context;
  llvm::Module module("broken", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  llvm::BasicBlock::Create(context, "entry", function); // has no terminator
  llvm::Expected<ObjectCode> object = compileToObject(module, targetNamed("cortex-m4"));
  REQUIRE_FALSE(bool(object));
  CHECK_THAT(llvm::toString(object.takeError()), Catch::Contains("not valid"));
}

TEST_CASE("the guard passes results and errors through") {
  CHECK_FALSE(bool(codegen::runGuarded("work", [] { return llvm::Error::success(); })));
  llvm::Error failed = codegen::runGuarded(
      "work", [] { return makeError(ErrorClass::Unsupported, "no such thing"); });
  CHECK(errorClassOf(failed) == ErrorClass::Unsupported);
  CHECK(llvm::toString(std::move(failed)) == "no such thing");
  LossExpected loss;
  llvm::Error fatal = codegen::runGuarded("work", []() -> llvm::Error {
    llvm::report_fatal_error("cannot go on", /*gen_crash_diag=*/false);
  });
  CHECK(llvm::toString(std::move(fatal)) == "work: cannot go on");
}
