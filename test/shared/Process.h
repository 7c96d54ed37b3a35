// Runs a program with a time limit and collects what it prints.
#ifndef MFC_TEST_SHARED_PROCESS_H
#define MFC_TEST_SHARED_PROCESS_H

#include <string>
#include <vector>

namespace mfc::shared {

struct ProcessResult {
  int exitCode = -1;  ///< -1: killed by a signal or not started
  bool timedOut = false;
  std::string output; ///< stdout and stderr together
  double cpuSeconds = 0;

  bool ok() const { return exitCode == 0; }
  /// "exit code 2", "killed", "timed out" ..., with the first line of the output.
  std::string describe() const;
};

ProcessResult runProcess(const std::vector<std::string> &arguments, double timeoutSeconds);

/// A new folder that is removed, with its contents, at the end.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  std::string path;
};

} // namespace mfc::shared
#endif
