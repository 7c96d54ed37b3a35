// Tables of the tools' reports: the same cells as aligned text and as Markdown.
#ifndef MFC_LIB_DRIVER_TABLE_H
#define MFC_LIB_DRIVER_TABLE_H

#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mfc {

class Table {
public:
  /// The first column is for names and stands left, the others right.
  explicit Table(std::vector<std::string> headings) : rows{std::move(headings)} {}

  /// As many cells as there are headings. Text of unknown origin must have passed visible().
  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  bool empty() const { return rows.size() == 1; }

  void printText(llvm::raw_ostream &os) const;
  /// Nothing in a cell can end the cell, start markup or mention a user.
  void printMarkdown(llvm::raw_ostream &os) const;

private:
  std::vector<std::vector<std::string>> rows; ///< the headings first
};

/// Text in which Markdown (of GitLab and GitHub) and HTML see no markup.
std::string markdownText(llvm::StringRef text);

} // namespace mfc
#endif
