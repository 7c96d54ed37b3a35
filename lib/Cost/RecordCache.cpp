#include "mfc/Cost/RecordCache.h"

#include "mfc/Support/Hashing.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <vector>

using namespace mfc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr llvm::StringLiteral kEnding = ".mfc-cost", kTemporary = ".mfc-tmp";

static std::string joined(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> text(folder);
  path::append(text, name);
  return text.str().str();
}

std::string mfc::defaultCacheFolder() {
  auto variable = [](const char *name) {
    std::optional<std::string> value = llvm::sys::Process::GetEnv(name);
    return value && path::is_absolute(*value) ? *value : std::string();
  };
  if (std::string own = variable("MFC_CACHE_DIR"); !own.empty())
    return own;
  if (std::string caches = variable("XDG_CACHE_HOME"); !caches.empty())
    return joined(caches, "mfc");
  if (std::string home = variable("HOME"); !home.empty())
    return joined(home, ".cache/mfc");
  return "";
}

/// The record, a newline, and the hash of both that and the key: what is cut off or changed does not fit.
static std::string entryText(llvm::StringRef key, const CostRecord &record) {
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(record);
  return text + "\n" + hashText(stableHash(key.str() + text)) + "\n";
}

static std::optional<CostRecord> parseEntry(llvm::StringRef key, llvm::StringRef contents) {
  llvm::StringRef text = contents.split('\n').first;
  if (contents.drop_front(text.size()) != "\n" + hashText(stableHash(key.str() + text.str())) + "\n")
    return std::nullopt;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  llvm::Expected<CostRecord> record = costRecordFromJSON(*value);
  if (!record) {
    llvm::consumeError(record.takeError());
    return std::nullopt;
  }
  return std::move(*record);
}

std::optional<CostRecord> RecordCache::find(llvm::StringRef key) {
  if (folder.empty())
    return std::nullopt;
  std::string file = joined(folder, key + kEnding);
  fs::file_status status; // not a pipe or a device that somebody put there
  if (fs::status(file, status) || !fs::is_regular_file(status) || status.getSize() > (1 << 20))
    return std::nullopt;
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  std::optional<CostRecord> record = buffer ? parseEntry(key, (*buffer)->getBuffer()) : std::nullopt;
  if (!record)
    return std::nullopt;
  // Remembered as used, at most once an hour.
  auto now = std::chrono::system_clock::now();
  if (now - status.getLastModificationTime() > std::chrono::hours(1)) {
    int fd = -1;
    if (!fs::openFileForWrite(file, fd, fs::CD_OpenExisting, fs::OF_Append)) {
      (void)fs::setLastAccessAndModificationTime(fd, now);
      (void)llvm::sys::Process::SafelyCloseFileDescriptor(fd);
    }
  }
  return record;
}

void RecordCache::store(llvm::StringRef key, const CostRecord &record) {
  if (folder.empty() || fs::create_directories(folder))
    return;
  int fd = -1;
  llvm::SmallString<128> temporary;
  if (fs::createUniqueFile(joined(folder, key + "-%%%%%%%%" + kTemporary), fd, temporary))
    return;
  llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
  os << entryText(key, record);
  os.close();
  bool failed = os.has_error();
  os.clear_error();
  if (failed || fs::rename(temporary, joined(folder, key + kEnding)))
    (void)fs::remove(temporary);
  else
    stored = true;
}

namespace {
struct File {
  std::string name;
  uint64_t bytes = 0; ///< on the disk
  llvm::sys::TimePoint<> used;
};
} // namespace

/// The cache's own files. What a killed process left under a temporary name is removed once it is an hour old.
static std::vector<File> listFiles(const std::string &folder) {
  constexpr uint64_t kBlock = 4096;
  std::vector<File> files;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    llvm::StringRef name = it->path();
    fs::file_status status;
    if (!(name.ends_with(kEnding) || name.ends_with(kTemporary)) || fs::status(name, status) ||
        !fs::is_regular_file(status))
      continue;
    if (name.ends_with(kEnding))
      files.push_back({name.str(), (status.getSize() + kBlock - 1) / kBlock * kBlock, status.getLastModificationTime()});
    else if (std::chrono::system_clock::now() - status.getLastModificationTime() > std::chrono::hours(1))
      (void)fs::remove(name);
  }
  return files;
}

size_t RecordCache::countRecords(const std::string &folder) { return listFiles(folder).size(); }

RecordCache::~RecordCache() {
  if (!stored)
    return;
  std::vector<File> files = listFiles(folder);
  uint64_t total = 0;
  for (const File &file : files)
    total += file.bytes;
  if (total <= mostBytes)
    return;
  std::sort(files.begin(), files.end(),
            [](const File &a, const File &b) { return std::tie(a.used, a.name) < std::tie(b.used, b.name); });
  for (const File &file : files) {
    if (total <= mostBytes / 4 * 3)
      break;
    (void)fs::remove(file.name);
    total -= file.bytes;
  }
}
