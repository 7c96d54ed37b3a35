// Runs a program with a time limit, captures what it prints, and never leaves it behind.
#ifndef MFC_SIM_SUBPROCESS_H
#define MFC_SIM_SUBPROCESS_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mfc {

struct ProcessRequest {
  std::string program;                ///< path
  std::vector<std::string> arguments; ///< without the program itself
  std::string workDir;                ///< empty: the current one
  unsigned timeoutSeconds = 60;
  unsigned graceMilliseconds = 0; ///< between SIGTERM and SIGKILL at the time limit; 0: SIGKILL at once
};

struct ProcessResult {
  int exitStatus = -1; ///< -1 when a signal ended it
  int signal = 0;
  bool timedOut = false;
  std::string output; ///< stdout and stderr as they came, the first 1 MiB
};

/// The process gets a group of its own, which is killed at the time limit; when this process dies,
/// for whatever reason, the kernel kills the child (Linux). Safe to call from several threads.
llvm::Expected<ProcessResult> runProcess(const ProcessRequest &request);

} // namespace mfc
#endif
