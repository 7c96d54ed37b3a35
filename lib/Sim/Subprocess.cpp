// fork and exec by hand: llvm::sys::ExecuteAndWait neither captures output in memory nor ties the
// child's life to ours.
#include "Subprocess.h"

#include "mfc/Support/ClassifiedError.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace mfc;
using Clock = std::chrono::steady_clock;

static constexpr size_t outputLimit = size_t(1) << 20;

/// Between fork and exec only async-signal-safe calls are allowed: another thread may hold any
/// lock.
[[noreturn]] static void becomeProgram(const ProcessRequest &request, char *const *argv,
                                       pid_t parent, int output) {
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it died before the line above
    _exit(127);
#endif
  const rlimit noCore = {0, 0}; // QEMU aborts when a processor locks up
  setrlimit(RLIMIT_CORE, &noCore);
  int null = open("/dev/null", O_RDONLY);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      dup2(output, STDERR_FILENO) < 0)
    _exit(127);
  if (request.workDir.empty() || chdir(request.workDir.c_str()) == 0)
    execv(request.program.c_str(), argv);
  const char *text = strerror(errno);
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    _exit(126);
  _exit(127);
}

static int millisecondsUntil(Clock::time_point deadline) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return left.count() < 0 ? 0 : static_cast<int>(std::min<long long>(left.count(), 1'000'000));
}

/// Reads until the other end is closed; false when the deadline came first.
static bool collectOutput(int input, Clock::time_point deadline, std::string &output) {
  char chunk[4096];
  for (;;) {
    pollfd waiting = {input, POLLIN, 0};
    int ready = poll(&waiting, 1, millisecondsUntil(deadline));
    if (ready == 0 && Clock::now() >= deadline)
      return false;
    if (ready <= 0)
      continue; // interrupted
    ssize_t count = read(input, chunk, sizeof chunk);
    if (count == 0)
      return true;
    if (count > 0)
      output.append(chunk, std::min<size_t>(count, outputLimit - output.size()));
    else if (errno != EINTR)
      return true;
  }
}

/// Waits for the end of a process that has closed its output; false when the deadline came first.
static bool waitUntil(pid_t child, Clock::time_point deadline, int &status) {
  for (;;) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child)
      return true;
    if (Clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

llvm::Expected<ProcessResult> mfc::runProcess(const ProcessRequest &request) {
  std::vector<char *> argv = {const_cast<char *>(request.program.c_str())};
  for (const std::string &argument : request.arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return makeError(ErrorClass::Usage, llvm::Twine("cannot create a pipe: ") + strerror(errno));

  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) {
    std::string why = strerror(errno);
    close(ends[0]), close(ends[1]);
    return makeError(ErrorClass::Usage, "cannot start '" + request.program + "': " + why);
  }
  if (child == 0)
    becomeProgram(request, argv.data(), parent, ends[1]);
  setpgid(child, child); // whoever comes first, child or parent
  close(ends[1]);

  auto deadline = Clock::now() + std::chrono::seconds(request.timeoutSeconds);
  ProcessResult result;
  int status = 0;
  result.timedOut =
      !collectOutput(ends[0], deadline, result.output) || !waitUntil(child, deadline, status);
  close(ends[0]);
  if (result.timedOut && request.graceMilliseconds) {
    kill(-child, SIGTERM);
    auto end = Clock::now() + std::chrono::milliseconds(request.graceMilliseconds);
    if (waitUntil(child, end, status))
      return result;
  }
  if (result.timedOut) {
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
  }
  if (WIFEXITED(status))
    result.exitStatus = WEXITSTATUS(status);
  else if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  return result;
}
