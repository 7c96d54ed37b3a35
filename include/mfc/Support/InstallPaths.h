// Where the files that belong to the running program are: share/mfc and lib beside its bin folder.
//
// The build tree has the same layout as an installation (build/<preset>/{bin,lib,share/mfc}), so
// one rule serves both: up one folder from the executable. Tests in build/<preset>/test fit too.
#ifndef MFC_SUPPORT_INSTALLPATHS_H
#define MFC_SUPPORT_INSTALLPATHS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mfc {

class InstallPaths {
public:
  /// Of the running executable. An error of class Usage when share/mfc is not there.
  static llvm::Expected<InstallPaths> locate();
  explicit InstallPaths(std::string prefix) : root(std::move(prefix)) {}

  const std::string &prefix() const { return root; }
  std::string simDir() const;    ///< share/mfc/sim: harness and soft-float archives
  std::string linkerDir() const; ///< share/mfc/linker: board scripts
  std::string templatesDir() const; ///< share/mfc/templates: what mfc --new-project writes
  std::string tcgPlugin() const; ///< lib/libmfc-tcg.so

private:
  std::string root;
};

} // namespace mfc
#endif
