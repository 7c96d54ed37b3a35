#include "mfc/IR/OperationNames.h"

#include "mfc/IR/Graph.h"

using namespace mfc;

std::string mfc::subjectOf(const Operation &op) {
  if (!op.loc.node.empty())
    return op.loc.node;
  if (!op.results().empty() && !op.result()->name.empty())
    return op.result()->name;
  return op.info().name.str();
}

OperationNames::OperationNames(const Graph &graph) {
  for (const Operation *op : graph.ops())
    ++uses[subjectOf(*op)];
}

std::string OperationNames::operator()(const Operation &op) const {
  std::string name = subjectOf(op);
  if (uses.lookup(name) > 1 && op.loc.nodeIndex >= 0)
    name += "#" + std::to_string(op.loc.nodeIndex);
  return name;
}
