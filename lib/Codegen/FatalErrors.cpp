// The guard around LLVM's code generator: a fatal-error handler and LLVM's own crash recovery.
//
// report_fatal_error() calls the handler and ends the process if it returns. LLVM is built without
// exceptions, so the only way out is the longjmp of CrashRecoveryContext. State that must be put back
// afterwards therefore lives in frames outside of the guarded call.
#include "FatalErrors.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include <mutex>

using namespace mfc;

/// Where the handler leaves the message of this thread's guarded work; null outside of any.
static thread_local std::string *fatalMessage = nullptr;

static void onFatalError(void *, const char *reason, bool) {
  llvm::CrashRecoveryContext *recovery = llvm::CrashRecoveryContext::GetCurrent();
  if (!fatalMessage || !recovery)
    return; // not ours: LLVM prints nothing more and ends the process
  *fatalMessage = reason;
  recovery->HandleExit(static_cast<int>(ErrorClass::Internal));
}

static void installHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(onFatalError);
  });
}

llvm::Error codegen::runGuarded(llvm::StringRef what, llvm::function_ref<llvm::Error()> work) {
  installHandlers();
  std::string message;
  std::string *outer = std::exchange(fatalMessage, &message);
  // The result lives here, not in the guarded frame: that one may vanish.
  llvm::Error result = llvm::Error::success();
  (void)!!result; // an unchecked success must not be overwritten
  llvm::CrashRecoveryContext recovery;
  bool finished = recovery.RunSafely([&] { result = work(); });
  fatalMessage = outer;
  if (finished)
    return result;
  llvm::consumeError(std::move(result));
  if (message.empty())
    message = "crashed";
  return makeError(ErrorClass::Internal, what + ": " + message);
}
