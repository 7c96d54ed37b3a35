#include "FolderLock.h"
#include "mfc/Support/ClassifiedError.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

using namespace mfc;

static constexpr int kWaitSeconds = 30;
static constexpr long kPollNanoseconds = 5'000'000;

FolderLocks::~FolderLocks() {
  for (const Held &folder : held)
    close(folder.fd); // releases the lock
}

llvm::Expected<bool> FolderLocks::lock(const std::string &folder) {
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return false;
  struct stat info;
  if (fstat(fd, &info) != 0) {
    close(fd);
    return false;
  }
  std::pair<uint64_t, uint64_t> identity(info.st_dev, info.st_ino);
  for (const Held &other : held)
    if (other.identity == identity) {
      // One folder under two names: a second lock would wait for ourselves.
      close(fd);
      return true;
    }
  const long attempts = kWaitSeconds * (1'000'000'000L / kPollNanoseconds);
  for (long attempt = 0; attempt < attempts; ++attempt) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
      held.push_back({fd, identity});
      return true;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) {
      close(fd);
      return false;
    }
    timespec pause{0, kPollNanoseconds};
    nanosleep(&pause, nullptr);
  }
  close(fd);
  return makeError(ErrorClass::Usage, "folder '" + llvm::Twine(folder) + "' has been locked for " +
                                          llvm::Twine(kWaitSeconds) +
                                          " seconds, another mfc may hang while writing there");
}
