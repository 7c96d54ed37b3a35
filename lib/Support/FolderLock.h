// Advisory locks on folders, and nothing left in them: flock() on the folder's own descriptor.
#ifndef MFC_LIB_SUPPORT_FOLDERLOCK_H
#define MFC_LIB_SUPPORT_FOLDERLOCK_H

#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace mfc {

class FolderLocks {
public:
  FolderLocks() = default;
  FolderLocks(const FolderLocks &) = delete;
  FolderLocks &operator=(const FolderLocks &) = delete;
  ~FolderLocks();

  /// Waits for the lock; an error after 30 seconds. False if the file system has no locks (or the
  /// folder cannot be read): the caller then goes on without. Lock several folders in one fixed
  /// order.
  llvm::Expected<bool> lock(const std::string &folder);

private:
  struct Held {
    int fd;
    std::pair<uint64_t, uint64_t> identity; ///< device and inode
  };
  std::vector<Held> held;
};

} // namespace mfc
#endif
