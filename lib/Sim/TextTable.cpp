#include "TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mfc;

void TextTable::print(llvm::raw_ostream &os) const {
  std::vector<size_t> widths;
  for (const std::vector<std::string> &cells : rows) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
  }
  size_t whole = 0;
  for (size_t width : widths)
    whole += width + 2;
  for (size_t r = 0; r < rows.size(); ++r) {
    if (llvm::is_contained(rules, r))
      os << "  " << std::string(whole - 2, '-') << "\n";
    std::string line;
    for (size_t i = 0; i < rows[r].size(); ++i) {
      std::string room(widths[i] - rows[r][i].size(), ' ');
      line += "  " + (i ? room + rows[r][i] : rows[r][i] + room);
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

std::string mfc::decimal(double value, unsigned digits) {
  double scale = std::pow(10.0, digits);
  auto scaled = static_cast<uint64_t>(std::llround(std::abs(value) * scale));
  std::string text = std::to_string(scaled);
  if (text.size() <= digits)
    text.insert(0, digits + 1 - text.size(), '0');
  if (digits)
    text.insert(text.size() - digits, ".");
  return (value < 0 && scaled ? "-" : "") + text;
}
