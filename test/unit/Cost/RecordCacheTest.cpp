// The cache on disk: what is written is found again, and whatever is wrong with the folder is harmless.
#include "mfc/Cost/RecordCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sys/stat.h>
#include <thread>

using namespace mfc;
namespace fs = llvm::sys::fs;

namespace {

struct Folder {
  Folder() { (void)!!fs::createUniqueDirectory("mfc-cache", path); }
  ~Folder() { fs::remove_directories(path); }
  std::string operator/(llvm::StringRef name) const {
    llvm::SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    return file.str().str();
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    std::error_code code;
    for (fs::directory_iterator it(path, code), end; !code && it != end; it.increment(code))
      names.push_back(it->path());
    std::sort(names.begin(), names.end());
    return names;
  }
  llvm::SmallString<128> path;
};

CostRecord numbered(uint64_t number) {
  CostRecord record;
  record.codeBytes = number;
  record.modelledCycles = 10.5 * static_cast<double>(number);
  record.loops = {{"dot", 2, 1, 3}};
  return record;
}

std::string keyOf(unsigned number) {
  std::string digits = std::to_string(number);
  return std::string(16 - digits.size(), '0') + digits;
}

void write(const std::string &file, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream(file, code) << text;
  REQUIRE_FALSE(code);
}

std::string read(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

} // namespace

TEST_CASE("records come back, by key") {
  Folder folder;
  std::string below = folder / "made/when/needed";
  RecordCache cache(below);
  CHECK_FALSE(cache.find(keyOf(1)));
  CHECK_FALSE(fs::exists(below));
  cache.store(keyOf(1), numbered(1));
  cache.store(keyOf(2), numbered(2));
  RecordCache other(below);
  CHECK(other.find(keyOf(1)) == numbered(1));
  CHECK(other.find(keyOf(2)) == numbered(2));
  CHECK_FALSE(other.find(keyOf(3)));
  RecordCache none("");
  none.store(keyOf(1), numbered(1));
  CHECK_FALSE(none.find(keyOf(1)));
}

TEST_CASE("an entry that is cut off or changed anywhere counts as missing and is written anew") {
  Folder folder;
  RecordCache cache(folder.path.str().str());
  cache.store(keyOf(1), numbered(1));
  REQUIRE(folder.files().size() == 1);
  const std::string file = folder.files()[0], whole = read(file);
  for (size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    write(file, llvm::StringRef(whole).take_front(length));
    CHECK_FALSE(cache.find(keyOf(1)));
    std::string changed = whole;
    changed[length] ^= 1;
    write(file, changed);
    CHECK_FALSE(cache.find(keyOf(1)));
  }
  write(file, whole + "more");
  CHECK_FALSE(cache.find(keyOf(1)));
  cache.store(keyOf(1), numbered(1));
  CHECK(cache.find(keyOf(1)) == numbered(1));
  // The entry of another key.
  write((folder / keyOf(2)) + llvm::sys::path::extension(file).str(), whole);
  CHECK_FALSE(cache.find(keyOf(2)));
}

TEST_CASE("the folder stays below its limit, and what was used last stays in it") {
  Folder folder;
  constexpr unsigned count = 40;
  {
    RecordCache cache(folder.path.str().str(), 20 * 4096);
    for (unsigned i = 0; i < count; ++i) {
      cache.store(keyOf(i), numbered(i));
      if (i < count / 2) { // as if stored days ago
        int fd = -1;
        REQUIRE_FALSE(fs::openFileForWrite(folder.files()[i], fd, fs::CD_OpenExisting, fs::OF_Append));
        auto then = std::chrono::system_clock::now() - std::chrono::hours(100 - i);
        REQUIRE_FALSE(fs::setLastAccessAndModificationTime(fd, then));
        llvm::sys::Process::SafelyCloseFileDescriptor(fd);
      }
    }
    CHECK(cache.find(keyOf(3)) == numbered(3)); // that makes it young
    write(folder / "notes.txt", "not the cache's");
  }
  CHECK(folder.files().size() == 15 + 1);
  RecordCache cache(folder.path.str().str());
  CHECK_FALSE(cache.find(keyOf(0)));
  CHECK_FALSE(cache.find(keyOf(19)));
  CHECK(fs::exists(folder / "notes.txt"));
  unsigned left = 0;
  for (unsigned i = 0; i < count; ++i)
    left += cache.find(keyOf(i)).has_value();
  CHECK(left == 15);
}

TEST_CASE("many caches on one folder do not disturb each other") {
  Folder folder;
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong = 0;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      // The limit makes them remove files under each other's hands.
      for (unsigned round = 0; round < 20; ++round) {
        RecordCache cache(folder.path.str().str(), 8 * 4096);
        for (unsigned i = 0; i < 12; ++i) {
          if (std::optional<CostRecord> found = cache.find(keyOf(i)); found && *found != numbered(i))
            ++wrong;
          cache.store(keyOf(i), numbered(i));
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
  CHECK(folder.files().size() <= 12);
  for (const std::string &file : folder.files())
    CHECK_FALSE(llvm::StringRef(file).ends_with("tmp"));
}

TEST_CASE("a folder that cannot be used is an empty cache") {
  Folder folder;
  write(folder / "file", "in the way");
  mkdir((folder / "locked").c_str(), 0500);
  mkfifo((folder / keyOf(1) + ".mfc-cost").c_str(), 0600); // must not be waited for
  for (std::string path : {folder / "file", folder / "file/below", std::string("/proc/mfc"), folder / "locked",
                           folder.path.str().str()}) {
    INFO(path);
    RecordCache cache(path);
    CHECK_FALSE(cache.find(keyOf(1)));
    cache.store(keyOf(7), numbered(7));
  }
}

TEST_CASE("the environment says where the cache is") {
  auto set = [](const char *own, const char *caches, const char *home) {
    for (auto [name, value] : {std::pair("MFC_CACHE_DIR", own), {"XDG_CACHE_HOME", caches}, {"HOME", home}})
      value ? setenv(name, value, 1) : unsetenv(name);
  };
  set("/own", "/caches", "/home/me");
  CHECK(defaultCacheFolder() == "/own");
  set(nullptr, "/caches", "/home/me");
  CHECK(defaultCacheFolder() == "/caches/mfc");
  set("", "relative", "/home/me");
  CHECK(defaultCacheFolder() == "/home/me/.cache/mfc");
  set(nullptr, nullptr, nullptr);
  CHECK(defaultCacheFolder().empty());
}
