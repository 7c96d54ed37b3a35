#include "MeasurePlan.h"

#include "mfc/Emit/BuildLibrary.h"
#include "mfc/Memory/Planner.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mfc;

llvm::Expected<ModelInfo> mfc::measurePlan(const Graph &graph, Plan plan, const TargetInfo &target,
                                           const LoweringOptions &lowering, const MemoryOptions &memory) {
  planMemory(graph, plan, memory);
  llvm::LLVMContext context;
  auto module = lowerModel(context, graph, plan, target, lowering);
  if (!module)
    return module.takeError();
  ModelInfo info = describeModel(graph, plan, target, {});
  info.name = lowering.modelName;
  if (llvm::Error error = finishModule(**module, info, true))
    return error;
  auto objects = buildObject(**module, info);
  if (!objects)
    return objects.takeError();
  return info;
}
