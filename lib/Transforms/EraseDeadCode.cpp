#include "mfc/Transforms/Passes.h"

using namespace mfc;

PassResult mfc::eraseDeadCode(Graph &graph, PassContext &ctx) {
  size_t constants = graph.constants().size();
  size_t removed = graph.eraseDead();
  return {.changed = removed != 0 || graph.constants().size() != constants};
}
