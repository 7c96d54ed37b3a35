// An llvm::Error that knows which exit code it deserves.
//
// One-shot functions return llvm::Expected; the driver turns what they return into a diagnostic of the
// right class. An error of another type (from LLVM itself) counts as internal.
#ifndef MFC_SUPPORT_CLASSIFIEDERROR_H
#define MFC_SUPPORT_CLASSIFIEDERROR_H

#include "mfc/Support/Diagnostic.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace mfc {

class ClassifiedError : public llvm::ErrorInfo<ClassifiedError> {
public:
  static char ID;
  ClassifiedError(ErrorClass errorClass, std::string message)
      : errorClass(errorClass), text(std::move(message)) {}

  ErrorClass classification() const { return errorClass; }
  std::string message() const override { return text; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  ErrorClass errorClass;
  std::string text;
};

/// An error with the message in the form of a diagnostic: lower case, no full stop.
llvm::Error makeError(ErrorClass errorClass, const llvm::Twine &message);

/// What the error is about; Internal when it carries no class. Does not consume it.
ErrorClass errorClassOf(const llvm::Error &error);

/// Consumes the error and reports it at the location.
void reportError(DiagnosticEngine &diagnostics, Location location, llvm::Error error);

} // namespace mfc
#endif
