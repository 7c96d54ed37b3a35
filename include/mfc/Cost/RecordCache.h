// Records by content key in a folder that any number of processes and threads may use at once.
//
// One small file a record, written under a name of its own and renamed. A file that does not read back as what was
// written (truncated, damaged, of another schema) counts as missing and is written anew. Nothing that goes wrong with
// the folder is an error: the cache then holds less, and what a build writes does not depend on it.
#ifndef MFC_COST_RECORDCACHE_H
#define MFC_COST_RECORDCACHE_H

#include "mfc/Cost/CostRecord.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <optional>
#include <string>

namespace mfc {

class RecordCache {
public:
  static constexpr uint64_t kDefaultBytes = 64 << 20;

  /// `folder`: empty for none, made when the first record is stored. `mostBytes`: of all files as they lie on the disk
  /// (whole blocks); when it is exceeded the files that were not used for the longest time go, down to three quarters.
  explicit RecordCache(std::string folder, uint64_t mostBytes = kDefaultBytes)
      : folder(std::move(folder)), mostBytes(mostBytes) {}
  /// Brings the folder back below its limit if something was stored.
  ~RecordCache();
  RecordCache(const RecordCache &) = delete;

  /// Keys are candidateKey()s. Safe to call from several threads, like store().
  std::optional<CostRecord> find(llvm::StringRef key);
  void store(llvm::StringRef key, const CostRecord &record);

  /// Records in a folder, readable or not.
  static size_t countRecords(const std::string &folder);

private:
  std::string folder;
  uint64_t mostBytes;
  std::atomic<bool> stored = false;
};

/// Where records are kept: MFC_CACHE_DIR, else XDG_CACHE_HOME/mfc, else HOME/.cache/mfc; empty when the environment has
/// none of them.
std::string defaultCacheFolder();

} // namespace mfc
#endif
