// A group of one kernel is one call. A group that runs by rows is a nest of loops: before each step of a kernel, the
// kernels that it calls run the steps that are missing (Memory/RowSchedule.h). How far each one has got is carried
// along the loops.
#include "Driver.h"

#include "KernelBuilder.h"
#include "LayerTaps.h"
#include "mfc/Memory/Lifetime.h"
#include "mfc/Memory/RowSchedule.h"

using namespace mfc;

namespace {

/// Calls a kernel, with the number of its step if it runs by rows.
using CallKernel = llvm::function_ref<void(size_t kernel, llvm::Value *step)>;

class GroupLoops {
public:
  GroupLoops(KernelBuilder &kb, const Group &group, const RowSchedule &schedule, CallKernel call)
      : kb(kb), group(group), schedule(schedule), call(call), called(schedule.members.size()) {
    for (size_t k = 0; k < called.size(); ++k)
      if (std::optional<size_t> caller = schedule.members[k].caller)
        called[*caller].push_back(k);
  }

  void emit() {
    size_t last = called.size() - 1;
    Values done(called.size(), kb.i32(0));
    kb.loop("group", kb.i32(schedule.members[last].steps), done,
            [&](llvm::Value *step, llvm::ArrayRef<llvm::Value *> now) {
              Values next(now.begin(), now.end());
              emitStep(last, step, next);
              return next;
            });
  }

private:
  KernelBuilder &kb;
  const Group &group;
  const RowSchedule &schedule;
  CallKernel call;
  std::vector<std::vector<size_t>> called;

  void emitStep(size_t k, llvm::Value *step, Values &done) {
    for (size_t c : called[k]) {
      llvm::Value *end = endOf(c, step);
      std::vector<size_t> below;
      collect(c, below);
      Values start;
      for (size_t b : below)
        start.push_back(done[b]);
      Values after = kb.rangeLoop(group.kernels[c].name.c_str(), done[c], end, start,
                                  [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) {
                                    Values inner = done;
                                    for (size_t b = 0; b < below.size(); ++b)
                                      inner[below[b]] = now[b];
                                    emitStep(c, i, inner);
                                    Values next;
                                    for (size_t b : below)
                                      next.push_back(inner[b]);
                                    return next;
                                  });
      for (size_t b = 0; b < below.size(); ++b)
        done[below[b]] = after[b];
      done[c] = kb.smax(done[c], end);
    }
    call(k, step);
  }

  /// RowMember::end() as code.
  llvm::Value *endOf(size_t c, llvm::Value *step) {
    llvm::Value *most = nullptr;
    for (const Window &window : schedule.members[c].demand) {
      llvm::Value *end = kb.add(kb.mulConst(step, window.stride), kb.i32(window.span() - window.before));
      most = most ? kb.smax(most, end) : end;
    }
    return kb.smin(most, kb.i32(schedule.members[c].rows.steps));
  }

  /// All kernels that run because of c, without c.
  void collect(size_t c, std::vector<size_t> &list) const {
    for (size_t b : called[c]) {
      collect(b, list);
      list.push_back(b);
    }
  }
};

class DriverEmitter {
public:
  explicit DriverEmitter(LoweringContext &cx) : cx(cx), memoryOf(cx.plan) {
    for (const Value *input : cx.graph.inputs())
      addCallerBuffer(input);
    for (const GraphOutput &output : cx.graph.outputs())
      addCallerBuffer(output.value);
    std::vector<llvm::Type *> parameters(arenas() + callerBuffers, llvm::PointerType::getUnqual(cx.llvm));
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(cx.llvm), parameters, false);
    fn = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, driverSymbol(cx.options.modelName), cx.module);
    fn->setVisibility(llvm::GlobalValue::HiddenVisibility);
    fn->setDoesNotThrow();
  }

  void emit(llvm::ArrayRef<llvm::Function *> functions) {
    KernelBuilder kb(cx, fn);
    if (cx.options.layerTaps)
      tapInputs(kb);
    size_t first = 0;
    for (const Group &group : cx.plan.groups) {
      emitGroup(kb, group, functions.slice(first, group.kernels.size()), static_cast<int>(first));
      first += group.kernels.size();
    }
    kb.finish();
  }

private:
  unsigned arenas() const { return static_cast<unsigned>(cx.plan.regions.size()); }

  void addCallerBuffer(const Value *value) {
    const Placement *placement = cx.plan.placementOf(memoryOf(value));
    if (placement && placement->kind == PlacementKind::Caller)
      ++callerBuffers;
  }

  void tapInputs(KernelBuilder &kb) {
    int number = -1;
    for (const Value *input : cx.graph.inputs())
      emitLayerTap(kb, number--, address(kb, input), input->type.bytes());
  }

  void emitGroup(KernelBuilder &kb, const Group &group, llvm::ArrayRef<llvm::Function *> functions, int layer) {
    if (group.kernels.size() > 1) {
      assert(!cx.options.layerTaps && "there are no whole tensors to show");
      GroupLoops(kb, group, scheduleGroup(group, cx.plan), [&](size_t k, llvm::Value *step) {
        emitCall(kb, group.kernels[k], functions[k], step);
      }).emit();
      return;
    }
    const Kernel &kernel = group.kernels[0];
    emitCall(kb, kernel, functions[0], nullptr);
    if (cx.options.layerTaps)
      emitLayerTap(kb, layer, address(kb, kernel.output), kernel.output->type.bytes());
  }

  void emitCall(KernelBuilder &kb, const Kernel &kernel, llvm::Function *function, llvm::Value *step) {
    Values arguments;
    for (const Value *input : kernel.inputs)
      arguments.push_back(address(kb, input));
    arguments.push_back(address(kb, kernel.output));
    if (kernel.scratchBytes)
      arguments.push_back(at(kb, cx.plan.scratch.at(kernel.anchor)));
    if (step)
      arguments.push_back(step);
    kb.b.CreateCall(function, arguments)->setTailCallKind(llvm::CallInst::TCK_NoTail);
  }

  llvm::Value *at(KernelBuilder &kb, const Placement &placement) {
    if (placement.kind == PlacementKind::Caller)
      return fn->getArg(arenas() + static_cast<unsigned>(placement.ioIndex));
    return kb.at(fn->getArg(placement.region), static_cast<int64_t>(placement.offset));
  }

  llvm::Value *address(KernelBuilder &kb, const Value *value) {
    const Placement *placement = cx.plan.placementOf(memoryOf(value));
    assert(placement && "stored tensors are placed");
    return at(kb, *placement);
  }

  LoweringContext &cx;
  MemoryOf memoryOf;
  llvm::Function *fn = nullptr;
  unsigned callerBuffers = 0;
};

} // namespace

void mfc::emitDriver(LoweringContext &cx, llvm::ArrayRef<llvm::Function *> functions) { DriverEmitter(cx).emit(functions); }
