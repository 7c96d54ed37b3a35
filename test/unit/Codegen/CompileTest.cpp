// Objects per target: header, attributes, sections, what they need from outside, and the same bytes always.
#include "ModuleFixture.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/ARMAttributeParser.h"
#include "llvm/Support/ARMBuildAttributes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <catch2/catch.hpp>
#include <thread>

using namespace mfc;
using namespace mfc::test;

static const char *integerModule = R"(
@weights = hidden constant [6 x i8] c"abcdef", section ".rodata.mfc.kws.weights", align 4
@arena = hidden global [96 x i8] zeroinitializer, section ".bss.mfc.kws.sram", align 16
@state = hidden global [32 x i8] zeroinitializer, section ".bss.mfc.kws.sram", align 16
define i32 @load(i32 %i) {
  %p = getelementptr i8, ptr @weights, i32 %i
  %v = load i8, ptr %p
  %a = getelementptr i8, ptr @arena, i32 %i
  store i8 %v, ptr %a
  %s = getelementptr i8, ptr @state, i32 %i
  store i8 %v, ptr %s
  %e = sext i8 %v to i32
  ret i32 %e
}
)";

static const char *floatModule = R"(
define void @scale(ptr %x) {
  %v = load float, ptr %x
  %w = fmul float %v, 3.0
  store float %w, ptr %x
  ret void
}
)";

/// The integer value of a build attribute, if the object has it.
static std::optional<unsigned> armAttribute(const ObjectCode &object, unsigned tag) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(object.bytes.data(), object.bytes.size()), "o");
  auto file = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile(buffer));
  llvm::ARMAttributeParser parser;
  for (const llvm::object::SectionRef section : file->sections())
    if (llvm::cantFail(section.getName()) == ".ARM.attributes")
      llvm::cantFail(parser.parse(llvm::arrayRefFromStringRef(llvm::cantFail(section.getContents())),
                                  llvm::endianness::little));
  return parser.getAttributeValue(tag);
}

TEST_CASE("each target gets its object") {
  for (const std::string &name : allTargets()) {
    INFO(name);
    TargetInfo target = targetNamed(name);
    ObjectCode object = compileText(integerModule, target);
    llvm::Expected<ObjectInfo> info = readObject(object.bytes);
    REQUIRE(bool(info));
    CHECK(info->machine == (target.isArm()     ? llvm::ELF::EM_ARM
                            : target.isRISCV() ? llvm::ELF::EM_RISCV
                                               : llvm::ELF::EM_X86_64));
    llvm::Expected<std::vector<std::string>> undefined = undefinedSymbols(object.bytes);
    REQUIRE(bool(undefined));
    CHECK(undefined->empty());
    if (!target.isHost())
      CHECK(assemblyOf(integerModule, target).find("GNU-stack") == std::string::npos);
    for (const ObjectSection &section : info->sections) {
      INFO(section.name);
      CHECK(section.name.find("exidx") == std::string::npos);
      CHECK(section.name.find("eh_frame") == std::string::npos);
      // One object with this mark makes GNU ld warn about all others of a firmware.
      if (!target.isHost())
        CHECK(section.name != ".note.GNU-stack");
    }
  }
}

TEST_CASE("sections: one a function, constants and arenas where they were put") {
  for (const std::string &name : allTargets()) {
    INFO(name);
    ObjectCode object = compileText(integerModule, targetNamed(name));
    llvm::Expected<ObjectInfo> info = readObject(object.bytes);
    REQUIRE(bool(info));
    const ObjectSection *weights = info->section(".rodata.mfc.kws.weights");
    const ObjectSection *arena = info->section(".bss.mfc.kws.sram");
    const ObjectSection *code = info->section(".text.load");
    REQUIRE(weights);
    REQUIRE(arena);
    REQUIRE(code);
    CHECK_FALSE(weights->writable);
    CHECK(weights->bytes == 6);
    CHECK(arena->noBits);
    CHECK(arena->bytes == 96 + 32);
    CHECK(arena->align == 16);
    CHECK(code->code);
    // Globals keep their own symbols: LLVM's global merging is off.
    for (const char *symbol : {"weights", "arena", "state"})
      REQUIRE(info->symbol(symbol));
    CHECK(info->symbol("state")->bytes == 32);
    CHECK(object.readOnlyBytes == 6);
    REQUIRE(object.constants.size() == 1);
    CHECK(object.constants[0].name == "weights");
    CHECK(object.constants[0].bytes == 6);
  }
}

TEST_CASE("code bytes are the symbol's, literal pool included") {
  ObjectCode object = compileText(integerModule, targetNamed("cortex-m0plus"));
  llvm::Expected<ObjectInfo> info = readObject(object.bytes);
  REQUIRE(bool(info));
  CHECK(object.functions.at(0).cost.codeBytes == info->symbol("load")->bytes);
  CHECK(object.functions.at(0).cost.codeBytes == info->section(".text.load")->bytes);
  CHECK(object.functions.at(0).cost.constBytes == 0);
  CHECK(object.total().constBytes == 6);
}

TEST_CASE("integer modules link with every float ABI, float modules say which one they have") {
  namespace attrs = llvm::ARMBuildAttrs;
  for (const char *name : {"cortex-m0plus", "cortex-m4", "cortex-m55", "armv8.1-m.main+mve"})
    for (const char *abi : {"", "soft"}) {
      INFO(name << " " << abi);
      ObjectCode object = compileText(integerModule, targetNamed(name, abi));
      CHECK(armAttribute(object, attrs::ABI_VFP_args) == unsigned(attrs::ToolChainFPPCS) + 1);
    }
  CHECK(armAttribute(compileText(floatModule, targetNamed("cortex-m4")), attrs::ABI_VFP_args) ==
        unsigned(attrs::HardFPAAPCS));
  CHECK_FALSE(armAttribute(compileText(floatModule, targetNamed("cortex-m4", "softfp")),
                           attrs::ABI_VFP_args));
  CHECK_FALSE(armAttribute(compileText(floatModule, targetNamed("cortex-m0plus")),
                           attrs::ABI_VFP_args));
}

TEST_CASE("the RISC-V float ABI is in the header") {
  auto flags = [](const char *march) {
    ObjectCode object = compileText(integerModule, targetNamed(march));
    return llvm::cantFail(readObject(object.bytes)).flags;
  };
  CHECK((flags("rv32imc") & llvm::ELF::EF_RISCV_FLOAT_ABI) == llvm::ELF::EF_RISCV_FLOAT_ABI_SOFT);
  CHECK((flags("rv32imafc") & llvm::ELF::EF_RISCV_FLOAT_ABI) ==
        llvm::ELF::EF_RISCV_FLOAT_ABI_SINGLE);
  CHECK((flags("rv32imc") & llvm::ELF::EF_RISCV_RVC) != 0);
  CHECK((flags("rv32im") & llvm::ELF::EF_RISCV_RVC) == 0);
}

TEST_CASE("floating point goes to the FPU where there is one, else to the soft-float helpers") {
  auto needs = [](const char *name) {
    return llvm::cantFail(undefinedSymbols(compileText(floatModule, targetNamed(name)).bytes));
  };
  CHECK(needs("cortex-m4").empty());
  CHECK(needs("cortex-m55").empty());
  CHECK(needs("rv32imafc").empty());
  CHECK(needs("host").empty());
  CHECK(needs("cortex-m0plus") == std::vector<std::string>{"__aeabi_fmul"});
  CHECK(needs("armv8.1-m.main+mve") == std::vector<std::string>{"__aeabi_fmul"});
  CHECK(needs("armv7e-m") == std::vector<std::string>{"__aeabi_fmul"});
  CHECK(needs("rv32imc") == std::vector<std::string>{"__mulsf3"});
}

TEST_CASE("usesFloatingPoint looks at globals, signatures and instructions") {
  auto uses = [](const std::string &text) { return usesFloatingPoint(*parse(text).module); };
  CHECK_FALSE(uses(integerModule));
  CHECK(uses(floatModule));
  CHECK(uses("@g = constant [2 x float] zeroinitializer\n"));
  CHECK(uses("declare float @f(i32)\n"));
  CHECK(uses("define i32 @f(i32 %a, <4 x half> %b) { ret i32 %a }\n"));
  CHECK_FALSE(uses("define i32 @f(<4 x i32> %a) { ret i32 0 }\n"));
}

TEST_CASE("two threads give the bytes that one gives") {
  for (const char *name : {"cortex-m4", "cortex-m55", "rv32imc"}) {
    INFO(name);
    TargetInfo target = targetNamed(name);
    std::string kernel = sumsKernel(20);
    ObjectCode on = compileText(kernel, target);
    ObjectCode off = compileText(kernel, target, {.machineScheduler = false, .loopStrengthReduce = false});
    unsigned wrong[2] = {0, 0};
    // One thread with the switches on, one with them off: neither may see the other's. No assertions in
    // here: Catch2 is not made for threads.
    auto work = [&](unsigned which) {
      CodegenSwitches switches;
      switches.machineScheduler = switches.loopStrengthReduce = which == 0;
      const ObjectCode &expected = which == 0 ? on : off;
      for (int i = 0; i < 25; ++i) {
        llvm::LLVMContext context;
        llvm::SMDiagnostic diagnostic;
        auto module = llvm::parseAssemblyString(kernel, diagnostic, context);
        llvm::Expected<ObjectCode> object = compileToObject(*module, target, switches);
        wrong[which] += !object || object->bytes != expected.bytes ||
                        object->functions[0].cost != expected.functions[0].cost;
        if (!object)
          llvm::consumeError(object.takeError());
      }
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    CHECK(wrong[0] == 0);
    CHECK(wrong[1] == 0);
    CHECK(on.bytes != off.bytes);
  }
}

TEST_CASE("debug metadata of the module becomes DWARF") {
  std::string text = R"(
define i32 @f(i32 %a) !dbg !4 {
  %b = add i32 %a, 1, !dbg !7
  ret i32 %b, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "mfc", emissionKind: FullDebug)
!1 = !DIFile(filename: "model.mfcir", directory: ".")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 3, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 4, column: 3, scope: !4)
)";
  for (const std::string &name : allTargets()) {
    INFO(name);
    llvm::Expected<ObjectInfo> info = readObject(compileText(text, targetNamed(name)).bytes);
    REQUIRE(bool(info));
    const ObjectSection *lines = info->section(".debug_line");
    REQUIRE(lines);
    CHECK_FALSE(lines->loaded);
    CHECK(info->section(".debug_info"));
  }
}

TEST_CASE("preparing a module twice is the same as once") {
  TargetInfo target = targetNamed("cortex-m4");
  ParsedModule parsed = parse(integerModule);
  REQUIRE_FALSE(bool(prepareModule(*parsed.module, target)));
  REQUIRE_FALSE(bool(prepareModule(*parsed.module, target)));
  llvm::Expected<ObjectCode> object = compileToObject(*parsed.module, target);
  REQUIRE(bool(object));
  CHECK(object->bytes == compileText(integerModule, target).bytes);
}
