// The memories of a board, from a file (JSON, schema 1; docs/boards.md).
#ifndef MFC_LIB_DRIVER_BOARDFILE_H
#define MFC_LIB_DRIVER_BOARDFILE_H

#include "mfc/Memory/RegionPlanner.h"

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mfc {

struct BoardFile {
  std::string path;
  std::string simulatedOn; ///< name of a simulated board with these memories, empty: none
  std::vector<MemoryRegion> regions; ///< at least one
};

/// `board` is a path that ends in .json, or the name of a file in share/mfc/linker/boards. Strict: what is not understood is
/// an error of class Usage.
llvm::Expected<BoardFile> readBoardFile(const std::string &board);

} // namespace mfc
#endif
