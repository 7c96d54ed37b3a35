// The table. Machines and what their cores have: QEMU 7.2, checked by running (docs of each
// script).
//
// QEMU 7.2 has no Cortex-M0+ and no Cortex-M85: Armv6-M images run on the M3 with trapping
// unaligned accesses, images for the M85 on the M55. The M7 is the only Armv7E-M core with a
// double-precision FPU.
#include "mfc/Sim/Board.h"

#include "mfc/Target/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mfc;

static constexpr Board boards[] = {
    {"mps2-an385", "qemu-system-arm", "mps2-an385", "", "", "mps2-an385.ld", "thumbv6m",
     "cortex-m0 cortex-m0plus cortex-m1 sc000 cortex-m3 sc300"},
    {"mps2-an386", "qemu-system-arm", "mps2-an386", "", "", "mps2-an386.ld", "thumbv6m",
     "cortex-m4"},
    {"mps2-an500", "qemu-system-arm", "mps2-an500", "", "", "mps2-an500.ld", "thumbv6m",
     "cortex-m7"},
    {"mps2-an505", "qemu-system-arm", "mps2-an505", "", "", "mps2-an505.ld", "thumbv6m",
     "cortex-m23 cortex-m33 cortex-m35p"},
    {"mps3-an547", "qemu-system-arm", "mps3-an547", "", "", "mps3-an547.ld", "thumbv6m",
     "cortex-m52 cortex-m55 cortex-m85"},
    {"microbit", "qemu-system-arm", "microbit", "", "", "microbit.ld", "thumbv6m", ""},
    // Exactly RV32IMC: an atomic or float instruction traps.
    {"riscv32-virt", "qemu-system-riscv32", "virt", "rv32,a=off,f=off,d=off", "-bios none",
     "riscv32-virt.ld", "rv32imc", "generic-rv32"},
    // Everything that QEMU has of what mfc can be asked to use.
    {"riscv32-virt-full", "qemu-system-riscv32", "virt", "rv32,zba=on,zbb=on,zbc=on,zbs=on",
     "-bios none", "riscv32-virt.ld", "rv32imc", ""},
};

llvm::ArrayRef<Board> mfc::allBoards() { return boards; }

const Board *mfc::findBoard(llvm::StringRef name) {
  for (const Board &board : boards)
    if (name == board.name)
      return &board;
  return nullptr;
}

const Board *mfc::boardForCore(llvm::StringRef core) {
  for (const Board &board : boards) {
    llvm::SmallVector<llvm::StringRef, 8> cores;
    llvm::StringRef(board.cores).split(cores, ' ', -1, /*KeepEmpty=*/false);
    if (llvm::is_contained(cores, core))
      return &board;
  }
  return nullptr;
}

/// Whether an architecture string has nothing but these letters and extensions.
static bool isWithin(llvm::StringRef arch, llvm::StringRef letters, llvm::ArrayRef<llvm::StringRef> extensions) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  arch.split(parts, '_');
  llvm::StringRef found = parts.front();
  if (!found.consume_front("rv32") || found.find_first_not_of(letters) != llvm::StringRef::npos)
    return false;
  return llvm::all_of(llvm::ArrayRef(parts).drop_front(),
                      [&](llvm::StringRef extension) { return llvm::is_contained(extensions, extension); });
}

/// QEMU 7.2 has no RV32E and none of the code-size extensions (zcb, zcmp, zcmt).
static const Board *riscvBoard(llvm::StringRef arch) {
  if (isWithin(arch, "imc", {"zicsr", "zifencei", "zmmul", "zca"}))
    return findBoard("riscv32-virt");
  bool full = isWithin(arch, "imafdcb", {"zicsr", "zifencei", "zmmul", "zaamo", "zalrsc", "zca", "zcf", "zcd", "zba", "zbb",
                                         "zbc", "zbs", "zihintpause"});
  return full ? findBoard("riscv32-virt-full") : nullptr;
}

// Features first; the core that the code is tuned for only chooses among boards that can run it.
const Board *mfc::defaultBoard(const TargetInfo &target) {
  switch (target.architecture) {
  case Architecture::Host:
    return nullptr;
  case Architecture::ArmV6M:
  case Architecture::ArmV7M:
    return findBoard("mps2-an385");
  case Architecture::ArmV7EM:
    return findBoard(target.hasDoubleFPU || target.tuneCpu == "cortex-m7" ? "mps2-an500"
                                                                          : "mps2-an386");
  case Architecture::ArmV8MBase:
    return findBoard("mps2-an505");
  case Architecture::ArmV8MMain:
    return findBoard(target.hasDoubleFPU ? "mps3-an547" : "mps2-an505");
  case Architecture::ArmV81MMain:
    return findBoard("mps3-an547");
  case Architecture::RV32:
    return riscvBoard(target.arch);
  }
  return nullptr;
}
