// Tables for people: the first column to the left, all others to the right.
#ifndef MFC_LIB_SIM_TEXTTABLE_H
#define MFC_LIB_SIM_TEXTTABLE_H

#include "mfc/Support/HumanText.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mfc {

class TextTable {
public:
  explicit TextTable(std::vector<std::string> heading) : rows{std::move(heading)} {}
  void row(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  /// A line of dashes in front of the next row.
  void rule() { rules.push_back(rows.size()); }
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> rules;
};

/// Fixed-point with that many digits behind the point, whatever the locale.
std::string decimal(double value, unsigned digits);

} // namespace mfc
#endif
