// Resolves -mcpu, -march, -mtune and -mabi for 32-bit RISC-V. LLVM's parser takes the architecture string
// apart; which extensions mfc accepts and what they mean for the kernels is decided here.
#include "Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/RISCVISAInfo.h"

using namespace mfc;
using namespace mfc::target;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct RiscvCpu {
  const char *name; ///< also LLVM's name, for scheduling
  const char *march;
};

} // namespace

// Architecture strings: LLVM's processor definitions, checked against them by the unit test.
static constexpr RiscvCpu cpus[] = {
    {"rp2350-hazard3", "rv32imac_zicsr_zifencei_zba_zbb_zbkb_zbs_zcb_zcmp"},
    {"sifive-e20", "rv32imc_zicsr_zifencei"},
    {"sifive-e21", "rv32imac_zicsr_zifencei"},
    {"sifive-e24", "rv32imafc_zicsr_zifencei"},
    {"sifive-e31", "rv32imac_zicsr_zifencei"},
    {"sifive-e34", "rv32imafc_zicsr_zifencei"},
    {"sifive-e76", "rv32imafc_zicsr_zifencei"},
    {"syntacore-scr1-max", "rv32imc_zicsr_zifencei"},
    {"syntacore-scr3-rv32", "rv32imc_zicsr_zifencei"},
};

/// A single-issue in-order core with a scheduling model: what plain -march= is scheduled for.
static constexpr const char *defaultTune = "rocket-rv32";
static constexpr const char *codegenCpu = "generic-rv32"; // no features of its own

/// Extensions that the back end may use as it likes. Not here: vectors (no kernels for them), Zfinx
/// (another float ABI).
static constexpr StringRef acceptedExtensions[] = {
    "i",    "e",   "m",   "a",   "f",   "d",   "c",     "b",        "zicsr", "zifencei", "zmmul",
    "zba",  "zbb", "zbc", "zbs", "zca", "zcb", "zcd",   "zcf",      "zcmp",  "zbkb",     "zbkc",
    "zbkx", "zce", "zcmt", "zfh", "zfhmin", "zicond", "zihintpause", "zaamo", "zalrsc",
};

static const RiscvCpu *findCpu(StringRef name) {
  for (const RiscvCpu &row : cpus)
    if (name == row.name)
      return &row;
  return nullptr;
}

bool target::isRiscvCpu(StringRef mcpu) { return findCpu(mcpu) != nullptr; }
bool target::isRiscvArch(StringRef march) { return march.starts_with("rv"); }

llvm::SmallVector<StringRef> target::riscvCpuNames() {
  llvm::SmallVector<StringRef> names;
  for (const RiscvCpu &row : cpus)
    names.push_back(row.name);
  return names;
}

static llvm::Expected<std::unique_ptr<llvm::RISCVISAInfo>> parseArch(StringRef march) {
  auto info = llvm::RISCVISAInfo::parseArchString(march, /*EnableExperimentalExtension=*/false);
  if (!info)
    return usage("-march=" + march + ": " + llvm::toString(info.takeError()) +
                 "; expected rv32 with single-letter extensions and _z... ones, such as rv32imc or "
                 "rv32imac_zba_zbb_zbs");
  if ((*info)->getXLen() != 32)
    return usage("-march=" + march + " is a 64-bit architecture; mfc compiles for rv32");
  for (const auto &[extension, version] : (*info)->getExtensions())
    if (!llvm::is_contained(acceptedExtensions, extension))
      return usage("-march=" + march + ": extension '" + extension +
                   "' is not supported; accepted: " + llvm::join(llvm::ArrayRef(acceptedExtensions), ", "));
  if (!(*info)->hasExtension("m") && !(*info)->hasExtension("zmmul"))
    return usage("-march=" + march +
                 " has no multiplication, which every kernel needs; add the m extension, for "
                 "example rv32imc");
  return info;
}

/// The ABI name and whether the FPU takes part in it.
static llvm::Expected<std::string> chooseAbi(StringRef mabi, const llvm::RISCVISAInfo &isa,
                                             StringRef owner) {
  bool embedded = isa.hasExtension("e");
  bool single = isa.hasExtension("f"), dual = isa.hasExtension("d");
  if (mabi.empty())
    return embedded ? "ilp32e" : dual ? "ilp32d" : single ? "ilp32f" : "ilp32";
  if (!llvm::is_contained({"ilp32", "ilp32f", "ilp32d", "ilp32e"}, mabi))
    return unknownName("ABI", mabi, "-mabi=", {"ilp32", "ilp32f", "ilp32d", "ilp32e"});
  if ((mabi == "ilp32e") != embedded)
    return usage("-mabi=" + mabi + " does not fit '" + owner +
                 "': ilp32e goes with rv32e and nothing else does");
  if (mabi == "ilp32f" && !single)
    return usage("-mabi=ilp32f needs the f extension, which '" + owner +
                 "' lacks; use -mabi=ilp32 or add f");
  if (mabi == "ilp32d" && !dual)
    return usage("-mabi=ilp32d needs the d extension, which '" + owner +
                 "' lacks; use -mabi=" + (single ? "ilp32f" : "ilp32") + " or add d");
  return mabi.str();
}

static void fillFlags(TargetInfo &t, const llvm::RISCVISAInfo &isa) {
  t.architecture = Architecture::RV32;
  t.isa = InstructionSet::RV32;
  t.hasFPU = isa.hasExtension("f");
  t.hasDoubleFPU = isa.hasExtension("d");
  t.hasHalfFPU = isa.hasExtension("zfh");
  t.hasMulHigh = true;
  t.hasDivide = isa.hasExtension("m");
  t.hasCompressed = isa.hasExtension("c") || isa.hasExtension("zca");
  t.hasBitManip = isa.hasExtension("zbb");
  t.strictAlign = true; // small cores trap or emulate; LLVM assumes so too
  t.arenaAlign = 8;
}

static std::string featureString(const llvm::RISCVISAInfo &isa) {
  std::vector<std::string> features = isa.toFeatures(/*AddAllExtensions=*/false);
  return llvm::join(features, ",");
}

/// Without the versions and without what the letters imply: "rv32i2p1_m2p0_zmmul1p0_zbb1p0" is
/// "rv32im_zbb".
static std::string canonicalArch(const llvm::RISCVISAInfo &isa) {
  std::string text = "rv32";
  for (const auto &[extension, version] : isa.getExtensions())
    if (extension.size() == 1)
      text += extension;
  auto letters = llvm::RISCVISAInfo::parseArchString(text, false);
  if (!letters)
    llvm::consumeError(letters.takeError());
  for (const auto &[extension, version] : isa.getExtensions())
    if (extension.size() > 1 && !(letters && (*letters)->hasExtension(extension)))
      text += "_" + extension;
  return text;
}

static llvm::Expected<std::string> chooseTune(const TargetOptions &options) {
  StringRef name = options.mtune.empty() ? StringRef(options.mcpu) : StringRef(options.mtune);
  if (name.empty() || name == defaultTune)
    return std::string(defaultTune);
  if (findCpu(name))
    return name.str();
  llvm::SmallVector<StringRef> accepted = riscvCpuNames();
  accepted.push_back(defaultTune);
  return unknownName("CPU", name, "-mtune=", accepted);
}

/// -march beside -mcpu: every extension must be one of the CPU's.
static llvm::Error checkFits(const llvm::RISCVISAInfo &isa, const TargetOptions &options) {
  auto full = parseArch(findCpu(options.mcpu)->march);
  if (!full)
    return full.takeError();
  for (const auto &[extension, version] : isa.getExtensions())
    if (!(*full)->hasExtension(extension))
      return usage(Twine("-march=") + options.march + " asks for '" + extension + "', which -mcpu=" +
                   options.mcpu + " (" + findCpu(options.mcpu)->march +
                   ") does not have; give one of the two");
  return llvm::Error::success();
}

llvm::Expected<TargetInfo> target::resolveRiscv(const TargetOptions &options) {
  if (!options.mfpu.empty() || !options.mfloatAbi.empty())
    return usage("-mfpu= and -mfloat-abi= are for Arm; on RISC-V the f extension of -march= and "
                 "-mabi= say it");
  StringRef march = options.march;
  if (march.empty())
    march = findCpu(options.mcpu)->march;
  auto isa = parseArch(march);
  if (!isa)
    return isa.takeError();
  if (!options.mcpu.empty() && !options.march.empty())
    if (llvm::Error error = checkFits(**isa, options))
      return error;

  TargetInfo t;
  t.name = options.march.empty() ? options.mcpu : options.march;
  llvm::Expected<std::string> abi = chooseAbi(options.mabi, **isa, t.name);
  if (!abi)
    return abi.takeError();
  llvm::Expected<std::string> tune = chooseTune(options);
  if (!tune)
    return tune.takeError();

  fillFlags(t, **isa);
  t.abiName = *abi;
  bool inRegisters = *abi == "ilp32f" || *abi == "ilp32d";
  t.floatABI = inRegisters ? FloatABI::Hard : t.hasFPU ? FloatABI::SoftFP : FloatABI::Soft;
  t.arch = canonicalArch(**isa);
  t.cpu = codegenCpu;
  t.tuneCpu = *tune;
  t.triple = "riscv32-unknown-unknown-elf";
  t.features = featureString(**isa);
  return t;
}

void target::listRiscv(llvm::raw_ostream &os) {
  os << "RISC-V CPUs (-mcpu=):\n";
  for (const RiscvCpu &row : cpus)
    os << "  " << llvm::left_justify(row.name, 22) << row.march << "\n";
  os << "RISC-V architectures (-march=): rv32 with i or e, m, and any of:\n  "
     << llvm::join(llvm::ArrayRef(acceptedExtensions), " ") << "\n";
}
