// Conditions on predefined macros: ACLE (Arm C Language Extensions), RISC-V C API. "At least"
// conditions: a library for ARMv6-M is welcome in firmware for ARMv7-M.
//
// What the macros cannot say is not checked: gcc does not define __ARM_FEATURE_MVE (nor anything
// else that tells v8.1-M from v8-M) with -mfloat-abi=soft, yet integer MVE code is right there, so
// soft-float firmware passes.
#include "TargetGuards.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Names.h"

#include <vector>

using namespace mfc;

namespace {

struct Guard {
  std::string holds; ///< preprocessor condition that must be true
  std::string what;  ///< what the library needs
};

void armGuards(const TargetInfo &target, bool usesFloat, std::vector<Guard> &guards) {
  guards.push_back(
      {"defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'", "an Arm M-profile core"});
  auto atLeast = [&](int version, bool thumb2, const char *what) {
    std::string condition = "defined(__ARM_ARCH) && __ARM_ARCH >= " + std::to_string(version);
    if (thumb2)
      condition += " && defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB >= 2";
    guards.push_back({condition, what});
  };
  switch (target.architecture) {
  case Architecture::ArmV6M:
    atLeast(6, false, "ARMv6-M or later");
    break;
  case Architecture::ArmV7M:
  case Architecture::ArmV7EM:
    atLeast(7, true, "ARMv7-M or later with Thumb-2");
    break;
  case Architecture::ArmV8MBase:
    atLeast(8, false, "ARMv8-M or later");
    break;
  case Architecture::ArmV8MMain:
  case Architecture::ArmV81MMain:
    atLeast(8, true, "ARMv8-M Mainline or later");
    break;
  case Architecture::Host:
  case Architecture::RV32:
    break;
  }
  if (target.hasDSP)
    guards.push_back({"defined(__ARM_FEATURE_DSP)", "the DSP extension"});
  if (target.hasMVE)
    guards.push_back(
        {"defined(__SOFTFP__) || (defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1))",
         "MVE (Helium)"});
  else if (target.hasLowOverheadLoops)
    guards.push_back({"__ARM_ARCH >= 8", "low-overhead loops (ARMv8.1-M)"});
  if (usesFloat && target.hasMVEFloat)
    guards.push_back(
        {"defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)", "MVE with floating point"});
  if (usesFloat && target.hasFPU)
    guards.push_back({"defined(__ARM_FP) && (__ARM_FP & 4)", "a single-precision FPU"});
}

void riscvGuards(const TargetInfo &target, bool usesFloat, std::vector<Guard> &guards) {
  guards.push_back({"defined(__riscv) && __riscv_xlen == 32", "RV32"});
  guards.push_back({"defined(__riscv_mul)", "integer multiplication (M)"});
  if (target.hasCompressed)
    guards.push_back({"defined(__riscv_compressed)", "compressed instructions (C)"});
  if (target.hasBitManip)
    guards.push_back({"defined(__riscv_zbb)", "bit manipulation (Zbb)"});
  if (usesFloat && target.hasFPU)
    guards.push_back({"defined(__riscv_flen) && __riscv_flen >= 32", "a single-precision FPU (F)"});
}

void hostGuards(const TargetInfo &target, std::vector<Guard> &guards) {
  llvm::StringRef triple = target.triple;
  if (triple.starts_with("x86_64"))
    guards.push_back({"defined(__x86_64__)", "x86-64"});
  else if (triple.starts_with("aarch64"))
    guards.push_back({"defined(__aarch64__)", "AArch64"});
}

} // namespace

void mfc::writeTargetGuards(llvm::raw_ostream &os, const ModelInfo &info) {
  const TargetInfo &target = info.target;
  std::vector<Guard> guards;
  if (target.isHost())
    hostGuards(target, guards);
  else if (target.isRISCV())
    riscvGuards(target, info.usesFloat, guards);
  else
    armGuards(target, info.usesFloat, guards);

  const std::string prefix = macroPrefix(info.name);
  os << "/* The library's processor. " << prefix << "_NO_TARGET_CHECK switches the test off. */\n"
     << "#ifndef " << prefix << "_NO_TARGET_CHECK\n";
  for (const Guard &guard : guards)
    os << "#if !(" << guard.holds << ")\n"
       << "#error \"" << info.name << " was compiled for " << target.name << " and needs "
       << guard.what << ", check the options of this compiler\"\n#endif\n";
  os << "typedef char mfc_" << info.name
     << "_pointer_check[sizeof(void *) == " << target.pointerBits / 8 << " ? 1 : -1];\n#endif\n\n";
}

void mfc::writeAbiMacro(llvm::raw_ostream &os, const ModelInfo &info) {
  if (info.abiSuffix().empty())
    return;
  const std::string macro = macroPrefix(info.name) + "_ABI_";
  os << "/* The library computes in floating point and was compiled for one float ABI. The names "
        "of its\n"
     << " * functions end in that ABI, so that firmware of another one does not link. */\n";
  if (info.target.isRISCV())
    os << "#if defined(__riscv_float_abi_double)\n#define " << macro << "(name) name##_double\n"
       << "#elif defined(__riscv_float_abi_single)\n#define " << macro << "(name) name##_single\n";
  else
    os << "#if defined(__ARM_PCS_VFP)\n#define " << macro << "(name) name##_hard\n"
       << "#elif !defined(__SOFTFP__)\n#define " << macro << "(name) name##_softfp\n";
  os << "#else\n#define " << macro << "(name) name##_soft\n#endif\n\n";
}
