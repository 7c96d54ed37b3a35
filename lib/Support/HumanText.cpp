#include "mfc/Support/HumanText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mfc;

std::string mfc::grouped(double value) {
  std::string digits = llvm::utostr(static_cast<uint64_t>(std::llround(std::fabs(value))));
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return (value < 0 && digits != "0" ? "-" : "") + digits;
}

std::string mfc::signedGrouped(double value) {
  return (std::llround(value) > 0 ? "+" : "") + grouped(value);
}

std::string mfc::percentText(double percent) {
  double size = std::fabs(percent);
  int digits = size == std::floor(size) && size < 1000 ? 0 : size < 0.095 ? 2 : 1;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f %%", digits, percent);
  return text;
}

std::string mfc::signedPercent(double percent) {
  return (percent > 0 ? "+" : "") + percentText(percent);
}

std::string mfc::visible(llvm::StringRef text) {
  std::string clean = llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text), out;
  for (char c : clean) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += "\\x" + llvm::utohexstr(byte, /*LowerCase=*/true, /*Width=*/2);
    else
      out += c;
  }
  return out;
}

std::string mfc::shortName(llvm::StringRef text) {
  constexpr size_t longest = 60;
  std::string name = visible(text);
  if (name.size() <= longest)
    return name;
  size_t end = longest - 3;
  while (end > 0 &&
         (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) // not inside a character
    --end;
  return name.substr(0, end) + "...";
}
