#include "Table.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace mfc;

/// Characters, not bytes: continuation bytes of UTF-8 take no room.
static size_t width(llvm::StringRef text) {
  return static_cast<size_t>(
      llvm::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void Table::printText(llvm::raw_ostream &os) const {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string gap(widths[i] - width(row[i]), ' ');
      line += i == 0 ? row[i] + gap : "  " + gap + row[i];
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

std::string mfc::markdownText(llvm::StringRef text) {
  std::string out;
  for (char c : text) {
    // As character references: inert in Markdown, in HTML inside Markdown, and for mentions and
    // issue numbers.
    if (llvm::isAlnum(c) || llvm::StringRef(" ,.+-%()/:;_'").contains(c) ||
        static_cast<unsigned char>(c) >= 0x80)
      out += c == '_' ? std::string("\\_") : std::string(1, c);
    else
      out += "&#" + llvm::utostr(static_cast<unsigned char>(c)) + ";";
  }
  return out;
}

void Table::printMarkdown(llvm::raw_ostream &os) const {
  for (size_t r = 0; r < rows.size(); ++r) {
    os << "|";
    for (const std::string &cell : rows[r])
      os << " " << markdownText(cell) << " |";
    os << "\n";
    if (r == 0)
      os << "|:---|" << [&] {
        std::string rule;
        for (size_t i = 1; i < rows[0].size(); ++i)
          rule += "---:|";
        return rule;
      }() << "\n";
  }
}
