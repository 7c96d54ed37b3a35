// The boards that QEMU simulates: data only. Memory maps are in linker/<script>.
#ifndef MFC_SIM_BOARD_H
#define MFC_SIM_BOARD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mfc {

struct TargetInfo;

struct Board {
  const char *name;         ///< "mps2-an385"; what --board= takes
  const char *emulator;     ///< program: "qemu-system-arm"
  const char *machine;      ///< -M
  const char *cpu;          ///< -cpu; empty: the machine's own core
  const char *arguments;    ///< more arguments, separated by blanks
  const char *linkerScript; ///< file in share/mfc/linker
  const char *firmware;     ///< architecture of the harness and soft-float archives: "thumbv6m"
  const char *cores;        ///< cores (-mcpu names) that run here by default, separated by blanks
};

llvm::ArrayRef<Board> allBoards();
const Board *findBoard(llvm::StringRef name);

/// The board whose list has the core, or null.
const Board *boardForCore(llvm::StringRef core);

/// The board that executes everything the target may emit; null for the host, and where QEMU has no such core.
const Board *defaultBoard(const TargetInfo &target);

} // namespace mfc
#endif
