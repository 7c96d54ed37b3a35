// Signals while files are written: scopes that hold them off.
#ifndef MFC_LIB_SUPPORT_SIGNALBLOCK_H
#define MFC_LIB_SUPPORT_SIGNALBLOCK_H

#include <signal.h>

namespace mfc {

/// Signals that ask the process to end wait until the scope is left (they are not lost).
class SignalBlock {
public:
  SignalBlock() {
    sigset_t set;
    sigemptyset(&set);
    for (int signal :
         {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP})
      sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, &before);
  }
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalBlock(const SignalBlock &) = delete;
  SignalBlock &operator=(const SignalBlock &) = delete;

private:
  sigset_t before;
};

/// A file that grows past the limit of the process (ulimit -f) makes write() fail instead of ending
/// the process with its temporaries left behind. Likewise a reader that goes away.
class FileSizeSignalIgnored {
public:
  FileSizeSignalIgnored() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &size);
    sigaction(SIGPIPE, &ignore, &pipe);
  }
  ~FileSizeSignalIgnored() {
    sigaction(SIGXFSZ, &size, nullptr);
    sigaction(SIGPIPE, &pipe, nullptr);
  }
  FileSizeSignalIgnored(const FileSizeSignalIgnored &) = delete;
  FileSizeSignalIgnored &operator=(const FileSizeSignalIgnored &) = delete;

private:
  struct sigaction size, pipe;
};

} // namespace mfc
#endif
