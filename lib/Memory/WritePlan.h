// From offsets to placements in the plan.
#ifndef MFC_LIB_MEMORY_WRITEPLAN_H
#define MFC_LIB_MEMORY_WRITEPLAN_H

#include "mfc/Memory/Lifetime.h"

namespace mfc {

/// Where a buffer is.
struct BufferPlace {
  unsigned region = 0;
  uint64_t offset = 0;
};

/// Placements of all buffers (rings stay rings) and of the views of them.
void writePlacements(const Graph &graph, Plan &plan, const std::vector<Buffer> &buffers,
                     const std::vector<BufferPlace> &places);

} // namespace mfc
#endif
