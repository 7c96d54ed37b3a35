#include "Process.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mfc::shared;

extern char **environ;

std::string ProcessResult::describe() const {
  std::string text = timedOut ? "timed out" : exitCode < 0 ? "killed" : "exit code " + std::to_string(exitCode);
  llvm::StringRef line = llvm::StringRef(output).split('\n').first;
  return line.empty() ? text : text + ": " + line.str();
}

ScratchFolder::ScratchFolder() {
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("mfc-shared", folder))
    folder = ".";
  path = folder.str().str();
}

ScratchFolder::~ScratchFolder() {
  if (path != ".")
    llvm::sys::fs::remove_directories(path);
}

/// Starts the program in a process group of its own, output to a file. 0 on failure.
static pid_t start(const std::vector<std::string> &arguments, const std::string &outputPath) {
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, outputPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ) != 0)
    pid = 0;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return pid;
}

ProcessResult mfc::shared::runProcess(const std::vector<std::string> &arguments, double timeoutSeconds) {
  ProcessResult result;
  ScratchFolder scratch;
  std::string outputPath = scratch.path + "/output";
  pid_t pid = start(arguments, outputPath);
  if (pid == 0) {
    result.output = "cannot start " + arguments[0];
    return result;
  }
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeoutSeconds);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, WNOHANG, &usage) == 0) {
    if (!result.timedOut && std::chrono::steady_clock::now() > deadline) {
      result.timedOut = true;
      kill(-pid, SIGKILL); // the group: QEMU as well
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(status) && !result.timedOut)
    result.exitCode = WEXITSTATUS(status);
  result.cpuSeconds = double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                      1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  if (auto buffer = llvm::MemoryBuffer::getFile(outputPath))
    result.output = (*buffer)->getBuffer().str();
  return result;
}
