#include "CycleFacts.h"

#include "mfc/Codegen/InclusiveCost.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Lowering/Lower.h"

#include <algorithm>

using namespace mfc;

static void addNotes(ModelInfo &info, const ObjectCode &object) {
  for (const std::string &note : object.notes)
    info.decisions.push_back({RemarkKind::Analysis, "modelled-cycles", "unknown", info.name, note, {}});
}

void mfc::addCycleFacts(ModelInfo &info, llvm::ArrayRef<const ObjectCode *> objects) {
  for (const ObjectCode *object : objects)
    addNotes(info, *object);
  InclusiveCosts functions(objects);
  for (LayerInfo &layer : info.layers) {
    std::optional<Inclusive> kernel = functions.of(layer.kernel);
    if (!kernel)
      continue;
    layer.instructions = kernel->instructions;
    layer.modelledCycles = kernel->cycles;
    layer.helperCalls = kernel->outside;
    layer.exactCounts = kernel->exact;
    // Between two steps control is with the driver. Steps differ at borders only; their mean is taken.
    double atOnce = kernel->cycles / static_cast<double>(kernel->steps);
    if (!info.totals.longestKernel || atOnce > info.totals.longestKernel->modelledCycles)
      info.totals.longestKernel = {layer.name, layer.kernel, atOnce};
  }
  // The driver calls each layer, or each step of it, once. The entry point's checks of its arguments, some tens of
  // instructions in front of it, are left out.
  std::optional<Inclusive> whole = functions.of(driverSymbol(info.name));
  if (!whole)
    return info.totals.longestKernel.reset(); // the longest of those that are known may not be it
  info.totals.modelledCycles = whole->cycles;
  info.totals.instructions = whole->instructions;
  info.totals.helperCalls = whole->outside;
  info.totals.exactCounts = whole->exact;
}
