// mfc --new-project: a firmware project for a simulated board, from the templates in share/mfc.
#ifndef MFC_LIB_DRIVER_NEWPROJECT_H
#define MFC_LIB_DRIVER_NEWPROJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mfc {

/// Writes the project into the folder, which may exist. Nothing is written when one of its files is
/// there already. Returns what was written, relative to the folder.
llvm::Expected<std::vector<std::string>> writeNewProject(llvm::StringRef folder,
                                                         llvm::StringRef board);

} // namespace mfc
#endif
