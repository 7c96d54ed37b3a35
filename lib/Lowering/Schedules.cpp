// Which schedules a kernel may have: the one by rule of thumb, and the menu around it.
#include "Gemm.h"
#include "Kernels.h"
#include "RowSums.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static Schedule scheduleByRule(const Kernel &kernel, const TargetInfo &target) {
  switch (kernel.anchor->kind()) {
  case OpKind::Conv2D:
    return convSchedules(kernel, target, false).front();
  case OpKind::Dense:
    return denseSchedules(kernel, target, false).front();
  case OpKind::DepthwiseConv2D:
    return depthwiseSchedules(kernel, target).front();
  default:
    return {};
  }
}

static uint64_t scratchBytes(const Kernel &kernel, const TargetInfo &target) {
  switch (kernel.anchor->kind()) {
  case OpKind::Conv2D:
    return convScratchBytes(kernel, target);
  case OpKind::Dense:
    return denseScratchBytes(kernel);
  case OpKind::DepthwiseConv2D:
    return depthwiseScratchBytes(kernel, target);
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
    return poolScratchBytes(kernel, target);
  case OpKind::ReduceMean:
    return kernel.byRows ? rowSumBytes(kernel) : 0;
  default:
    return 0;
  }
}

void mfc::setSchedule(Kernel &kernel, Schedule schedule, const TargetInfo &target) {
  kernel.schedule = std::move(schedule);
  kernel.scratchBytes = scratchBytes(kernel, target);
  kernel.scratchAlign = kernel.scratchBytes ? 16 : 1;
}

void mfc::prepareKernel(Kernel &kernel, const TargetInfo &target, const LoweringOptions &options) {
  Schedule schedule = scheduleByRule(kernel, target);
  if (options.smallScratch && schedule.product.storesSums)
    keepFewSums(schedule.product, GemmProblem(*kernel.anchor, 1).groupChannels);
  setSchedule(kernel, std::move(schedule), target);
}

void mfc::prepareKernels(const Graph &, Plan &plan, const TargetInfo &target, const LoweringOptions &options) {
  for (Kernel *kernel : plan.kernels())
    prepareKernel(*kernel, target, options);
}

std::vector<Schedule> mfc::blockings(const Kernel &kernel, const TargetInfo &target) {
  std::vector<Schedule> list{kernel.schedule};
  auto add = [&](std::vector<Schedule> more) {
    for (Schedule &schedule : more)
      if (!llvm::is_contained(list, schedule))
        list.push_back(std::move(schedule));
  };
  switch (kernel.anchor->kind()) {
  case OpKind::Conv2D:
    add(convSchedules(kernel, target, true));
    break;
  case OpKind::Dense:
    add(denseSchedules(kernel, target, true));
    break;
  case OpKind::DepthwiseConv2D:
    add(depthwiseSchedules(kernel, target));
    break;
  default:
    break;
  }
  return list;
}

std::vector<Schedule> mfc::refinements(const Kernel &kernel, const Schedule &blocking) {
  std::vector<Schedule> list;
  bool product = kernel.anchor->kind() == OpKind::Conv2D || kernel.anchor->kind() == OpKind::Dense;
  std::vector<unsigned> unrolls{blocking.product.unroll};
  for (unsigned unroll : {1u, 4u})
    if (product && unroll != blocking.product.unroll)
      unrolls.push_back(unroll);
  for (unsigned unroll : unrolls)
    for (bool scheduler : {true, false})
      for (bool loopReduction : {true, false}) {
        Schedule schedule = blocking;
        schedule.product.unroll = unroll;
        schedule.parts = {scheduler, loopReduction};
        if (schedule != blocking)
          list.push_back(std::move(schedule));
      }
  return list;
}
