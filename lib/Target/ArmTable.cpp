// The Arm rows; see the header for what the columns mean.
#include "ArmTable.h"

using namespace mfc;
using namespace mfc::target;

static constexpr ArmFpu fpus[] = {
    {"none", 0, false, false},
    {"fpv4-sp-d16", 4, false, false},
    {"fpv5-sp-d16", 5, false, false},
    {"fpv5-d16", 5, true, false},
    {"fp-armv8-fullfp16-sp-d16", 5, false, true},
    {"fp-armv8-fullfp16-d16", 5, true, true},
};

using A = Architecture;
// Extensions: {dsp, fpu, mve, mveFloat, pacbti}.
static constexpr ArmExtensions nothing = {};
static constexpr ArmExtensions dspOnly = {true, NoFpu, false, false, false};

static constexpr ArmArch archs[] = {
    {"armv6-m", A::ArmV6M, "thumbv6m", "cortex-m0plus", "", nothing, NoFpu, NoFpu, false, false,
     false},
    {"armv7-m", A::ArmV7M, "thumbv7m", "cortex-m3", "", nothing, NoFpu, NoFpu, true, true, false},
    {"armv7e-m", A::ArmV7EM, "thumbv7em", "cortex-m4", "fp fp.dp nofp nofp.dp", dspOnly, V4Single,
     V5Double, true, true, false},
    {"armv8-m.base", A::ArmV8MBase, "thumbv8m.base", "cortex-m23", "", nothing, NoFpu, NoFpu,
     false, true, false},
    {"armv8-m.main", A::ArmV8MMain, "thumbv8m.main", "cortex-m33",
     "dsp fp fp.dp nodsp nofp nofp.dp", nothing, V5Single, V5Double, true, true, false},
    {"armv8.1-m.main", A::ArmV81MMain, "thumbv8.1m.main", "cortex-m55",
     "dsp mve mve.fp fp fp.dp pacbti nodsp nomve nomve.fp nofp nofp.dp nopacbti", nothing,
     HalfSingle, HalfDouble, true, true, true},
};

static constexpr ArmCpu cpus[] = {
    {"cortex-m0", A::ArmV6M, nothing},
    {"cortex-m0plus", A::ArmV6M, nothing},
    {"cortex-m1", A::ArmV6M, nothing},
    {"cortex-m3", A::ArmV7M, nothing},
    {"cortex-m4", A::ArmV7EM, {true, V4Single, false, false, false}},
    {"cortex-m7", A::ArmV7EM, {true, V5Double, false, false, false}},
    {"cortex-m23", A::ArmV8MBase, nothing},
    {"cortex-m33", A::ArmV8MMain, {true, V5Single, false, false, false}},
    {"cortex-m35p", A::ArmV8MMain, {true, V5Single, false, false, false}},
    {"cortex-m52", A::ArmV81MMain, {true, HalfDouble, true, true, true}},
    {"cortex-m55", A::ArmV81MMain, {true, HalfDouble, true, true, false}},
    {"cortex-m85", A::ArmV81MMain, {true, HalfDouble, true, true, true}},
};

const ArmFpu &target::fpuRow(ArmFpuKind kind) { return fpus[kind]; }
llvm::ArrayRef<ArmFpu> target::fpuRows() { return fpus; }
llvm::ArrayRef<ArmArch> target::archRows() { return archs; }
llvm::ArrayRef<ArmCpu> target::cpuRows() { return cpus; }

const ArmArch &target::archRow(Architecture architecture) {
  for (const ArmArch &row : archs)
    if (row.architecture == architecture)
      return row;
  llvm_unreachable("not an Arm architecture");
}

/// "armv7e-m", "armv7em", "thumbv7em" -> "v7em".
static std::string plainSpelling(llvm::StringRef text) {
  if (!text.consume_front("arm"))
    text.consume_front("thumb");
  std::string plain;
  for (char c : text)
    if (c != '-')
      plain += c;
  return plain;
}

const ArmArch *target::findArch(llvm::StringRef spelling) {
  if (!spelling.starts_with("arm") && !spelling.starts_with("thumb"))
    return nullptr;
  std::string plain = plainSpelling(spelling);
  for (const ArmArch &row : archs)
    if (plainSpelling(row.name) == plain)
      return &row;
  return nullptr;
}

const ArmCpu *target::findCpu(llvm::StringRef name) {
  for (const ArmCpu &row : cpus)
    if (name == row.name)
      return &row;
  return nullptr;
}
