// Modelled cycles of layers and of the model, from the records of the compiled functions.
#ifndef MFC_LIB_EMIT_CYCLEFACTS_H
#define MFC_LIB_EMIT_CYCLEFACTS_H

#include "llvm/ADT/ArrayRef.h"

namespace mfc {

struct ModelInfo;
struct ObjectCode;

/// Fills the layers' instructions and modelled cycles, the totals, and the longest kernel. Leaves
/// them empty for targets without a cycle model (the host).
void addCycleFacts(ModelInfo &info, llvm::ArrayRef<const ObjectCode *> objects);

} // namespace mfc
#endif
