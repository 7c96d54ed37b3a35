#include "TextForms.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>

using namespace mfc;

std::string mfc::floatText(float value) {
  char buffer[32];
  auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

llvm::StringRef mfc::remarkKindName(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::Passed:
    return "passed";
  case RemarkKind::Missed:
    return "missed";
  case RemarkKind::Analysis:
    return "analysis";
  }
  return "analysis";
}

std::string mfc::commentText(llvm::StringRef text) {
  std::string out;
  llvm::raw_string_ostream os(out);
  char last = 0;
  for (char c : text) {
    bool ends = (last == '*' && c == '/') || (last == '/' && c == '*') || (last == '?' && c == '?');
    if (!llvm::isPrint(c) || c == '\\' || ends)
      os << "\\x" << llvm::format_hex_no_prefix(static_cast<uint8_t>(c), 2);
    else
      os << c;
    last = c;
  }
  return out;
}

std::string mfc::cString(llvm::StringRef text) {
  std::string out = "\"";
  llvm::raw_string_ostream os(out);
  for (char c : text) {
    if (c == '"' || c == '\\')
      os << '\\' << c;
    else if (c == '?' || !llvm::isPrint(c)) // three octal digits cannot run into what follows
      os << llvm::format("\\%03o", static_cast<unsigned>(static_cast<uint8_t>(c)));
    else
      os << c;
  }
  os << '"';
  return out;
}
