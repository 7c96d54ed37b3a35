// The module: one function per kernel, then the driver. See the header for names and signatures.
#include "mfc/Lowering/Lower.h"

#include "Driver.h"
#include "Kernels.h"
#include "LoweringContext.h"
#include "mfc/Memory/RowSchedule.h"

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

/// `steps`: of a kernel that runs by rows.
static llvm::Function *emitKernel(LoweringContext &cx, const Kernel &kernel, int64_t steps) {
  size_t pointers = kernel.inputs.size() + 1 + (kernel.scratchBytes ? 1 : 0);
  std::vector<llvm::Type *> parameters(pointers, llvm::PointerType::getUnqual(cx.llvm));
  if (kernel.byRows)
    parameters.push_back(llvm::Type::getInt32Ty(cx.llvm));
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(cx.llvm), parameters, false);
  bool created = false;
  llvm::Function *fn = cx.function(kernel.name, type, created);
  assert(created && "kernel names are unique");
  if (!kernel.schedule.parts.scheduler)
    fn->addFnAttr(kNoSchedulerAttribute);
  if (!kernel.schedule.parts.loopReduction)
    fn->addFnAttr(kNoLoopReductionAttribute);
  if (kernel.byRows)
    fn->addFnAttr(kStepsAttribute, std::to_string(steps));
  KernelBuilder kb(cx, fn);
  KernelIO io(kb, kernel);
  emitKernelBody(io);
  kb.finish();
  return fn;
}

static llvm::Error verify(const llvm::Module &module) {
  std::string problems;
  llvm::raw_string_ostream os(problems);
  if (llvm::verifyModule(module, &os))
    return llvm::createStringError("lowering made invalid IR: " + problems);
  return llvm::Error::success();
}

/// Of a kernel that runs by rows.
static int64_t stepsOf(const Plan &plan, const Kernel &kernel) {
  for (const Group &group : plan.groups)
    for (size_t k = 0; k < group.kernels.size(); ++k)
      if (group.kernels[k].anchor == kernel.anchor && group.kernels.size() > 1)
        return scheduleGroup(group, plan).members[k].steps;
  return 1;
}

llvm::Expected<std::unique_ptr<llvm::Module>> mfc::lowerKernel(llvm::LLVMContext &context, const Graph &graph,
                                                               const Plan &plan, const Kernel &kernel,
                                                               const TargetInfo &target,
                                                               const LoweringOptions &options) {
  context.setDiscardValueNames(false);
  auto module = std::make_unique<llvm::Module>("mfc_" + options.modelName, context);
  LoweringContext cx(*module, graph, plan, target, options);
  emitKernel(cx, kernel, stepsOf(plan, kernel))->setLinkage(llvm::GlobalValue::ExternalLinkage); // nothing here calls it
  if (llvm::Error error = verify(*module))
    return error;
  return module;
}

llvm::Expected<std::unique_ptr<llvm::Module>> mfc::lowerModel(llvm::LLVMContext &context, const Graph &graph,
                                                              const Plan &plan, const TargetInfo &target,
                                                              const LoweringOptions &options) {
  context.setDiscardValueNames(false); // block names say which loop spills
  auto module = std::make_unique<llvm::Module>("mfc_" + options.modelName, context);
  module->setSourceFileName(options.modelName);
  LoweringContext cx(*module, graph, plan, target, options);
  std::vector<llvm::Function *> functions;
  for (const Group &group : plan.groups) {
    std::optional<RowSchedule> schedule;
    if (group.kernels.size() > 1)
      schedule = scheduleGroup(group, plan);
    for (size_t k = 0; k < group.kernels.size(); ++k)
      functions.push_back(emitKernel(cx, group.kernels[k], schedule ? schedule->members[k].steps : 1));
  }
  emitDriver(cx, functions);
  if (llvm::Error error = verify(*module))
    return error;
  return module;
}
