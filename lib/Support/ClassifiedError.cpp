// Errors with an exit class: construction and the way into the diagnostics.
#include "mfc/Support/ClassifiedError.h"

using namespace mfc;

char ClassifiedError::ID = 0;

llvm::Error mfc::makeError(ErrorClass errorClass, const llvm::Twine &message) {
  return llvm::make_error<ClassifiedError>(errorClass, message.str());
}

ErrorClass mfc::errorClassOf(const llvm::Error &error) {
  ErrorClass result = ErrorClass::Internal;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    if (info.isA<ClassifiedError>())
      result = static_cast<const ClassifiedError &>(info).classification();
  });
  return result;
}

void mfc::reportError(DiagnosticEngine &diagnostics, Location location, llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const ClassifiedError &e) {
        diagnostics.error(e.classification(), location) << e.message();
      },
      [&](const llvm::ErrorInfoBase &e) {
        diagnostics.error(ErrorClass::Internal, location) << e.message();
      });
}
