// The other step of layout folding: op(reshape(x)) becomes reshape(op(x)). A reshape costs nothing, but it keeps operators
// apart that belong together, and transposes from reaching their opposite.
#ifndef MFC_LIB_TRANSFORMS_SINKRESHAPE_H
#define MFC_LIB_TRANSFORMS_SINKRESHAPE_H

#include "mfc/IR/Graph.h"

namespace mfc {

/// Moves the reshape(s) in front of op behind it: element-wise operators, batch_norm where the channels stay a dimension, pad and
/// slice where only dimensions of size 1 come and go. False if nothing changed.
bool sinkReshapeThrough(Graph &graph, Operation *op);

} // namespace mfc
#endif
