// Several output files that belong together, replaced as one set.
//
// Contents are held in memory until commit(). It writes every regular file to a temporary in the
// destination folder, and only when all of them are complete renames them, the last one added last
// (so that a make rule on that file sees the set as out of date until it is whole). What happens
// otherwise:
//
//  - An error at any point (disk full, read-only folder, a rename that is refused): temporaries
//    are removed, files already replaced get their old contents back, the error names path and
//    reason, class Usage.
//  - Ctrl-C, SIGTERM and the like: before the renames they end the run and the temporaries are
//    removed; during the renames they wait until the set is complete.
//  - SIGKILL or power loss: every file is the old or the new one as a whole. A set torn between two
//    renames is told by the id that mfc writes into each file, and by the last file being older
//    than the rest. Left temporaries (".mfc-tmp-*") are removed by the next run in that folder.
//  - Two runs with the same outputs: a lock on the folder orders their commits, so that the set is
//    always that of one of them. The lock is on the folder itself: no lock file, nothing stale
//    after a kill.
//
// A path that names something other than a regular file (a device, a pipe) is written directly,
// after the temporaries are complete and before the first rename. "-" is the standard output.
#ifndef MFC_SUPPORT_OUTPUTFILES_H
#define MFC_SUPPORT_OUTPUTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mfc {

class OutputFiles {
public:
  /// A file that no output may replace, under whatever name or link.
  void protect(std::string inputPath) { inputs.push_back(std::move(inputPath)); }

  /// Adds a file to the set.
  void add(std::string path, std::string contents);

  /// What would be refused before anything is written: an output that is an input or is given
  /// twice, a missing folder, a path that is a folder, a file or folder without write permission.
  /// Lets a tool fail before the expensive part.
  llvm::Error check() const;

  /// Writes the set. After it, with or without an error, the object is empty.
  llvm::Error commit();

  bool empty() const { return files.empty(); }
  std::vector<std::string> paths() const;

private:
  struct File {
    std::string path; ///< as given, for messages
    std::string contents;
  };
  std::vector<File> files;
  std::vector<std::string> inputs;
};

/// True if the path is "-", or exists and is neither a regular file nor a folder.
bool isDeviceOutput(llvm::StringRef path);

} // namespace mfc
#endif
