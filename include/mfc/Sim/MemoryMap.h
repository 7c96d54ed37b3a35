// The memories of a simulated board, as its linker script declares them (share/mfc/linker).
#ifndef MFC_SIM_MEMORYMAP_H
#define MFC_SIM_MEMORYMAP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mfc {

struct Board;
class InstallPaths;

struct MemoryRange {
  std::string name; ///< "SSRAM1"
  uint64_t first = 0, bytes = 0;
};

/// The MEMORY command of a script. Understands what the board scripts use: ORIGIN and LENGTH as
/// numbers, with K or M.
llvm::Expected<std::vector<MemoryRange>> parseMemoryCommand(llvm::StringRef script);

llvm::Expected<std::vector<MemoryRange>> memoriesOf(const Board &board, const InstallPaths &paths);

} // namespace mfc
#endif
