// What one call of a function costs with everything that it calls.
#ifndef MFC_CODEGEN_INCLUSIVECOST_H
#define MFC_CODEGEN_INCLUSIVECOST_H

#include "mfc/Codegen/Compile.h"
#include <map>
#include <optional>

namespace mfc {

/// A function with everything that it calls.
struct Inclusive {
  double cycles = 0;         ///< modelled
  uint64_t instructions = 0; ///< executed
  uint64_t outside = 0;      ///< calls of functions that are in none of the objects: soft-float helpers
  bool exact = true;         ///< no count depends on data
  uint64_t steps = 1;        ///< calls that all of this is of (FunctionRecord::steps)
};

/// Sums over the calls between the functions of some objects, which must outlive it. Recursion is a fault of the caller.
class InclusiveCosts {
public:
  explicit InclusiveCosts(llvm::ArrayRef<const ObjectCode *> objects);
  /// Nothing for functions that are not there or, like one that they call, have no modelled cycles.
  std::optional<Inclusive> of(const std::string &function);

private:
  std::map<std::string, const FunctionRecord *> records;
  std::map<std::string, std::optional<Inclusive>> known;
  std::optional<Inclusive> sumOf(const FunctionRecord &record);
};

} // namespace mfc
#endif
