// From the lowered module to the archive's members and the completed ModelInfo.
#ifndef MFC_EMIT_BUILDLIBRARY_H
#define MFC_EMIT_BUILDLIBRARY_H

#include "mfc/Codegen/Compile.h"

#include <string>
#include <vector>

namespace mfc {

struct ModelInfo;

/// What one compiled module becomes: an archive member, or the one object of `-c`.
struct LibraryObject {
  std::string name; ///< "kws_model.o"
  ObjectCode code;
};

/// Sets usesFloat and id from the lowered module and adds the entry points to it: the caller-owned
/// form, and the static form too if `withStatic` (outputs that are one file).
llvm::Error finishModule(llvm::Module &lowered, ModelInfo &info, bool withStatic);

/// Compiles a finished module without the static form, and the static form as a second object; then
/// completes `info` from both. The objects are in archive order.
llvm::Expected<std::vector<LibraryObject>> buildLibrary(llvm::Module &finished, ModelInfo &info,
                                                        const CodegenSwitches &switches = {});

/// Compiles a module that was finished with the static form into one object "kws.o", and completes
/// `info`.
llvm::Expected<std::vector<LibraryObject>> buildObject(llvm::Module &finished, ModelInfo &info,
                                                       const CodegenSwitches &switches = {});

/// The four files by name: X.h, X.ld, X.json, and the archive, in the order in which they should be
/// replaced.
struct LibraryFiles {
  std::string header, linkerFragment, report, archive;
};
llvm::Expected<LibraryFiles> writeLibrary(const ModelInfo &info,
                                          llvm::ArrayRef<LibraryObject> objects);

} // namespace mfc
#endif
