// Buffers first, then the views of them.
#include "WritePlan.h"

using namespace mfc;

void mfc::writePlacements(const Graph &graph, Plan &plan, const std::vector<Buffer> &buffers,
                          const std::vector<BufferPlace> &places) {
  plan.scratch.clear();
  for (size_t i = 0; i < buffers.size(); ++i) {
    Placement placement;
    placement.region = places[i].region;
    placement.offset = places[i].offset;
    placement.bytes = buffers[i].bytes;
    if (const Value *value = buffers[i].value) {
      if (const Placement *before = plan.placementOf(value); before && before->kind == PlacementKind::Ring) {
        placement.kind = PlacementKind::Ring;
        placement.rows = before->rows;
      }
      plan.placements[value] = placement;
    } else
      plan.scratch[buffers[i].kernel->anchor] = placement;
  }
  MemoryOf memoryOf(plan);
  for (const Operation *op : graph.ops()) // in order, so that views of views work
    for (const Value *result : op->results()) {
      const Value *memory = memoryOf(result);
      const Placement *source = plan.placementOf(memory);
      const Placement *own = plan.placementOf(result);
      bool inRegister = own && own->kind == PlacementKind::Register;
      if (memory != result && source && !inRegister)
        plan.placements[result] = *source;
    }
}
