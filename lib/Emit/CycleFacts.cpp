#include "CycleFacts.h"

#include "mfc/Codegen/Compile.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Lowering/Lower.h"

#include <algorithm>
#include <map>

using namespace mfc;

namespace {

/// A function with everything that it calls.
struct Inclusive {
  double cycles = 0;
  uint64_t instructions = 0;
  uint64_t outside = 0; ///< calls of functions that are not in the library: soft-float helpers
  bool exact = true;
};

class Inclusives {
public:
  explicit Inclusives(llvm::ArrayRef<const ObjectCode *> objects) {
    for (const ObjectCode *object : objects)
      for (const FunctionRecord &record : object->functions)
        records[record.name] = &record;
  }

  bool has(const std::string &function) const {
    auto it = records.find(function);
    return it != records.end() && it->second->cost.modelledCycles;
  }
  uint64_t stepsOf(const std::string &function) const {
    return std::max<uint64_t>(records.at(function)->steps, 1);
  }
  /// Recursion was refused before (StackBound).
  const Inclusive &of(const std::string &function);

private:
  std::map<std::string, const FunctionRecord *> records;
  std::map<std::string, Inclusive> known;
};

const Inclusive &Inclusives::of(const std::string &function) {
  if (auto it = known.find(function); it != known.end())
    return it->second;
  const FunctionRecord &record = *records.at(function);
  Inclusive sum{*record.cost.modelledCycles, record.instructions, 0, record.exactCounts};
  for (const CalleeCount &call : record.calls) {
    if (!has(call.callee)) {
      sum.outside += call.count;
      continue;
    }
    const Inclusive &callee = of(call.callee);
    // A function that runs by steps is called once for each of them.
    uint64_t steps = stepsOf(call.callee), times = call.count / steps;
    sum.exact &= call.count % steps == 0;
    sum.cycles += static_cast<double>(times) * callee.cycles;
    sum.instructions += times * callee.instructions;
    sum.outside += times * callee.outside;
    sum.exact &= callee.exact;
  }
  return known[function] = sum;
}

} // namespace

void mfc::addCycleFacts(ModelInfo &info, llvm::ArrayRef<const ObjectCode *> objects) {
  Inclusives functions(objects);
  const std::string driver = driverSymbol(info.name);
  if (!functions.has(driver))
    return;
  for (LayerInfo &layer : info.layers) {
    const Inclusive &kernel = functions.of(layer.kernel);
    layer.instructions = kernel.instructions;
    layer.modelledCycles = kernel.cycles;
    layer.helperCalls = kernel.outside;
    layer.exactCounts = kernel.exact;
    // Between two steps control is with the driver. Steps differ at borders only; their mean is taken.
    double atOnce = kernel.cycles / static_cast<double>(functions.stepsOf(layer.kernel));
    if (!info.totals.longestKernel || atOnce > info.totals.longestKernel->modelledCycles)
      info.totals.longestKernel = {layer.name, layer.kernel, atOnce};
  }
  // The driver calls each layer, or each step of it, once. The entry point's checks of its arguments, some tens of
  // instructions in front of it, are left out.
  const Inclusive &whole = functions.of(driver);
  info.totals.modelledCycles = whole.cycles;
  info.totals.instructions = whole.instructions;
  info.totals.helperCalls = whole.outside;
  info.totals.exactCounts = whole.exact;
}
