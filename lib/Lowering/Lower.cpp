// The module: one function per kernel, then the driver. See the header for names and signatures.
#include "mfc/Lowering/Lower.h"

#include "Kernels.h"
#include "LayerTaps.h"
#include "LoweringContext.h"
#include "mfc/Memory/Lifetime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Verifier.h"

using namespace mfc;

std::string mfc::kernelSymbol(llvm::StringRef modelName, const Kernel &kernel) {
  return ("mfc_" + modelName + "_" + kernel.name).str();
}

std::string mfc::driverSymbol(llvm::StringRef modelName) { return ("mfc_" + modelName + "_run").str(); }

static void emitKernelBody(KernelIO &io) {
  switch (io.kernel.anchor->kind()) {
  case OpKind::Conv2D:
    return emitConv2D(io);
  case OpKind::DepthwiseConv2D:
    return emitDepthwiseConv2D(io);
  case OpKind::Dense:
    return emitDense(io);
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
    return emitPool(io);
  case OpKind::ReduceMean:
    return emitReduceMean(io);
  case OpKind::Softmax:
    return emitSoftmax(io);
  case OpKind::Transpose:
    return emitTranspose(io);
  case OpKind::Concat:
    return emitConcat(io);
  case OpKind::Slice:
    return emitSlice(io);
  case OpKind::Pad:
    return emitPad(io);
  case OpKind::Gather:
    return emitGather(io);
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Maximum:
  case OpKind::Minimum:
  case OpKind::Clamp:
  case OpKind::LeakyRelu:
  case OpKind::Logistic:
  case OpKind::Tanh:
  case OpKind::Exp:
  case OpKind::Sqrt:
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Quantize:
  case OpKind::Dequantize:
  case OpKind::Requantize:
  case OpKind::Cast:
    return emitElementwiseKernel(io);
  case OpKind::Reshape: // views that must be stored after all: outputs in the caller's buffer
  case OpKind::Identity:
    return emitViewCopy(io);
  case OpKind::BatchNorm:
    break;
  }
  llvm_unreachable("canLower was asked");
}

static llvm::Function *emitKernel(LoweringContext &cx, const Kernel &kernel) {
  size_t pointers = kernel.inputs.size() + 1 + (kernel.scratchBytes ? 1 : 0);
  std::vector<llvm::Type *> parameters(pointers, llvm::PointerType::getUnqual(cx.llvm));
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(cx.llvm), parameters, false);
  bool created = false;
  llvm::Function *fn = cx.function(kernel.name, type, created);
  assert(created && "kernel names are unique");
  if (!kernel.schedule.parts.scheduler)
    fn->addFnAttr(kNoSchedulerAttribute);
  if (!kernel.schedule.parts.loopReduction)
    fn->addFnAttr(kNoLoopReductionAttribute);
  KernelBuilder kb(cx, fn);
  KernelIO io(kb, kernel);
  emitKernelBody(io);
  kb.finish();
  return fn;
}

namespace {
/// The driver: calls every kernel with the addresses that the plan chose.
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

  void emit(llvm::ArrayRef<std::pair<const Kernel *, llvm::Function *>> kernels) {
    KernelBuilder kb(cx, fn);
    if (cx.options.layerTaps)
      tapInputs(kb);
    int layer = 0;
    for (auto &[kernel, function] : kernels) {
      Values arguments;
      for (const Value *input : kernel->inputs)
        arguments.push_back(address(kb, input));
      arguments.push_back(address(kb, kernel->output));
      if (kernel->scratchBytes)
        arguments.push_back(at(kb, cx.plan.scratch.at(kernel->anchor)));
      kb.b.CreateCall(function, arguments)->setTailCallKind(llvm::CallInst::TCK_NoTail);
      if (cx.options.layerTaps)
        emitLayerTap(kb, layer, address(kb, kernel->output), kernel->output->type.bytes());
      ++layer;
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

llvm::Expected<std::unique_ptr<llvm::Module>> mfc::lowerModel(llvm::LLVMContext &context, const Graph &graph,
                                                              const Plan &plan, const TargetInfo &target,
                                                              const LoweringOptions &options) {
  context.setDiscardValueNames(false); // block names say which loop spills
  auto module = std::make_unique<llvm::Module>("mfc_" + options.modelName, context);
  module->setSourceFileName(options.modelName);
  LoweringContext cx(*module, graph, plan, target, options);
  std::vector<std::pair<const Kernel *, llvm::Function *>> kernels;
  for (const Kernel *kernel : plan.kernels())
    kernels.push_back({kernel, emitKernel(cx, *kernel)});
  DriverEmitter(cx).emit(kernels);
  std::string problems;
  llvm::raw_string_ostream os(problems);
  if (llvm::verifyModule(*module, &os))
    return llvm::createStringError("lowering made invalid IR: " + problems);
  return module;
}

static Schedule scheduleByRule(const Kernel &kernel, const TargetInfo &target) {
  switch (kernel.anchor->kind()) {
  case OpKind::Conv2D:
    return convSchedule(kernel, target);
  case OpKind::Dense:
    return denseSchedule(kernel, target);
  case OpKind::DepthwiseConv2D:
    return depthwiseSchedule(kernel, target);
  default:
    return {};
  }
}

static uint64_t scratchBytes(const Kernel &kernel, const TargetInfo &target) {
  switch (kernel.anchor->kind()) {
  case OpKind::Conv2D:
    return convScratchBytes(kernel);
  case OpKind::Dense:
    return denseScratchBytes(kernel);
  case OpKind::DepthwiseConv2D:
    return depthwiseScratchBytes(*kernel.anchor, target);
  default:
    return 0;
  }
}

void mfc::setSchedule(Kernel &kernel, Schedule schedule, const TargetInfo &target) {
  kernel.schedule = std::move(schedule);
  kernel.scratchBytes = scratchBytes(kernel, target);
  kernel.scratchAlign = kernel.scratchBytes ? 16 : 1;
}

void mfc::prepareKernels(const Graph &, Plan &plan, const TargetInfo &target, const LoweringOptions &) {
  for (Kernel *kernel : plan.kernels())
    setSchedule(*kernel, scheduleByRule(*kernel, target), target);
}
