// Entry of target resolution: which family the options are about, errors common to all, and the text forms.
#include "mfc/Target/TargetInfo.h"

#include "Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mfc;
using namespace mfc::target;
using llvm::StringRef;

llvm::Error target::usage(const llvm::Twine &message) {
  return makeError(ErrorClass::Usage, message);
}

/// The accepted name that was probably meant: one that ends in what was given ("m4" for "cortex-m4"), else
/// the nearest by edit distance, if it is near.
static StringRef nearest(StringRef given, llvm::ArrayRef<StringRef> accepted) {
  for (StringRef name : accepted)
    if (given.size() >= 2 && (name.ends_with("-" + given.lower()) || name == given.lower()))
      return name;
  StringRef best;
  unsigned bestDistance = given.size() <= 4 ? 2 : 4; // smaller than this counts as near
  for (StringRef name : accepted) {
    unsigned distance = given.edit_distance(name, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = name;
    }
  }
  return best;
}

llvm::Error target::unknownName(StringRef what, StringRef given, StringRef option,
                                llvm::ArrayRef<StringRef> accepted) {
  std::string text = ("unknown " + what + " '" + given + "' in " + option).str();
  if (StringRef name = nearest(given, accepted); !name.empty())
    text += "; did you mean '" + name.str() + "'?";
  return usage(text + "; accepted: " + llvm::join(accepted, ", "));
}

llvm::Expected<TargetInfo> target::resolveHost(const TargetOptions &options) {
  auto refuse = [](const char *option) {
    return usage(llvm::Twine(option) + " does not go with --target=host, which has one fixed form");
  };
  if (!options.march.empty())
    return refuse("-march=");
  if (!options.mcpu.empty())
    return refuse("-mcpu=");
  if (!options.mtune.empty())
    return refuse("-mtune=");
  if (!options.mfpu.empty())
    return refuse("-mfpu=");
  if (!options.mfloatAbi.empty())
    return refuse("-mfloat-abi=");
  if (!options.mabi.empty())
    return refuse("-mabi=");
  llvm::Triple process(llvm::sys::getProcessTriple());
  TargetInfo t;
  t.name = "host";
  // A fixed baseline, not the features of the machine at hand: the output must not depend on it.
  if (process.getArch() == llvm::Triple::x86_64) {
    t.arch = t.cpu = t.tuneCpu = "x86-64";
    t.triple = "x86_64-unknown-linux-gnu";
  } else if (process.getArch() == llvm::Triple::aarch64) {
    t.arch = "armv8-a";
    t.cpu = t.tuneCpu = "generic";
    t.triple = "aarch64-unknown-linux-gnu";
  } else {
    return makeError(ErrorClass::Unsupported, "--target=host knows x86-64 and AArch64 machines, found " +
                                                  process.getArchName());
  }
  t.isa = InstructionSet::Host;
  t.architecture = Architecture::Host;
  t.floatABI = FloatABI::Hard;
  t.hasFPU = t.hasDoubleFPU = true;
  t.hasMulHigh = t.hasDivide = true;
  t.pointerBits = 64;
  t.vectorBytes = 0; // kernels for the host are the portable scalar ones
  t.arenaAlign = 16;
  return t;
}

static llvm::Error unknownCpu(StringRef given) {
  llvm::SmallVector<StringRef> accepted = armCpuNames();
  llvm::append_range(accepted, riscvCpuNames());
  return unknownName("CPU", given.split('+').first, "-mcpu=", accepted);
}

static llvm::Error unknownArch(StringRef given) {
  llvm::SmallVector<StringRef> accepted = armArchNames();
  llvm::append_range(accepted, llvm::ArrayRef<StringRef>{"rv32imc", "rv32im", "rv32imac", "rv32imafc"});
  return unknownName("architecture", given.split('+').first, "-march=", accepted);
}

llvm::Expected<TargetInfo> mfc::resolveTarget(const TargetOptions &options) {
  if (options.target == "host")
    return resolveHost(options);
  if (!options.target.empty())
    return usage("unknown target '" + options.target +
                 "' in --target=; accepted: host. For a microcontroller give -mcpu= or -march=");
  if (options.mcpu.empty() && options.march.empty())
    return usage("no target given; say which core with -mcpu= (for example cortex-m55), or -march= "
                 "(for example armv7e-m or rv32imc); -mcpu=help lists them");

  bool armCpu = isArmCpu(options.mcpu), riscvCpu = isRiscvCpu(options.mcpu);
  bool armArch = isArmArch(options.march), riscvArch = isRiscvArch(options.march);
  if (!options.mcpu.empty() && !armCpu && !riscvCpu)
    return unknownCpu(options.mcpu);
  if (!options.march.empty() && !armArch && !riscvArch)
    return unknownArch(options.march);
  if ((armCpu && riscvArch) || (riscvCpu && armArch))
    return usage("-march=" + options.march + " does not fit -mcpu=" + options.mcpu +
                 "; give one of the two");
  return armCpu || armArch ? resolveArm(options) : resolveRiscv(options);
}

void mfc::listCpus(llvm::raw_ostream &os) {
  listArm(os);
  listRiscv(os);
  os << "The build machine: --target=host\n";
}

StringRef mfc::spelling(InstructionSet isa) {
  switch (isa) {
  case InstructionSet::Host:
    return "host";
  case InstructionSet::Thumb1:
    return "thumb1";
  case InstructionSet::Thumb2:
    return "thumb2";
  case InstructionSet::Thumb2DSP:
    return "thumb2-dsp";
  case InstructionSet::MVE:
    return "mve";
  case InstructionSet::MVEFloat:
    return "mve-float";
  case InstructionSet::RV32:
    return "rv32";
  }
  llvm_unreachable("unknown instruction set");
}

StringRef mfc::spelling(Architecture architecture) {
  switch (architecture) {
  case Architecture::Host:
    return "host";
  case Architecture::ArmV6M:
    return "armv6-m";
  case Architecture::ArmV7M:
    return "armv7-m";
  case Architecture::ArmV7EM:
    return "armv7e-m";
  case Architecture::ArmV8MBase:
    return "armv8-m.base";
  case Architecture::ArmV8MMain:
    return "armv8-m.main";
  case Architecture::ArmV81MMain:
    return "armv8.1-m.main";
  case Architecture::RV32:
    return "rv32";
  }
  llvm_unreachable("unknown architecture");
}

StringRef mfc::spelling(FloatABI abi) {
  switch (abi) {
  case FloatABI::Soft:
    return "soft";
  case FloatABI::SoftFP:
    return "softfp";
  case FloatABI::Hard:
    return "hard";
  }
  llvm_unreachable("unknown float ABI");
}

std::string mfc::targetRow(const TargetInfo &t) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "arch=" << t.arch << " cpu=" << t.cpu << " tune=" << t.tuneCpu << " triple=" << t.triple
     << " isa=" << spelling(t.isa) << " float-abi=" << spelling(t.floatABI);
  if (!t.abiName.empty())
    os << " abi=" << t.abiName;
  os << " arena-align=" << t.arenaAlign << " strict-align=" << (t.strictAlign ? 1 : 0)
     << " features=" << t.features;
  return text;
}
