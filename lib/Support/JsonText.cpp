#include "mfc/Support/JsonText.h"
#include "mfc/Support/ClassifiedError.h"

using namespace mfc;

/// No file of ours has more than ten levels.
static constexpr unsigned kDeepest = 256;

/// Deepest nesting of brackets outside of strings. Exact for JSON; for anything else the parser complains.
static unsigned nesting(llvm::StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '\\')
      ++i; // what is escaped ends nothing
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!quoted && (c == ']' || c == '}') && depth > 0)
      --depth;
  }
  return deepest;
}

llvm::Expected<llvm::json::Value> mfc::parseJsonText(llvm::StringRef text) {
  if (nesting(text) > kDeepest)
    return makeError(ErrorClass::Usage, "nested deeper than " + llvm::Twine(kDeepest) + " levels");
  return llvm::json::parse(text);
}
