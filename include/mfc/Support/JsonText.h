// JSON from files: LLVM's parser, behind a limit on nesting.
#ifndef MFC_SUPPORT_JSONTEXT_H
#define MFC_SUPPORT_JSONTEXT_H

#include "llvm/Support/JSON.h"

namespace mfc {

/// llvm::json::parse() calls itself for every level and would run out of stack on a file of brackets; more than 256
/// levels are an error, as is everything that is no JSON. The message has line and column, no file.
llvm::Expected<llvm::json::Value> parseJsonText(llvm::StringRef text);

} // namespace mfc
#endif
