// The table of targets, row by row: what each -mcpu= and -march= means.
#include "mfc/Target/TargetInfo.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/RISCVTargetParser.h"
#include <catch2/catch.hpp>

using namespace mfc;

namespace {

struct Row {
  const char *cpu, *march;       ///< what is asked for; one of them or both
  const char *mfpu, *floatAbi;   ///< further options
  const char *arch;              ///< canonical architecture string
  const char *isa;               ///< kernel flavour
  const char *abi;               ///< resulting float ABI
  const char *llvmCpu;
  const char *flags;             ///< letters: F fpu, D double, H half, S dsp, M mve, m mve float,
                                 ///< U mulhigh, V divide, L loops, A strict align
};

} // namespace

static std::string flagsOf(const TargetInfo &t) {
  std::string text;
  auto add = [&](bool on, char letter) {
    if (on)
      text += letter;
  };
  add(t.hasFPU, 'F');
  add(t.hasDoubleFPU, 'D');
  add(t.hasHalfFPU, 'H');
  add(t.hasDSP, 'S');
  add(t.hasMVE, 'M');
  add(t.hasMVEFloat, 'm');
  add(t.hasMulHigh, 'U');
  add(t.hasDivide, 'V');
  add(t.hasLowOverheadLoops, 'L');
  add(t.strictAlign, 'A');
  return text;
}

static const Row armRows[] = {
    // Every CPU with all that it has; the FPU makes the ABI hard.
    {"cortex-m0", "", "", "", "armv6-m", "thumb1", "soft", "cortex-m0", "A"},
    {"cortex-m0plus", "", "", "", "armv6-m", "thumb1", "soft", "cortex-m0plus", "A"},
    {"cortex-m1", "", "", "", "armv6-m", "thumb1", "soft", "cortex-m1", "A"},
    {"cortex-m3", "", "", "", "armv7-m", "thumb2", "soft", "cortex-m3", "UV"},
    {"cortex-m4", "", "", "", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m4", "FSUV"},
    {"cortex-m7", "", "", "", "armv7e-m+fp.dp", "thumb2-dsp", "hard", "cortex-m7", "FDSUV"},
    {"cortex-m23", "", "", "", "armv8-m.base", "thumb1", "soft", "cortex-m23", "VA"},
    {"cortex-m33", "", "", "", "armv8-m.main+dsp+fp", "thumb2-dsp", "hard", "cortex-m33", "FSUV"},
    {"cortex-m35p", "", "", "", "armv8-m.main+dsp+fp", "thumb2-dsp", "hard", "cortex-m35p", "FSUV"},
    {"cortex-m52", "", "", "", "armv8.1-m.main+mve.fp+fp.dp+pacbti", "mve-float", "hard",
     "cortex-m52", "FDHSMmUVL"},
    {"cortex-m55", "", "", "", "armv8.1-m.main+mve.fp+fp.dp", "mve-float", "hard", "cortex-m55",
     "FDHSMmUVL"},
    {"cortex-m85", "", "", "", "armv8.1-m.main+mve.fp+fp.dp+pacbti", "mve-float", "hard",
     "cortex-m85", "FDHSMmUVL"},
    // Modifiers of CPUs.
    {"cortex-m4+nofp", "", "", "", "armv7e-m", "thumb2-dsp", "soft", "cortex-m4", "SUV"},
    {"cortex-m7+nofp.dp", "", "", "", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m7", "FSUV"},
    {"cortex-m7+nofp", "", "", "", "armv7e-m", "thumb2-dsp", "soft", "cortex-m7", "SUV"},
    {"cortex-m33+nodsp", "", "", "", "armv8-m.main+fp", "thumb2", "hard", "cortex-m33", "FUV"},
    {"cortex-m33+nofp", "", "", "", "armv8-m.main+dsp", "thumb2-dsp", "soft", "cortex-m33", "SUV"},
    {"cortex-m33+nodsp+nofp", "", "", "", "armv8-m.main", "thumb2", "soft", "cortex-m33", "UV"},
    {"cortex-m55+nomve", "", "", "", "armv8.1-m.main+dsp+fp.dp", "thumb2-dsp", "hard", "cortex-m55",
     "FDHSUVL"},
    {"cortex-m55+nomve.fp", "", "", "", "armv8.1-m.main+mve+fp.dp", "mve", "hard", "cortex-m55",
     "FDHSMUVL"},
    {"cortex-m55+nofp", "", "", "", "armv8.1-m.main+mve", "mve", "soft", "cortex-m55", "SMUVL"},
    {"cortex-m55+nofp+nomve", "", "", "", "armv8.1-m.main+dsp", "thumb2-dsp", "soft", "cortex-m55",
     "SUVL"},
    {"cortex-m55+nodsp", "", "", "", "armv8.1-m.main+fp.dp", "thumb2", "hard", "cortex-m55",
     "FDHUVL"},
    {"cortex-m85+nopacbti", "", "", "", "armv8.1-m.main+mve.fp+fp.dp", "mve-float", "hard",
     "cortex-m85", "FDHSMmUVL"},
    // Architectures have what they say: no +fp, no FPU, soft ABI.
    {"", "armv6-m", "", "", "armv6-m", "thumb1", "soft", "cortex-m0plus", "A"},
    {"", "armv7-m", "", "", "armv7-m", "thumb2", "soft", "cortex-m3", "UV"},
    {"", "armv7e-m", "", "", "armv7e-m", "thumb2-dsp", "soft", "cortex-m4", "SUV"},
    {"", "armv7e-m+fp", "", "", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m4", "FSUV"},
    {"", "armv7e-m+fp.dp", "", "", "armv7e-m+fp.dp", "thumb2-dsp", "hard", "cortex-m4", "FDSUV"},
    {"", "armv8-m.base", "", "", "armv8-m.base", "thumb1", "soft", "cortex-m23", "VA"},
    {"", "armv8-m.main", "", "", "armv8-m.main", "thumb2", "soft", "cortex-m33", "UV"},
    {"", "armv8-m.main+dsp", "", "", "armv8-m.main+dsp", "thumb2-dsp", "soft", "cortex-m33", "SUV"},
    {"", "armv8-m.main+fp", "", "", "armv8-m.main+fp", "thumb2", "hard", "cortex-m33", "FUV"},
    {"", "armv8-m.main+dsp+fp", "", "", "armv8-m.main+dsp+fp", "thumb2-dsp", "hard", "cortex-m33",
     "FSUV"},
    {"", "armv8-m.main+fp.dp+dsp", "", "", "armv8-m.main+dsp+fp.dp", "thumb2-dsp", "hard",
     "cortex-m33", "FDSUV"},
    {"", "armv8.1-m.main", "", "", "armv8.1-m.main", "thumb2", "soft", "cortex-m55", "UVL"},
    {"", "armv8.1-m.main+dsp", "", "", "armv8.1-m.main+dsp", "thumb2-dsp", "soft", "cortex-m55",
     "SUVL"},
    // Integer MVE with soft scalar float: MVE does not depend on the float ABI.
    {"", "armv8.1-m.main+mve", "", "", "armv8.1-m.main+mve", "mve", "soft", "cortex-m55", "SMUVL"},
    {"", "armv8.1-m.main+mve+fp", "", "", "armv8.1-m.main+mve+fp", "mve", "hard", "cortex-m55",
     "FHSMUVL"},
    {"", "armv8.1-m.main+mve.fp", "", "", "armv8.1-m.main+mve.fp", "mve-float", "hard", "cortex-m55",
     "FHSMmUVL"},
    {"", "armv8.1-m.main+mve.fp+fp.dp", "", "", "armv8.1-m.main+mve.fp+fp.dp", "mve-float", "hard",
     "cortex-m55", "FDHSMmUVL"},
    {"", "armv8.1-m.main+fp", "", "", "armv8.1-m.main+fp", "thumb2", "hard", "cortex-m55", "FHUVL"},
    {"", "armv8.1-m.main+fp.dp", "", "", "armv8.1-m.main+fp.dp", "thumb2", "hard", "cortex-m55",
     "FDHUVL"},
    // Modifiers apply from left to right.
    {"", "armv8.1-m.main+mve.fp+nofp", "", "", "armv8.1-m.main+mve", "mve", "soft", "cortex-m55",
     "SMUVL"},
    {"", "armv8.1-m.main+mve+nodsp", "", "", "armv8.1-m.main", "thumb2", "soft", "cortex-m55",
     "UVL"},
    // Other spellings.
    {"", "armv7em", "", "", "armv7e-m", "thumb2-dsp", "soft", "cortex-m4", "SUV"},
    {"", "thumbv6m", "", "", "armv6-m", "thumb1", "soft", "cortex-m0plus", "A"},
    {"", "armv8.1m.main+mve", "", "", "armv8.1-m.main+mve", "mve", "soft", "cortex-m55", "SMUVL"},
    // -mfpu.
    {"cortex-m4", "", "none", "", "armv7e-m", "thumb2-dsp", "soft", "cortex-m4", "SUV"},
    {"cortex-m4", "", "auto", "", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m4", "FSUV"},
    {"cortex-m4", "", "fpv4-sp-d16", "", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m4", "FSUV"},
    {"cortex-m7", "", "fpv5-sp-d16", "", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m7", "FSUV"},
    {"cortex-m7", "", "fpv5-d16", "", "armv7e-m+fp.dp", "thumb2-dsp", "hard", "cortex-m7", "FDSUV"},
    {"cortex-m33", "", "fpv5-sp-d16", "", "armv8-m.main+dsp+fp", "thumb2-dsp", "hard", "cortex-m33",
     "FSUV"},
    {"", "armv7e-m", "fpv4-sp-d16", "", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m4", "FSUV"},
    {"", "armv7e-m", "fpv5-d16", "", "armv7e-m+fp.dp", "thumb2-dsp", "hard", "cortex-m4", "FDSUV"},
    {"cortex-m55", "", "none", "", "armv8.1-m.main+mve", "mve", "soft", "cortex-m55", "SMUVL"},
    {"cortex-m55", "", "fp-armv8-fullfp16-sp-d16", "", "armv8.1-m.main+mve.fp", "mve-float", "hard",
     "cortex-m55", "FHSMmUVL"},
    {"cortex-m55", "", "fp-armv8-fullfp16-d16", "", "armv8.1-m.main+mve.fp+fp.dp", "mve-float",
     "hard", "cortex-m55", "FDHSMmUVL"},
    {"", "armv8.1-m.main+mve", "fp-armv8-fullfp16-sp-d16", "", "armv8.1-m.main+mve+fp", "mve",
     "hard", "cortex-m55", "FHSMUVL"},
    // -mfloat-abi: soft turns the FPU off, softfp uses it; integer MVE stays.
    {"cortex-m4", "", "", "hard", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m4", "FSUV"},
    {"cortex-m4", "", "", "softfp", "armv7e-m+fp", "thumb2-dsp", "softfp", "cortex-m4", "FSUV"},
    {"cortex-m4", "", "", "soft", "armv7e-m", "thumb2-dsp", "soft", "cortex-m4", "SUV"},
    {"cortex-m3", "", "", "softfp", "armv7-m", "thumb2", "soft", "cortex-m3", "UV"},
    {"cortex-m3", "", "", "soft", "armv7-m", "thumb2", "soft", "cortex-m3", "UV"},
    {"cortex-m55", "", "", "softfp", "armv8.1-m.main+mve.fp+fp.dp", "mve-float", "softfp",
     "cortex-m55", "FDHSMmUVL"},
    {"cortex-m55", "", "", "soft", "armv8.1-m.main+mve", "mve", "soft", "cortex-m55", "SMUVL"},
    {"", "armv8.1-m.main+mve", "", "soft", "armv8.1-m.main+mve", "mve", "soft", "cortex-m55",
     "SMUVL"},
    // Both: -march decides, -mcpu schedules.
    {"cortex-m7", "armv7e-m", "", "", "armv7e-m", "thumb2-dsp", "soft", "cortex-m7", "SUV"},
    {"cortex-m7", "armv7e-m+fp", "", "", "armv7e-m+fp", "thumb2-dsp", "hard", "cortex-m7", "FSUV"},
    {"cortex-m85", "armv8.1-m.main+mve", "", "", "armv8.1-m.main+mve", "mve", "soft", "cortex-m85",
     "SMUVL"},
};

TEST_CASE("Arm targets") {
  for (const Row &row : armRows) {
    INFO("-mcpu=" << row.cpu << " -march=" << row.march << " -mfpu=" << row.mfpu
                  << " -mfloat-abi=" << row.floatAbi);
    TargetOptions options;
    options.mcpu = row.cpu;
    options.march = row.march;
    options.mfpu = row.mfpu;
    options.mfloatAbi = row.floatAbi;
    llvm::Expected<TargetInfo> target = resolveTarget(options);
    if (!target)
      FAIL(llvm::toString(target.takeError()));
    CHECK(target->arch == row.arch);
    CHECK(spelling(target->isa) == row.isa);
    CHECK(spelling(target->floatABI) == row.abi);
    CHECK(target->cpu == row.llvmCpu);
    CHECK(flagsOf(*target) == row.flags);
    CHECK(target->name == (*row.march ? row.march : row.cpu));
    CHECK(target->isArm());
    CHECK(target->abiName.empty());
    CHECK(target->pointerBits == 32);
    CHECK(target->vectorBytes == (target->hasMVE ? 16 : 0));
    CHECK(target->arenaAlign == (target->hasMVE ? 16 : 8));
    llvm::StringRef triple = target->triple;
    CHECK(triple.ends_with(target->floatABI == FloatABI::Hard ? "-eabihf" : "-eabi"));
    CHECK(llvm::StringRef(target->arch).starts_with(spelling(target->architecture)));
    // What a target is called again resolves to the same target.
    TargetOptions again;
    again.march = target->arch;
    again.mfloatAbi = row.abi;
    llvm::Expected<TargetInfo> same = resolveTarget(again);
    REQUIRE(bool(same));
    CHECK(same->arch == target->arch);
    CHECK(flagsOf(*same) == flagsOf(*target));
    CHECK(same->triple == target->triple);
  }
}

TEST_CASE("-mtune changes the schedule and never the instructions") {
  TargetOptions options;
  options.march = "armv7e-m";
  options.mtune = "cortex-m7";
  TargetInfo tuned = llvm::cantFail(resolveTarget(options));
  CHECK(tuned.cpu == "cortex-m7");
  CHECK(tuned.tuneCpu == "cortex-m7");
  CHECK(flagsOf(tuned) == "SUV");
  // A core with a newer architecture would bring its instructions: it only chooses the cost table.
  options.mtune = "cortex-m55";
  tuned = llvm::cantFail(resolveTarget(options));
  CHECK(tuned.cpu == "cortex-m4");
  CHECK(tuned.tuneCpu == "cortex-m55");
  CHECK(tuned.arch == "armv7e-m");
  options = {};
  options.mcpu = "cortex-m55";
  options.mtune = "cortex-m85";
  tuned = llvm::cantFail(resolveTarget(options));
  CHECK(tuned.cpu == "cortex-m85");
  CHECK(tuned.arch == "armv8.1-m.main+mve.fp+fp.dp");
}

namespace {

struct RiscvRow {
  const char *cpu, *march, *mabi;
  const char *arch, *abiName, *floatAbi, *tune;
  const char *flags; ///< F fpu, D double, H half, C compressed, B bit manipulation, V divide
};

} // namespace

static const RiscvRow riscvRows[] = {
    {"", "rv32imc", "", "rv32imc", "ilp32", "soft", "rocket-rv32", "CV"},
    {"", "rv32im", "", "rv32im", "ilp32", "soft", "rocket-rv32", "V"},
    {"", "rv32imac", "", "rv32imac", "ilp32", "soft", "rocket-rv32", "CV"},
    {"", "rv32imafc", "", "rv32imafc", "ilp32f", "hard",
     "rocket-rv32", "FCV"},
    {"", "rv32imafc", "ilp32", "rv32imafc", "ilp32", "softfp",
     "rocket-rv32", "FCV"},
    {"", "rv32imafdc", "", "rv32imafdc", "ilp32d", "hard",
     "rocket-rv32", "FDCV"},
    {"", "rv32imafdc", "ilp32f", "rv32imafdc", "ilp32f", "hard",
     "rocket-rv32", "FDCV"},
    {"", "rv32imc_zba_zbb_zbs", "", "rv32imcb", "ilp32", "soft", "rocket-rv32",
     "CBV"},
    {"", "rv32emc", "", "rv32emc", "ilp32e", "soft", "rocket-rv32", "CV"},
    {"", "rv32i_zmmul", "", "rv32i_zmmul", "ilp32", "soft", "rocket-rv32", ""},
    {"sifive-e31", "", "", "rv32imac_zicsr_zifencei", "ilp32", "soft",
     "sifive-e31", "CV"},
    {"sifive-e20", "", "", "rv32imc_zicsr_zifencei", "ilp32", "soft", "sifive-e20", "CV"},
    {"sifive-e34", "", "", "rv32imafc_zifencei", "ilp32f", "hard",
     "sifive-e34", "FCV"},
    {"sifive-e31", "rv32imc", "", "rv32imc", "ilp32", "soft", "sifive-e31", "CV"},
};

TEST_CASE("RISC-V targets") {
  for (const RiscvRow &row : riscvRows) {
    INFO("-mcpu=" << row.cpu << " -march=" << row.march << " -mabi=" << row.mabi);
    TargetOptions options;
    options.mcpu = row.cpu;
    options.march = row.march;
    options.mabi = row.mabi;
    llvm::Expected<TargetInfo> target = resolveTarget(options);
    if (!target)
      FAIL(llvm::toString(target.takeError()));
    CHECK(target->arch == row.arch);
    CHECK(target->abiName == row.abiName);
    CHECK(spelling(target->floatABI) == row.floatAbi);
    CHECK(target->tuneCpu == row.tune);
    CHECK(target->cpu == "generic-rv32");
    CHECK(target->isa == InstructionSet::RV32);
    CHECK(target->isRISCV());
    CHECK(target->hasMulHigh);
    CHECK(target->strictAlign);
    std::string flags;
    flags += target->hasFPU ? "F" : "";
    flags += target->hasDoubleFPU ? "D" : "";
    flags += target->hasHalfFPU ? "H" : "";
    flags += target->hasCompressed ? "C" : "";
    flags += target->hasBitManip ? "B" : "";
    flags += target->hasDivide ? "V" : "";
    CHECK(flags == row.flags);
  }
}

TEST_CASE("the RISC-V CPUs have the architectures that LLVM gives them") {
  std::string list;
  llvm::raw_string_ostream os(list);
  listCpus(os);
  unsigned found = 0;
  for (const char *cpu : {"rp2350-hazard3", "sifive-e20", "sifive-e21", "sifive-e24", "sifive-e31",
                          "sifive-e34", "sifive-e76", "syntacore-scr1-max", "syntacore-scr3-rv32"}) {
    INFO(cpu);
    size_t at = list.find(std::string("  ") + cpu + " ");
    REQUIRE(at != std::string::npos);
    std::string line = list.substr(at, list.find('\n', at) - at);
    std::string ours = line.substr(line.rfind(' ') + 1);
    std::string theirs = llvm::RISCV::getMArchFromMcpu(cpu).str();
    // The same extensions, whatever order and version numbers they are written with.
    auto resolved = [](const std::string &march) {
      TargetOptions options;
      options.march = march;
      return llvm::cantFail(resolveTarget(options)).arch;
    };
    CHECK(resolved(ours) == resolved(theirs));
    ++found;
  }
  CHECK(found == 9);
}

TEST_CASE("the host is the same on every machine") {
  TargetOptions options;
  options.target = "host";
  TargetInfo host = llvm::cantFail(resolveTarget(options));
  CHECK(host.isHost());
  CHECK(host.name == "host");
  CHECK(host.isa == InstructionSet::Host);
  CHECK(host.features.empty()); // the baseline, nothing of the machine at hand
  CHECK(host.pointerBits == 64);
  CHECK(host.hasFPU);
#if defined(__x86_64__)
  CHECK(host.cpu == "x86-64");
#endif
}

TEST_CASE("-mcpu=help lists every row") {
  std::string list;
  llvm::raw_string_ostream os(list);
  listCpus(os);
  for (const Row &row : armRows) {
    std::string name = *row.cpu ? row.cpu : row.arch;
    name = name.substr(0, name.find('+'));
    INFO(name);
    CHECK((list.find("  " + name + " ") != std::string::npos ||
           list.find("  " + name + "\n") != std::string::npos));
  }
  CHECK(list.find("--target=host") != std::string::npos);
}

TEST_CASE("docs/targets.md has the list that -mcpu=help prints") {
  std::string list;
  llvm::raw_string_ostream os(list);
  listCpus(os);
  auto document = llvm::MemoryBuffer::getFile(MFC_SOURCE_DIR "/docs/targets.md", /*IsText=*/true);
  REQUIRE(bool(document));
  CHECK((*document)->getBuffer().contains("```\n" + list + "```\n"));
}

TEST_CASE("the row text tells targets apart") {
  std::vector<std::string> seen;
  for (const char *abi : {"", "soft", "softfp"})
    for (const char *cpu : {"cortex-m4", "cortex-m7", "cortex-m55", "cortex-m85"}) {
      TargetOptions options;
      options.mcpu = cpu;
      options.mfloatAbi = abi;
      std::string row = targetRow(llvm::cantFail(resolveTarget(options)));
      for (const std::string &other : seen)
        CHECK(row != other);
      seen.push_back(row);
    }
}
