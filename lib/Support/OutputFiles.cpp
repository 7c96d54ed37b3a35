// The set of outputs as the header describes it. POSIX calls are used where LLVM's wrappers hide
// what matters here (locks, exact errors, signals).
#include "mfc/Support/OutputFiles.h"
#include "mfc/Support/ClassifiedError.h"

#include "FolderLock.h"
#include "SignalBlock.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace mfc;
namespace path = llvm::sys::path;

namespace {

constexpr llvm::StringLiteral kTemporaryPrefix = ".mfc-tmp-";

llvm::Error cannotWrite(llvm::StringRef file, const llvm::Twine &reason) {
  return makeError(ErrorClass::Usage, "cannot write '" + file + "': " + reason);
}

/// The system's text for an error number, in the style of our messages.
std::string reasonText(int error) {
  std::string text = std::generic_category().message(error);
  if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

bool isFollowed(const struct stat &info) {
  return !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/// Where a rename has to go: looks through symbolic links, so that a link stays a link. A chain
/// that does not end is left to fail in open().
std::string linkTarget(std::string file) {
  for (int depth = 0; depth < 32; ++depth) {
    char target[4096];
    ssize_t length = readlink(file.c_str(), target, sizeof target);
    if (length < 0 || length == static_cast<ssize_t>(sizeof target))
      return file;
    llvm::StringRef text(target, static_cast<size_t>(length));
    if (path::is_absolute(text)) {
      file = text.str();
    } else {
      llvm::SmallString<256> joined(path::parent_path(file));
      path::append(joined, text);
      file = joined.str().str();
    }
  }
  return file;
}

std::string folderOf(llvm::StringRef file) {
  llvm::StringRef parent = path::parent_path(file);
  return parent.empty() ? "." : parent.str();
}

/// Writes all bytes; 0 or the error number. A short write without an error is tried again.
int writeAll(int fd, llvm::StringRef contents) {
  while (!contents.empty()) {
    ssize_t written = write(fd, contents.data(), contents.size());
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return errno;
    }
    contents = contents.drop_front(static_cast<size_t>(written));
  }
  return 0;
}

/// Closes and reports what close() reports (network file systems say "disk full" here).
int closeFile(int fd) { return close(fd) == 0 || errno == EINTR ? 0 : errno; }

/// One regular file on its way to its place.
struct Staged {
  const std::string *path; ///< for messages
  const std::string *contents;
  std::string target;    ///< real place, links followed
  std::string temporary; ///< new contents; empty once renamed
  std::string backup;    ///< old contents; empty if there were none
  bool replaced = false;
};

std::string temporaryName(llvm::StringRef target, unsigned number) {
  llvm::SmallString<256> name(folderOf(target));
  path::append(name, kTemporaryPrefix + llvm::Twine(getpid()) + "-" + llvm::Twine(number));
  return name.str().str();
}

/// Removes what a killed run left in a locked folder: nobody else is between its temporaries and
/// the renames while we have the lock.
void removeStale(llvm::StringRef folder) {
  std::error_code ec;
  for (llvm::sys::fs::directory_iterator it(folder, ec, false), end; !ec && it != end;
       it.increment(ec))
    if (path::filename(it->path()).starts_with(kTemporaryPrefix))
      unlink(it->path().c_str());
}

class Commit {
public:
  llvm::Error stage(Staged file);
  llvm::Error replaceAll();
  ~Commit();

private:
  llvm::Error keepBackup(Staged &file);
  void rollBack();
  std::vector<Staged> staged;
  unsigned counter = 0;
  std::string nextName(llvm::StringRef target) { return temporaryName(target, counter++); }
};

llvm::Error Commit::stage(Staged file) {
  int fd = -1;
  for (int attempt = 0; fd < 0 && attempt < 100; ++attempt) {
    file.temporary = nextName(file.target);
    llvm::sys::RemoveFileOnSignal(file.temporary); // first, so that no moment is left out
    fd = open(file.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
      break;
    int error = errno;
    llvm::sys::DontRemoveFileOnSignal(file.temporary);
    if (error != EEXIST)
      return cannotWrite(*file.path, reasonText(error));
  }
  if (fd < 0)
    return cannotWrite(*file.path, reasonText(EEXIST));
  staged.push_back(file);
  int error = writeAll(fd, *file.contents);
  if (error == 0 && fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
    error = errno;
  int closeError = closeFile(fd);
  if (error == 0)
    error = closeError;
  return error ? cannotWrite(*file.path, reasonText(error)) : llvm::Error::success();
}

/// Keeps the old file under another name, so that a failing rename of a later file can be undone. A
/// hard link leaves the old file in place meanwhile; where links are not to be had, it is moved.
llvm::Error Commit::keepBackup(Staged &file) {
  struct stat info;
  if (lstat(file.target.c_str(), &info) != 0)
    return llvm::Error::success();
  if (S_ISDIR(info.st_mode)) // came there after check()
    return cannotWrite(*file.path, "it is a folder");
  std::string name = nextName(file.target);
  if (link(file.target.c_str(), name.c_str()) != 0 &&
      rename(file.target.c_str(), name.c_str()) != 0)
    return cannotWrite(*file.path, reasonText(errno));
  file.backup = name;
  return llvm::Error::success();
}

llvm::Error Commit::replaceAll() {
  SignalBlock block;
  for (Staged &file : staged) {
    if (llvm::Error error = keepBackup(file)) {
      rollBack();
      return error;
    }
    if (rename(file.temporary.c_str(), file.target.c_str()) != 0) {
      int error = errno;
      rollBack();
      return cannotWrite(*file.path, reasonText(error));
    }
    llvm::sys::DontRemoveFileOnSignal(file.temporary);
    file.temporary.clear();
    file.replaced = true;
  }
  for (Staged &file : staged)
    if (!file.backup.empty())
      unlink(file.backup.c_str());
  return llvm::Error::success();
}

/// Back to the old set: the file that failed may have been moved to its backup too.
void Commit::rollBack() {
  for (Staged &file : staged) {
    if (!file.backup.empty())
      rename(file.backup.c_str(), file.target.c_str());
    else if (file.replaced)
      unlink(file.target.c_str());
    // A rename between two links of one file does nothing and leaves both.
    if (!file.backup.empty())
      unlink(file.backup.c_str());
  }
}

Commit::~Commit() {
  for (Staged &file : staged) {
    if (file.temporary.empty())
      continue;
    unlink(file.temporary.c_str());
    llvm::sys::DontRemoveFileOnSignal(file.temporary);
  }
}

llvm::Error writeDevice(const std::string &file, llvm::StringRef contents) {
  bool standardOutput = file == "-";
  int fd = standardOutput ? STDOUT_FILENO : open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return cannotWrite(file, reasonText(errno));
  int error = writeAll(fd, contents);
  if (!standardOutput) {
    int closeError = closeFile(fd);
    error = error ? error : closeError;
  }
  return error ? cannotWrite(standardOutput ? "standard output" : file, reasonText(error))
               : llvm::Error::success();
}

/// One output against the file system, before anything is written.
llvm::Error checkOutput(const std::string &file, const std::vector<std::string> &inputs) {
  if (file.empty())
    return makeError(ErrorClass::Usage, "an output file has an empty name");
  for (const std::string &input : inputs)
    if (input != "-" && llvm::sys::fs::equivalent(file, input))
      return cannotWrite(file, "it is the input '" + llvm::Twine(input) + "'");
  struct stat info;
  if (stat(file.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return cannotWrite(file, "it is a folder");
    if (access(file.c_str(), W_OK) != 0)
      return cannotWrite(file, reasonText(errno));
    if (isFollowed(info))
      return llvm::Error::success();
  } else if (errno != ENOENT && errno != ENOTDIR) {
    return cannotWrite(file, reasonText(errno));
  }
  std::string folder = folderOf(linkTarget(file));
  if (stat(folder.c_str(), &info) != 0)
    return cannotWrite(file, "folder '" + llvm::Twine(folder) + "': " + reasonText(errno));
  if (!S_ISDIR(info.st_mode))
    return cannotWrite(file, "'" + llvm::Twine(folder) + "' is not a folder");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return cannotWrite(file, "folder '" + llvm::Twine(folder) + "': " + reasonText(errno));
  return llvm::Error::success();
}

} // namespace

bool mfc::isDeviceOutput(llvm::StringRef file) {
  if (file == "-")
    return true;
  struct stat info;
  if (stat(file.str().c_str(), &info) != 0)
    return false;
  // /dev/stdout that was redirected to a file: renaming over that file would lose the redirection.
  return isFollowed(info) || (S_ISREG(info.st_mode) && file.starts_with("/dev/"));
}

void OutputFiles::add(std::string file, std::string contents) {
  files.push_back({std::move(file), std::move(contents)});
}

std::vector<std::string> OutputFiles::paths() const {
  std::vector<std::string> list;
  for (const File &file : files)
    list.push_back(file.path);
  return list;
}

llvm::Error OutputFiles::check() const {
  std::set<std::string> seen;
  for (const File &file : files) {
    if (isDeviceOutput(file.path) && file.path == "-")
      continue;
    if (llvm::Error error = checkOutput(file.path, inputs))
      return error;
    if (isDeviceOutput(file.path))
      continue;
    llvm::SmallString<256> real(linkTarget(file.path));
    llvm::sys::fs::make_absolute(real);
    path::remove_dots(real, /*remove_dot_dot=*/false);
    if (!seen.insert(real.str().str()).second)
      return cannotWrite(file.path, "it would be written twice, give the outputs different names");
  }
  return llvm::Error::success();
}

llvm::Error OutputFiles::commit() {
  std::vector<File> set = std::move(files);
  files.clear();
  std::swap(files, set);
  llvm::Error problem = check();
  std::swap(files, set);
  if (problem)
    return problem;

  FileSizeSignalIgnored ignored;
  std::set<std::string> folders;
  for (const File &file : set)
    if (!isDeviceOutput(file.path))
      folders.insert(folderOf(linkTarget(file.path)));
  FolderLocks locks;
  for (const std::string &folder : folders) {
    llvm::Expected<bool> locked = locks.lock(folder);
    if (!locked)
      return locked.takeError();
    if (*locked)
      removeStale(folder);
  }

  Commit commit;
  for (const File &file : set)
    if (!isDeviceOutput(file.path))
      if (llvm::Error error =
              commit.stage({&file.path, &file.contents, linkTarget(file.path), {}, {}}))
        return error;
  for (const File &file : set)
    if (isDeviceOutput(file.path))
      if (llvm::Error error = writeDevice(file.path, file.contents))
        return error;
  return commit.replaceAll();
}
