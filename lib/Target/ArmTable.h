// The rows for Arm M-profile CPUs, architectures and FPUs. Data and small questions about it.
//
// Sources: the Technical Reference Manuals of the cores for what a full configuration has, the Armv6-M,
// Armv7-M and Armv8-M Architecture Reference Manuals for what each architecture allows.
#ifndef MFC_LIB_TARGET_ARMTABLE_H
#define MFC_LIB_TARGET_ARMTABLE_H

#include "mfc/Target/TargetInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mfc::target {

/// Scalar floating-point unit, by its -mfpu= name in clang and gcc.
struct ArmFpu {
  const char *name;
  unsigned version; ///< of the VFP architecture: 0 none, 4 (M4), 5 (M7 and later)
  bool doublePrecision;
  bool half; ///< half-precision arithmetic, needed by float MVE

  bool present() const { return version != 0; }
  /// True if everything this unit executes, the other one does too.
  bool within(const ArmFpu &other) const {
    return version <= other.version && doublePrecision <= other.doublePrecision &&
           half <= other.half;
  }
};

enum ArmFpuKind { NoFpu, V4Single, V5Single, V5Double, HalfSingle, HalfDouble };
const ArmFpu &fpuRow(ArmFpuKind kind);
llvm::ArrayRef<ArmFpu> fpuRows();

/// What can be switched on and off on top of an architecture.
struct ArmExtensions {
  bool dsp = false;
  ArmFpuKind fpu = NoFpu;
  bool mve = false;
  bool mveFloat = false;
  bool pacbti = false;

  /// True if code for these runs on a CPU that has the others.
  bool within(const ArmExtensions &other) const {
    return dsp <= other.dsp && fpuRow(fpu).within(fpuRow(other.fpu)) && mve <= other.mve &&
           mveFloat <= other.mveFloat && pacbti <= other.pacbti;
  }
};

struct ArmArch {
  const char *name;       ///< canonical -march= spelling
  Architecture architecture;
  const char *tripleArch; ///< first part of LLVM's triple
  const char *defaultCpu; ///< what plain -march= is scheduled for
  const char *modifiers;  ///< accepted after '+', blank separated
  ArmExtensions base;     ///< always there
  ArmFpuKind single;      ///< what +fp means; NoFpu: there is none
  ArmFpuKind dual;        ///< what +fp.dp means
  bool thumb2, divide, loops;
};

struct ArmCpu {
  const char *name; ///< also LLVM's name
  Architecture architecture;
  ArmExtensions full; ///< everything the core can be configured with
};

llvm::ArrayRef<ArmArch> archRows();
llvm::ArrayRef<ArmCpu> cpuRows();
const ArmArch &archRow(Architecture architecture);
const ArmArch *findArch(llvm::StringRef spelling); ///< "armv7e-m", "armv7em", "thumbv7em"
const ArmCpu *findCpu(llvm::StringRef name);

} // namespace mfc::target
#endif
