// Resolves -mcpu, -march, -mtune, -mfpu and -mfloat-abi for Arm M-profile CPUs by the rows of ArmTable.
#include "ArmTable.h"
#include "Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mfc;
using namespace mfc::target;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// "cortex-m55+nomve" -> the name and its modifiers in order.
struct Spec {
  StringRef text, name;
  llvm::SmallVector<StringRef> modifiers;

  explicit Spec(StringRef text) : text(text) {
    llvm::SmallVector<StringRef> parts;
    text.split(parts, '+');
    name = parts.front();
    modifiers.append(parts.begin() + 1, parts.end());
  }
};

/// What is decided so far.
struct Choice {
  const ArmArch *arch = nullptr;
  ArmExtensions extensions;
};

} // namespace

/// The unit with half-precision arithmetic dropped or double precision dropped.
static ArmFpuKind withoutDouble(ArmFpuKind fpu) {
  switch (fpu) {
  case V5Double:
    return V5Single;
  case HalfDouble:
    return HalfSingle;
  case NoFpu:
  case V4Single:
  case V5Single:
  case HalfSingle:
    return fpu;
  }
  llvm_unreachable("unknown FPU");
}

/// The larger of two units of one architecture.
static ArmFpuKind larger(ArmFpuKind a, ArmFpuKind b) {
  return fpuRow(a).within(fpuRow(b)) ? b : a;
}

static void dropMveFloat(ArmExtensions &e) { e.mveFloat = false; }

static void dropFpu(ArmExtensions &e) {
  e.fpu = NoFpu;
  dropMveFloat(e);
}

static void dropMve(ArmExtensions &e) {
  e.mve = false;
  dropMveFloat(e);
}

/// Applies one modifier that the architecture knows. MVE contains the DSP instructions, its float part
/// needs a half-precision FPU; taking the base away takes what stands on it away too (as in gcc).
static void applyModifier(StringRef modifier, const ArmArch &arch, ArmExtensions &e) {
  if (modifier == "dsp")
    e.dsp = true;
  else if (modifier == "fp")
    e.fpu = larger(e.fpu, arch.single);
  else if (modifier == "fp.dp")
    e.fpu = larger(e.fpu, arch.dual);
  else if (modifier == "mve")
    e.dsp = e.mve = true;
  else if (modifier == "mve.fp") {
    e.dsp = e.mve = e.mveFloat = true;
    e.fpu = larger(e.fpu, arch.single);
  } else if (modifier == "pacbti")
    e.pacbti = true;
  else if (modifier == "nodsp") {
    e.dsp = false;
    dropMve(e);
  } else if (modifier == "nofp")
    dropFpu(e);
  else if (modifier == "nofp.dp")
    e.fpu = withoutDouble(e.fpu);
  else if (modifier == "nomve")
    dropMve(e);
  else if (modifier == "nomve.fp")
    dropMveFloat(e);
  else if (modifier == "nopacbti")
    e.pacbti = false;
  else
    llvm_unreachable("modifier in the table without a meaning");
}

static llvm::Error applyModifiers(const Spec &spec, StringRef option, const ArmArch &arch,
                                  ArmExtensions &extensions) {
  llvm::SmallVector<StringRef> accepted;
  StringRef(arch.modifiers).split(accepted, ' ', -1, false);
  for (StringRef modifier : spec.modifiers) {
    if (!llvm::is_contained(accepted, modifier)) {
      if (accepted.empty())
        return usage("'" + spec.name + "' takes no modifiers, found '+" + modifier + "' in " +
                     option + spec.text);
      return unknownName("modifier", modifier, (option + spec.name).str(), accepted);
    }
    applyModifier(modifier, arch, extensions);
  }
  return llvm::Error::success();
}

static llvm::Expected<Choice> chooseByCpu(const Spec &spec) {
  const ArmCpu *cpu = findCpu(spec.name);
  if (!cpu)
    return unknownName("CPU", spec.name, "-mcpu=", armCpuNames());
  Choice choice{&archRow(cpu->architecture), cpu->full};
  if (llvm::Error error = applyModifiers(spec, "-mcpu=", *choice.arch, choice.extensions))
    return error;
  if (!choice.extensions.within(cpu->full))
    return usage("'" + spec.name + "' does not have everything that -mcpu=" + spec.text +
                 " asks for; leave the '+' modifiers away to use all that it has");
  return choice;
}

static llvm::Expected<Choice> chooseByArch(const Spec &spec) {
  const ArmArch *arch = findArch(spec.name);
  if (!arch)
    return unknownName("architecture", spec.name, "-march=", armArchNames());
  Choice choice{arch, arch->base};
  if (llvm::Error error = applyModifiers(spec, "-march=", *arch, choice.extensions))
    return error;
  return choice;
}

/// -march beside -mcpu: the same architecture, and nothing that the CPU lacks.
static llvm::Error checkFits(const Choice &byArch, const Choice &byCpu,
                             const TargetOptions &options) {
  if (byArch.arch != byCpu.arch)
    return usage(Twine("-march=") + options.march + " does not fit -mcpu=" + options.mcpu +
                 ", which is " + byCpu.arch->name + "; give one of the two");
  if (!byArch.extensions.within(byCpu.extensions))
    return usage(Twine("-march=") + options.march + " asks for more than -mcpu=" + options.mcpu +
                 " has; give one of the two");
  return llvm::Error::success();
}

/// -mfpu=: replaces the scalar unit. `limit` is what the CPU (or the architecture) can have.
static llvm::Error applyFpu(StringRef name, StringRef owner, ArmFpuKind limit, ArmExtensions &e) {
  if (name.empty() || name == "auto")
    return llvm::Error::success();
  llvm::SmallVector<StringRef> accepted;
  for (const ArmFpu &row : fpuRows())
    if (row.within(fpuRow(limit)))
      accepted.push_back(row.name);
  for (const ArmFpu &row : fpuRows()) {
    if (name != row.name)
      continue;
    if (!llvm::is_contained(accepted, name))
      return usage("-mfpu=" + name + " does not fit '" + owner + "'; accepted: auto, " +
                   llvm::join(accepted, ", "));
    if (row.present() && e.mveFloat && !row.half)
      return usage("-mfpu=" + name + " has no half precision, which the float part of MVE in '" +
                   owner + "' needs; add +nomve.fp or use " +
                   fpuRow(HalfSingle).name);
    e.fpu = static_cast<ArmFpuKind>(&row - fpuRows().data());
    if (!row.present())
      dropFpu(e);
    return llvm::Error::success();
  }
  accepted.insert(accepted.begin(), "auto");
  return unknownName("FPU", name, "-mfpu=", accepted);
}

static llvm::Expected<FloatABI> applyFloatAbi(StringRef name, StringRef owner, ArmExtensions &e) {
  bool fpu = e.fpu != NoFpu;
  if (name.empty())
    return fpu ? FloatABI::Hard : FloatABI::Soft;
  if (name == "soft") {
    dropFpu(e);
    return FloatABI::Soft;
  }
  if (name == "softfp")
    return fpu ? FloatABI::SoftFP : FloatABI::Soft;
  if (name != "hard")
    return unknownName("float ABI", name, "-mfloat-abi=", {"soft", "softfp", "hard"});
  if (fpu)
    return FloatABI::Hard;
  return usage("-mfloat-abi=hard needs an FPU, and '" + owner +
               "' has none; add +fp or +mve.fp where the core has one, or use -mfloat-abi=soft "
               "(integer models link with every float ABI)");
}

/// The core whose pipeline LLVM schedules for. LLVM takes the instructions from the core, too, so only one
/// of the same architecture will do; another one just chooses our cost table.
static StringRef schedulingCpu(const ArmCpu &tune, const ArmArch &arch) {
  return tune.architecture == arch.architecture ? tune.name : arch.defaultCpu;
}

/// Everything off first, then what is on: a '-' takes away all that builds on the feature.
static std::string featureString(const ArmExtensions &e, bool noUnaligned) {
  std::string text = "-fpregs,-dsp,-pacbti";
  auto add = [&](const char *feature) { text += std::string(",+") + feature; };
  if (e.dsp)
    add("dsp");
  const ArmFpu &fpu = fpuRow(e.fpu);
  if (fpu.version == 4)
    add("vfp4d16sp");
  if (fpu.version == 5)
    add(fpu.doublePrecision ? "fp-armv8d16" : "fp-armv8d16sp");
  if (fpu.half)
    add("fullfp16");
  if (e.mve)
    add(e.mveFloat ? "mve.fp" : "mve");
  if (e.pacbti)
    add("pacbti");
  if (noUnaligned)
    add("strict-align");
  return text;
}

static std::string canonicalArch(const ArmArch &arch, const ArmExtensions &e) {
  std::string text = arch.name;
  if (e.mve)
    text += e.mveFloat ? "+mve.fp" : "+mve";
  else if (e.dsp && !arch.base.dsp)
    text += "+dsp";
  if (fpuRow(e.fpu).doublePrecision)
    text += "+fp.dp";
  else if (e.fpu != NoFpu && !e.mveFloat)
    text += "+fp";
  if (e.pacbti)
    text += "+pacbti";
  return text;
}

static InstructionSet flavour(const ArmArch &arch, const ArmExtensions &e) {
  if (e.mveFloat)
    return InstructionSet::MVEFloat;
  if (e.mve)
    return InstructionSet::MVE;
  if (!arch.thumb2)
    return InstructionSet::Thumb1;
  return e.dsp ? InstructionSet::Thumb2DSP : InstructionSet::Thumb2;
}

static void fillFlags(TargetInfo &t, const ArmArch &arch, const ArmExtensions &e,
                      bool noUnaligned) {
  const ArmFpu &fpu = fpuRow(e.fpu);
  t.architecture = arch.architecture;
  t.isa = flavour(arch, e);
  t.hasFPU = fpu.present();
  t.hasDoubleFPU = fpu.doublePrecision;
  t.hasHalfFPU = fpu.half;
  t.hasDSP = e.dsp;
  t.hasMVE = e.mve;
  t.hasMVEFloat = e.mveFloat;
  t.hasMulHigh = arch.thumb2;
  t.hasDivide = arch.divide;
  t.hasLowOverheadLoops = arch.loops;
  t.strictAlign = noUnaligned || !arch.thumb2;
  t.pointerBits = 32;
  t.vectorBytes = e.mve ? 16 : 0;
  t.arenaAlign = e.mve ? 16 : 8;
}

bool target::isArmCpu(StringRef mcpu) { return findCpu(mcpu.split('+').first) != nullptr; }

bool target::isArmArch(StringRef march) {
  return march.starts_with("arm") || march.starts_with("thumb");
}

llvm::SmallVector<StringRef> target::armCpuNames() {
  llvm::SmallVector<StringRef> names;
  for (const ArmCpu &row : cpuRows())
    names.push_back(row.name);
  return names;
}

llvm::SmallVector<StringRef> target::armArchNames() {
  llvm::SmallVector<StringRef> names;
  for (const ArmArch &row : archRows())
    names.push_back(row.name);
  return names;
}

/// What -mcpu, -march or both choose, and the largest FPU that -mfpu= may name.
static llvm::Expected<Choice> choose(const TargetOptions &options, ArmFpuKind &fpuLimit) {
  if (options.mcpu.empty()) {
    llvm::Expected<Choice> byArch = chooseByArch(Spec(options.march));
    if (byArch)
      fpuLimit = byArch->arch->dual;
    return byArch;
  }
  llvm::Expected<Choice> byCpu = chooseByCpu(Spec(options.mcpu));
  if (!byCpu)
    return byCpu;
  fpuLimit = findCpu(Spec(options.mcpu).name)->full.fpu;
  if (options.march.empty())
    return byCpu;
  llvm::Expected<Choice> byArch = chooseByArch(Spec(options.march));
  if (!byArch)
    return byArch;
  if (llvm::Error error = checkFits(*byArch, *byCpu, options))
    return error;
  return byArch;
}

static llvm::Expected<const ArmCpu *> chooseTune(const TargetOptions &options,
                                                 const ArmArch &arch) {
  StringRef name = arch.defaultCpu;
  if (!options.mtune.empty())
    name = options.mtune;
  else if (!options.mcpu.empty())
    name = Spec(options.mcpu).name;
  if (const ArmCpu *cpu = findCpu(name))
    return cpu;
  return unknownName("CPU", name, "-mtune=", armCpuNames());
}

llvm::Expected<TargetInfo> target::resolveArm(const TargetOptions &options) {
  if (!options.mabi.empty() && options.mabi != "aapcs")
    return unknownName("ABI", options.mabi, "-mabi=", {"aapcs"});
  ArmFpuKind fpuLimit = NoFpu;
  llvm::Expected<Choice> choice = choose(options, fpuLimit);
  if (!choice)
    return choice.takeError();
  ArmExtensions &e = choice->extensions;

  TargetInfo t;
  t.name = options.march.empty() ? options.mcpu : options.march;
  if (llvm::Error error = applyFpu(options.mfpu, t.name, fpuLimit, e))
    return error;
  llvm::Expected<FloatABI> abi = applyFloatAbi(options.mfloatAbi, t.name, e);
  if (!abi)
    return abi.takeError();
  llvm::Expected<const ArmCpu *> tune = chooseTune(options, *choice->arch);
  if (!tune)
    return tune.takeError();

  fillFlags(t, *choice->arch, e, options.noUnalignedAccess);
  t.floatABI = *abi;
  t.arch = canonicalArch(*choice->arch, e);
  t.tuneCpu = (*tune)->name;
  t.cpu = schedulingCpu(**tune, *choice->arch).str();
  // All four parts: in "thumbv6m-none-eabi" LLVM would take eabi for an operating system.
  t.triple = std::string(choice->arch->tripleArch) + "-none-unknown-" +
             (*abi == FloatABI::Hard ? "eabihf" : "eabi");
  t.features = featureString(e, options.noUnalignedAccess);
  return t;
}

void target::listArm(llvm::raw_ostream &os) {
  os << "Arm CPUs (-mcpu=, with +no... modifiers of their architecture):\n";
  for (const ArmCpu &row : cpuRows())
    os << "  " << llvm::left_justify(row.name, 18)
       << canonicalArch(archRow(row.architecture), row.full) << "\n";
  os << "Arm architectures (-march=) and their modifiers:\n";
  for (const ArmArch &row : archRows()) {
    std::string modifiers = row.modifiers; // blank separated: "fp nofp" is printed "+fp +nofp"
    for (size_t at = modifiers.empty() ? StringRef::npos : 0; at != StringRef::npos;
         at = modifiers.find(' ', at + 1))
      modifiers.insert(at == 0 ? 0 : at + 1, "+");
    if (modifiers.empty())
      os << "  " << row.name << "\n";
    else
      os << "  " << llvm::left_justify(row.name, 18) << modifiers << "\n";
  }
}
