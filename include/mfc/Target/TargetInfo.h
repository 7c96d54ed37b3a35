// From what the user asked for (-mcpu=, -march=, -mfpu=, -mfloat-abi=, -mabi=, --target=) to one fully
// resolved target: features, FPU, ABI, triple and the CPU model of LLVM's back end.
//
// The table is mfc's own. LLVM's and clang's rules differ from each other and from what a firmware
// engineer means: with clang, -mcpu=cortex-m55 without a float ABI is soft float and then drops MVE.
// The rules here:
//  - -mcpu=X has all features of the CPU; `+noX` modifiers take some away.
//  - -march=X has what it says. Without +fp (or +mve.fp) no FPU is used.
//  - MVE does not depend on the float ABI. +mve is integer MVE, +mve.fp needs the FPU and implies it.
//  - The default float ABI is hard where an FPU is used, else soft. -mfloat-abi=soft turns the FPU and
//    the float part of MVE off, as in clang and gcc, but leaves integer MVE on.
//  - -mcpu with -march: -march decides the features and must be something that the CPU can execute, of
//    the same architecture; -mcpu then is what the code is tuned for.
#ifndef MFC_TARGET_TARGETINFO_H
#define MFC_TARGET_TARGETINFO_H

#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace mfc {

/// Kernel flavour: which family of instruction sequences the lowering uses.
enum class InstructionSet {
  Host,      ///< portable, the build machine
  Thumb1,    ///< armv6-m, armv8-m.base: 8 low registers, no multiply-accumulate, no 32x32->64 multiply
  Thumb2,    ///< armv7-m, armv8-m.main without DSP
  Thumb2DSP, ///< armv7e-m, armv8-m.main+dsp: SMLAD, SXTB16, SMMULR, SSAT
  MVE,       ///< integer Helium, 128 bit
  MVEFloat,  ///< integer and float Helium
  RV32,      ///< rv32im and more
};

/// Base architecture; what `#error` guards and object checks are about.
enum class Architecture {
  Host,
  ArmV6M,
  ArmV7M,
  ArmV7EM,
  ArmV8MBase,
  ArmV8MMain,
  ArmV81MMain,
  RV32,
};

enum class FloatABI {
  Soft,   ///< no FPU, float arguments in core registers
  SoftFP, ///< FPU used, float arguments in core registers
  Hard,   ///< FPU used, float arguments in FPU registers
};

/// A fully resolved target. A plain value: every field is decided, nothing is looked up later.
struct TargetInfo {
  std::string name;     ///< what the user asked for: "cortex-m55", "rv32imc", "host"
  std::string arch;     ///< canonical -march string: "armv8.1-m.main+mve.fp+fp.dp", "rv32imc"
  std::string cpu;      ///< LLVM's CPU name for code generation: "cortex-m4", "generic-rv32"
  std::string tuneCpu;  ///< the core whose timing counts; key of the cost tables
  std::string triple;   ///< LLVM triple
  std::string features; ///< LLVM feature string
  std::string abiName;  ///< RISC-V: "ilp32", "ilp32f", ...; else empty

  Architecture architecture = Architecture::Host;
  InstructionSet isa = InstructionSet::Host;
  FloatABI floatABI = FloatABI::Soft;

  bool hasFPU = false;          ///< single-precision scalar arithmetic in hardware
  bool hasDoubleFPU = false;    ///< double precision too
  bool hasHalfFPU = false;      ///< half-precision arithmetic
  bool hasDSP = false;          ///< Arm DSP extension
  bool hasMVE = false;          ///< integer MVE
  bool hasMVEFloat = false;     ///< float MVE
  bool hasMulHigh = false;      ///< 32x32->64 multiply (UMULL, MULHU); else emit it from 16-bit halves
  bool hasDivide = false;       ///< integer division; else it would be a library call
  bool hasCompressed = false;   ///< RISC-V C (or Zca)
  bool hasBitManip = false;     ///< RISC-V Zbb: min, max, sext.b, sext.h
  bool hasLowOverheadLoops = false; ///< DLS/LE
  bool strictAlign = false;     ///< unaligned scalar accesses fault; LLVM splits what it does not know aligned
  unsigned pointerBits = 32;
  unsigned vectorBytes = 0;     ///< width of a vector register, 0 without
  unsigned arenaAlign = 8;      ///< alignment of the arena and of tensors in it, bytes

  bool isHost() const { return architecture == Architecture::Host; }
  bool isRISCV() const { return architecture == Architecture::RV32; }
  bool isArm() const { return !isHost() && !isRISCV(); }
};

/// The options as they were given; empty means not given.
struct TargetOptions {
  std::string march, mcpu, mtune, mfpu, mfloatAbi, mabi, target;
  bool noUnalignedAccess = false; ///< -mno-unaligned-access
};

/// Resolves the options. The errors are of class Usage, name what was found and list or suggest what is
/// accepted.
llvm::Expected<TargetInfo> resolveTarget(const TargetOptions &options);

/// -mcpu=help: every CPU with its architecture string, then every architecture with its modifiers.
void listCpus(llvm::raw_ostream &os);

/// One line for -### and the cache key of measured costs: every field that can change the code.
std::string targetRow(const TargetInfo &target);

llvm::StringRef spelling(InstructionSet isa);
llvm::StringRef spelling(Architecture architecture);
llvm::StringRef spelling(FloatABI abi);

} // namespace mfc
#endif
