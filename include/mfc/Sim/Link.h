// Links bare-metal firmware with lld, in this process: no linker needs to be installed.
//
// The image is a board's memory map (share/mfc/linker), the simulation harness and the soft-float
// helpers of its architecture (share/mfc/sim), the given objects and archives, and the linker fragments
// (X.ld) of the linked models. Nothing else: an object that needs a C library does not link.
#ifndef MFC_SIM_LINK_H
#define MFC_SIM_LINK_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mfc {

struct Board;
class InstallPaths;

struct LinkRequest {
  const Board *board = nullptr;
  std::vector<std::string> inputs;    ///< objects and archives, in this order; the order of red zones
  std::vector<std::string> fragments; ///< linker fragments (X.ld) of the models
  std::string output;                 ///< the ELF; `output`.ld is the complete linker script, for a look
  std::string abi;                    ///< RISC-V: "ilp32f", "ilp32d" or another; lld wants one float ABI
  bool trapUnaligned = false;         ///< unaligned accesses fault, as on cores with strict alignment
};

/// Diagnostics of the linker become the message of the error.
llvm::Error linkFirmware(const LinkRequest &request, const InstallPaths &paths);

} // namespace mfc
#endif
