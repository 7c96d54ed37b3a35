#include "HostModel.h"

#include "mfc/Codegen/Compile.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Memory/Planner.h"
#include "mfc/Memory/Verifier.h"
#include "mfc/Sim/HostRun.h"
#include "mfc/Target/TargetInfo.h"
#include "mfc/Transforms/FuseRegister.h"
#include "mfc/Tuning/ScheduleSearch.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <cstring>

using namespace mfc;
using namespace mfc::test;

uint64_t Random::next() {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t Random::range(int64_t lo, int64_t hi) {
  return lo + static_cast<int64_t>(next() % static_cast<uint64_t>(hi - lo + 1));
}

double Random::real(double lo, double hi) { return lo + (hi - lo) * static_cast<double>(next() >> 11) * 0x1p-53; }

Tensor mfc::test::randomTensor(const TensorType &type, Random &random) {
  Tensor tensor(type);
  for (int64_t i = 0; i < type.count(); ++i) {
    if (isFloat(type.element))
      tensor.set<float>(i, static_cast<float>(random.real(-1, 1)));
    else
      tensor.setInteger(i, static_cast<int64_t>(random.next()));
  }
  return tensor;
}

llvm::Expected<std::vector<Tensor>> mfc::test::runOnHost(Graph &graph, llvm::ArrayRef<Tensor> inputs,
                                                         const HostOptions &options) {
  TargetOptions targetOptions;
  targetOptions.target = "host";
  llvm::Expected<TargetInfo> target = resolveTarget(targetOptions);
  if (!target)
    return target.takeError();
  DiagnosticEngine diag;
  RemarkList remarks;
  PassContext ctx{diag, remarks};
  ctx.target = &*target;
  Plan plan;
  FuseOptions fuseOptions;
  fuseOptions.fuse = options.fuse;
  fuseOptions.canFuseTail = canFuseTail;
  fuseOptions.canFuseHead = canFuseHead;
  fuseRegister(graph, plan, ctx, fuseOptions);
  LoweringOptions lowering;
  lowering.modelName = "test";
  prepareKernels(graph, plan, *target, lowering);
  takeSchedules(plan, *target, options.schedule);
  if (options.arrange)
    options.arrange(graph, plan, *target);
  MemoryOptions memory;
  planMemory(graph, plan, memory, &remarks);
  if (options.place)
    options.place(graph, plan);
  if (!verifyPlan(graph, plan, memory, diag))
    return llvm::createStringError("the plan is refused: " + diag.diagnostics().front().message);
  llvm::LLVMContext context;
  auto module = lowerModel(context, graph, plan, *target, lowering);
  if (!module)
    return module.takeError();
  (*module)->getFunction(driverSymbol("test"))->setVisibility(llvm::GlobalValue::DefaultVisibility);
  auto object = compileToObject(**module, *target);
  if (!object)
    return object.takeError();
  llvm::ArrayRef<char> bytes(object->bytes);
  auto program = HostProgram::load(bytes);
  if (!program)
    return program.takeError();
  auto *run = (*program)->function<void(void *)>(driverSymbol("test"));
  uint64_t arenaBytes = (plan.regions[0].bytes + 15) / 16 * 16;
  auto arena = GuardedBuffer::allocate(arenaBytes);
  if (!arena)
    return arena.takeError();
  arena->fill(options.poison);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const Placement *p = plan.placementOf(viewSource(graph.inputs()[i])))
      std::memcpy(arena->data() + p->offset, inputs[i].bytes.data(), inputs[i].bytes.size());
  run(arena->data());
  if (!arena->frontIntact())
    return llvm::createStringError("the zone in front of the arena was written");
  std::vector<Tensor> outputs;
  for (const GraphOutput &output : graph.outputs()) {
    const Placement *p = plan.placementOf(viewSource(output.value));
    if (!p)
      return llvm::createStringError("an output has no place");
    outputs.emplace_back(output.value->type,
                         llvm::ArrayRef<uint8_t>(arena->data() + p->offset, output.value->type.bytes()));
  }
  return outputs;
}
