// Parts of target resolution, one per architecture family; TargetInfo.cpp joins them.
#ifndef MFC_LIB_TARGET_RESOLVE_H
#define MFC_LIB_TARGET_RESOLVE_H

#include "mfc/Support/ClassifiedError.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace mfc::target {

/// "unknown <what> '<given>' in <option>; did you mean '<nearest>'?; accepted: a, b, c".
llvm::Error unknownName(llvm::StringRef what, llvm::StringRef given, llvm::StringRef option,
                        llvm::ArrayRef<llvm::StringRef> accepted);

llvm::Error usage(const llvm::Twine &message);

// Arm M profile.
bool isArmCpu(llvm::StringRef mcpu);   ///< with or without modifiers
bool isArmArch(llvm::StringRef march); ///< looks like an Arm architecture string
llvm::SmallVector<llvm::StringRef> armCpuNames();
llvm::SmallVector<llvm::StringRef> armArchNames();
llvm::Expected<TargetInfo> resolveArm(const TargetOptions &options);
void listArm(llvm::raw_ostream &os);

// RISC-V, 32 bit.
bool isRiscvCpu(llvm::StringRef mcpu);
bool isRiscvArch(llvm::StringRef march);
llvm::SmallVector<llvm::StringRef> riscvCpuNames();
llvm::Expected<TargetInfo> resolveRiscv(const TargetOptions &options);
void listRiscv(llvm::raw_ostream &os);

// The build machine.
llvm::Expected<TargetInfo> resolveHost(const TargetOptions &options);

} // namespace mfc::target
#endif
