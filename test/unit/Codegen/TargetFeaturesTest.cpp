// What a target row says and what LLVM's back end makes of its feature string are the same.
#include "ModuleFixture.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

static const char *const resolvable[] = {
    "cortex-m0", "cortex-m0plus", "cortex-m1", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m23",
    "cortex-m33", "cortex-m35p", "cortex-m52", "cortex-m55", "cortex-m85", "cortex-m4+nofp",
    "cortex-m7+nofp", "cortex-m7+nofp.dp", "cortex-m33+nodsp", "cortex-m33+nofp", "cortex-m55+nomve",
    "cortex-m55+nomve.fp", "cortex-m55+nofp", "cortex-m55+nodsp", "cortex-m85+nopacbti",
    "cortex-m52+nofp+nomve", "armv6-m", "armv7-m", "armv7e-m", "armv7e-m+fp", "armv7e-m+fp.dp",
    "armv8-m.base", "armv8-m.main", "armv8-m.main+dsp", "armv8-m.main+dsp+fp", "armv8-m.main+fp.dp",
    "armv8.1-m.main", "armv8.1-m.main+dsp", "armv8.1-m.main+mve", "armv8.1-m.main+mve+fp",
    "armv8.1-m.main+mve.fp", "armv8.1-m.main+mve.fp+fp.dp", "armv8.1-m.main+fp",
    "armv8.1-m.main+fp.dp", "armv8.1-m.main+pacbti"};

TEST_CASE("Arm feature bits in LLVM are those of the row") {
  for (const char *name : resolvable)
    for (const char *abi : {"", "soft", "softfp"}) {
      INFO(name << " " << abi);
      TargetInfo t = targetNamed(name, abi);
      std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(t);
      REQUIRE(machine);
      const llvm::MCSubtargetInfo &bits = *machine->getMCSubtargetInfo();
      auto has = [&](const char *feature) {
        return bits.checkFeatures((std::string("+") + feature).c_str());
      };
      CHECK(bits.isCPUStringValid(t.cpu));
      CHECK(has("vfp2sp") == t.hasFPU);
      CHECK(has("fp64") == t.hasDoubleFPU);
      CHECK(has("fullfp16") == t.hasHalfFPU);
      CHECK(has("dsp") == t.hasDSP);
      CHECK(has("mve") == t.hasMVE);
      CHECK(has("mve.fp") == t.hasMVEFloat);
      CHECK(has("hwdiv") == t.hasDivide);
      CHECK(has("lob") == t.hasLowOverheadLoops);
      CHECK(has("strict-align") == t.strictAlign);
      CHECK(has("thumb2") == t.hasMulHigh); // UMULL came with Thumb-2
      CHECK(has("pacbti") == (t.arch.find("pacbti") != std::string::npos));
      CHECK(has("mclass"));
      CHECK(has("thumb-mode"));
      // The architecture itself is no more than what was asked for.
      CHECK(has("v8.1m.main") == (t.architecture == Architecture::ArmV81MMain));
      CHECK(has("v8m.main") == (t.architecture == Architecture::ArmV81MMain ||
                                t.architecture == Architecture::ArmV8MMain));
      CHECK(has("v7") == (t.architecture != Architecture::ArmV6M &&
                          t.architecture != Architecture::ArmV8MBase));
    }
}

TEST_CASE("a core that is only tuned for brings no instructions") {
  for (const char *march : {"armv6-m", "armv7-m", "armv7e-m", "armv8-m.base", "armv8-m.main",
                            "armv8.1-m.main+mve"})
    for (const char *tune : {"cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33",
                             "cortex-m55", "cortex-m85"}) {
      INFO(march << " tuned for " << tune);
      TargetOptions options;
      options.march = march;
      TargetInfo plain = llvm::cantFail(resolveTarget(options));
      options.mtune = tune;
      TargetInfo tuned = llvm::cantFail(resolveTarget(options));
      auto machine = createTargetMachine(plain), other = createTargetMachine(tuned);
      for (const char *feature : {"+vfp2sp", "+dsp", "+mve", "+hwdiv", "+thumb2", "+v8m", "+v8m.main",
                                  "+v8.1m.main", "+v7", "+lob", "+fpregs", "+strict-align", "+pacbti"}) {
        INFO(feature);
        CHECK(machine->getMCSubtargetInfo()->checkFeatures(feature) ==
              other->getMCSubtargetInfo()->checkFeatures(feature));
      }
    }
}

TEST_CASE("RISC-V feature bits in LLVM are those of the row") {
  for (const char *name : {"rv32im", "rv32imc", "rv32imac", "rv32imafc", "rv32imafdc", "rv32emc",
                           "rv32imc_zba_zbb_zbs", "rv32i_zmmul", "rv32imac_zba_zbb_zbkb_zbs_zcb_zcmp"}) {
    INFO(name);
    TargetInfo t = targetNamed(name);
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(t);
    REQUIRE(machine);
    const llvm::MCSubtargetInfo &bits = *machine->getMCSubtargetInfo();
    CHECK(bits.checkFeatures("+f") == t.hasFPU);
    CHECK(bits.checkFeatures("+d") == t.hasDoubleFPU);
    CHECK(bits.checkFeatures("+zca") == t.hasCompressed);
    CHECK(bits.checkFeatures("+zbb") == t.hasBitManip);
    CHECK(bits.checkFeatures("+m") == t.hasDivide);
    CHECK(bits.isCPUStringValid(t.tuneCpu));
    CHECK_FALSE(bits.checkFeatures("+relax"));
  }
}

TEST_CASE("alignment that the row does not promise is not used") {
  // An access to a word at an odd address: one instruction where unaligned accesses work.
  std::string text = "define i32 @f(ptr %p) {\n  %v = load i32, ptr %p, align 1\n  ret i32 %v\n}\n";
  for (const std::string &name : allTargets()) {
    TargetInfo t = targetNamed(name);
    if (t.isHost())
      continue;
    INFO(name);
    std::string assembly = assemblyOf(text, t);
    bool byteLoads = assembly.find("\tldrb") != std::string::npos ||
                     assembly.find("\tlbu") != std::string::npos;
    CHECK(byteLoads == t.strictAlign);
  }
  TargetOptions options;
  options.mcpu = "cortex-m4";
  options.noUnalignedAccess = true;
  CHECK_THAT(assemblyOf(text, llvm::cantFail(resolveTarget(options))), Catch::Contains("\tldrb"));
}
