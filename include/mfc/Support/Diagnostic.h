// Diagnostics: what is wrong with a model or a command line, collected so that one run reports all of it.
//
// Text form, as in clang: "file: error: node 17 'conv2d_3': tensor 'w': message", lower case, no full
// stop, what was found and what was wanted. JSON form (--diagnostics-format=json): one array.
#ifndef MFC_SUPPORT_DIAGNOSTIC_H
#define MFC_SUPPORT_DIAGNOSTIC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mfc {

enum class Severity { Note, Remark, Warning, Error };

/// Why a run failed. The value is the exit code of every mfc tool.
enum class ErrorClass : int {
  Usage = 1,       ///< command line or I/O, a missing tool such as QEMU
  BadModel = 2,    ///< the model file is malformed or contradicts itself
  Unsupported = 3, ///< a valid model that mfc cannot compile
  Budget = 4,      ///< a size or cycle budget is exceeded, or a regression was found
  Internal = 5,    ///< a fault of mfc
  RunFailed = 6,   ///< a simulated run faulted or timed out
};

/// Where in the input a problem is. Empty or negative fields are left out when printed.
struct Location {
  std::string file;
  int nodeIndex = -1;       ///< position in the model's operator list
  std::string node;         ///< name of the node (or its operator type if it has none)
  std::string tensor;       ///< tensor at fault
  int64_t byteOffset = -1;  ///< in a binary file
  unsigned line = 0;        ///< 1-based, text inputs only
  unsigned column = 0;      ///< 1-based, text inputs only
};

struct Diagnostic {
  Severity severity = Severity::Error;
  ErrorClass errorClass = ErrorClass::BadModel; ///< meaningful for errors only
  Location location;
  std::string message;
  /// Extra machine-readable facts (operator, domain, version, count ...), printed in JSON only.
  std::vector<std::pair<std::string, std::string>> fields;
  /// Source line for a caret; empty when there is none.
  std::string sourceLine;
};

class DiagnosticEngine;

/// Collects a message by operator<< and hands it to the engine when it goes out of scope.
class DiagnosticBuilder {
public:
  DiagnosticBuilder(DiagnosticEngine &engine, Diagnostic diagnostic)
      : engine(&engine), diagnostic(std::move(diagnostic)) {}
  DiagnosticBuilder(DiagnosticBuilder &&other)
      : engine(std::exchange(other.engine, nullptr)), diagnostic(std::move(other.diagnostic)) {}
  ~DiagnosticBuilder();

  template <typename T> DiagnosticBuilder &operator<<(const T &value) {
    llvm::raw_string_ostream(diagnostic.message) << value;
    return *this;
  }
  DiagnosticBuilder &field(llvm::StringRef key, llvm::StringRef value) {
    diagnostic.fields.emplace_back(key.str(), value.str());
    return *this;
  }
  DiagnosticBuilder &source(llvm::StringRef line) {
    diagnostic.sourceLine = line.str();
    return *this;
  }
  /// So that a verifier can write `return diag.error(...) << "...";` (false = failure).
  operator bool() const { return false; }

private:
  DiagnosticEngine *engine;
  Diagnostic diagnostic;
};

class DiagnosticEngine {
public:
  DiagnosticBuilder error(ErrorClass errorClass, Location location);
  DiagnosticBuilder warning(Location location);
  DiagnosticBuilder note(Location location);
  DiagnosticBuilder remark(Location location);

  void report(Diagnostic diagnostic);

  bool hasErrors() const { return errors != 0; }
  unsigned errorCount() const { return errors; }
  const std::vector<Diagnostic> &diagnostics() const { return all; }

  /// 0 without errors. An internal error wins; else the lowest code, since a broken model
  /// explains an unsupported one and not the other way round.
  int exitCode() const;

  void printText(llvm::raw_ostream &os, bool colors = false) const;
  void printJSON(llvm::raw_ostream &os) const;
  void clear() { all.clear(), errors = 0; }

private:
  std::vector<Diagnostic> all;
  unsigned errors = 0;
};

/// "file: error: node 3 'x': message", without a newline.
std::string formatDiagnostic(const Diagnostic &diagnostic);

} // namespace mfc
#endif
