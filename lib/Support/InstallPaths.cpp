// The rule is in the header. MFC_INSTALL_LIBDIR is "lib", or what GNUInstallDirs makes of it.
#include "mfc/Support/InstallPaths.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mfc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string join(const std::string &root, const llvm::Twine &a, const llvm::Twine &b = "",
                        const llvm::Twine &c = "") {
  llvm::SmallString<256> joined(root);
  path::append(joined, a, b, c);
  return joined.str().str();
}

llvm::Expected<InstallPaths> InstallPaths::locate() {
  static int anchor; // any address in this executable
  std::string executable = fs::getMainExecutable("mfc", &anchor);
  InstallPaths paths(path::parent_path(path::parent_path(executable)).str());
  if (!fs::is_directory(paths.simDir()))
    return makeError(ErrorClass::Usage,
                     "the folder '" + paths.simDir() +
                         "' is missing: wanted mfc's data beside its programs; install mfc with "
                         "cmake --install, or build the target mfc_runtime");
  return paths;
}

std::string InstallPaths::simDir() const { return join(root, "share", "mfc", "sim"); }

std::string InstallPaths::linkerDir() const { return join(root, "share", "mfc", "linker"); }

std::string InstallPaths::templatesDir() const { return join(root, "share", "mfc", "templates"); }

std::string InstallPaths::tcgPlugin() const {
  std::string beside = join(root, "lib", "libmfc-tcg.so");
  return fs::exists(beside) ? beside : join(root, MFC_INSTALL_LIBDIR, "libmfc-tcg.so");
}
