#include "ModuleFixture.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <catch2/catch.hpp>

using namespace mfc;

test::ParsedModule test::parse(const std::string &text) {
  ParsedModule parsed;
  parsed.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  parsed.module = llvm::parseAssemblyString(text, diagnostic, *parsed.context);
  INFO(diagnostic.getMessage().str() << " in line " << diagnostic.getLineNo());
  REQUIRE(parsed.module);
  return parsed;
}

TargetInfo test::targetNamed(const std::string &name, const std::string &floatAbi) {
  TargetOptions options;
  if (name == "host")
    options.target = name;
  else if (name.rfind("rv", 0) == 0 || name.rfind("arm", 0) == 0)
    options.march = name;
  else
    options.mcpu = name;
  options.mfloatAbi = floatAbi;
  llvm::Expected<TargetInfo> target = resolveTarget(options);
  if (!target)
    FAIL(llvm::toString(target.takeError()));
  return *target;
}

ObjectCode test::compileText(const std::string &text, const TargetInfo &target,
                             const CodegenSwitches &switches) {
  ParsedModule parsed = parse(text);
  llvm::Expected<ObjectCode> object = compileToObject(*parsed.module, target, switches);
  if (!object)
    FAIL(llvm::toString(object.takeError()));
  return std::move(*object);
}

std::string test::assemblyOf(const std::string &text, const TargetInfo &target,
                             const CodegenSwitches &switches) {
  ParsedModule parsed = parse(text);
  llvm::Expected<std::string> assembly = compileToAssembly(*parsed.module, target, switches);
  if (!assembly)
    FAIL(llvm::toString(assembly.takeError()));
  return std::move(*assembly);
}

std::string test::sumsKernel(unsigned live) {
  std::string phis, body, stores;
  for (unsigned i = 0; i < live; ++i) {
    std::string n = std::to_string(i), previous = std::to_string(i == 0 ? live - 1 : i - 1);
    phis += "  %s" + n + " = phi i32 [ " + n + ", %entry ], [ %t" + n + ", %taps ]\n";
    // Each sum takes its neighbour's old value, so none can be computed before the others are read.
    body += "  %m" + n + " = mul i32 %s" + previous + ", %x\n  %t" + n + " = add i32 %m" + n +
            ", %s" + n + "\n";
    stores += "  %q" + n + " = getelementptr i32, ptr %out, i32 " + n + "\n  store i32 %t" + n +
              ", ptr %q" + n + "\n";
  }
  return "define void @sums(ptr %in, ptr %out, i32 %n) {\nentry:\n  br label %taps\ntaps:\n"
         "  %i = phi i32 [ 0, %entry ], [ %next, %taps ]\n" +
         phis + "  %p = getelementptr i32, ptr %in, i32 %i\n  %x = load i32, ptr %p\n" + body +
         "  %next = add i32 %i, 1\n  %more = icmp ne i32 %next, %n\n"
         "  br i1 %more, label %taps, label %exit\nexit:\n" +
         stores + "  ret void\n}\n";
}

const std::vector<std::string> &test::allTargets() {
  static const std::vector<std::string> names = {
      "cortex-m0plus", "cortex-m3",  "cortex-m4",  "cortex-m7", "cortex-m23",
      "cortex-m33",    "cortex-m55", "cortex-m85", "rv32imc",   "rv32imafc",
      "armv8.1-m.main+mve", "host"};
  return names;
}
