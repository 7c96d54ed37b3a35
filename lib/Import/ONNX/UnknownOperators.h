// The operators that mfc has no converter for, collected over the whole model so that one run lists
// them all.
#ifndef MFC_IMPORT_ONNX_UNKNOWNOPERATORS_H
#define MFC_IMPORT_ONNX_UNKNOWNOPERATORS_H

#include "mfc/Support/Diagnostic.h"

#include <optional>

namespace mfc::onnx {

class UnknownOperators {
public:
  /// `version` of the domain, nothing if the model does not import it.
  void add(llvm::StringRef domain, llvm::StringRef op, std::optional<int64_t> version,
           Location node, llvm::StringRef reason);
  /// One diagnostic per operator: where it is first used and how often.
  void report(DiagnosticEngine &diag) const;

private:
  struct Entry {
    std::string domain, op, reason;
    std::optional<int64_t> version;
    Location first;
    std::vector<std::string> nodes;
  };
  std::vector<Entry> entries; ///< in order of first use
};

} // namespace mfc::onnx
#endif
