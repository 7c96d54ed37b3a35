#include "mfc/Codegen/InclusiveCost.h"

#include <algorithm>

using namespace mfc;

InclusiveCosts::InclusiveCosts(llvm::ArrayRef<const ObjectCode *> objects) {
  for (const ObjectCode *object : objects)
    for (const FunctionRecord &record : object->functions)
      records[record.name] = &record;
}

std::optional<Inclusive> InclusiveCosts::of(const std::string &function) {
  if (auto it = known.find(function); it != known.end())
    return it->second;
  auto record = records.find(function);
  return known[function] = record == records.end() ? std::nullopt : sumOf(*record->second);
}

std::optional<Inclusive> InclusiveCosts::sumOf(const FunctionRecord &record) {
  if (!record.cost.modelledCycles)
    return std::nullopt;
  Inclusive sum{*record.cost.modelledCycles, record.instructions, 0, record.exactCounts,
                std::max<uint64_t>(record.steps, 1)};
  for (const CalleeCount &call : record.calls) {
    if (!records.count(call.callee)) {
      sum.outside += call.count;
      continue;
    }
    std::optional<Inclusive> callee = of(call.callee);
    if (!callee)
      return std::nullopt;
    // A function that runs by steps is called once for each of them.
    uint64_t times = call.count / callee->steps;
    sum.exact &= call.count % callee->steps == 0 && callee->exact;
    sum.cycles += static_cast<double>(times) * callee->cycles;
    sum.instructions += times * callee->instructions;
    sum.outside += times * callee->outside;
  }
  return sum;
}
