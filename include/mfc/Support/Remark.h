// Optimization remarks: every decision that mfc takes, with the numbers on both sides.
//
// They feed -Rpass=, -Rpass-missed=, the YAML record and the "decisions" of X.json.
#ifndef MFC_SUPPORT_REMARK_H
#define MFC_SUPPORT_REMARK_H

#include <string>
#include <utility>
#include <vector>

namespace mfc {

enum class RemarkKind {
  Passed,   ///< a transformation was made
  Missed,   ///< a transformation was refused; the text says by which rule or number
  Analysis, ///< a fact worth knowing
};

struct Remark {
  RemarkKind kind = RemarkKind::Passed;
  std::string pass;    ///< "fuse", "fold-batch-norm" ...
  std::string name;    ///< short identifier of the rule, stable over releases
  std::string subject; ///< node or kernel it is about
  std::string message; ///< for people
  std::vector<std::pair<std::string, std::string>> args; ///< numbers, for machines
};

/// A plain list: order is the order of decisions, which is deterministic.
using RemarkList = std::vector<Remark>;

} // namespace mfc
#endif
