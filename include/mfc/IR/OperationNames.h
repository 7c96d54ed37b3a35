// What remarks, reports, layer tables and baselines call an operation.
//
// TFLite's nodes have no names, so all convolutions of a model would be "CONV_2D": where a name is
// not unique, the node's number in the model is added ("CONV_2D#3"). Names are stable as long as
// the model is.
#ifndef MFC_IR_OPERATIONNAMES_H
#define MFC_IR_OPERATIONNAMES_H

#include "llvm/ADT/StringMap.h"
#include <string>

namespace mfc {

class Graph;
class Operation;

/// Its node name in the model, else its result, else its kind; not unique.
std::string subjectOf(const Operation &op);

class OperationNames {
public:
  /// Counts the names; the graph may change afterwards.
  explicit OperationNames(const Graph &graph);
  OperationNames() = default;
  std::string operator()(const Operation &op) const;

private:
  llvm::StringMap<unsigned> uses; ///< look-ups only
};

} // namespace mfc
#endif
