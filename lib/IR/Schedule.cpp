#include "mfc/IR/Schedule.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mfc;

static std::string packingText(const GemmShape &shape) {
  switch (shape.packing) {
  case WeightPacking::Rows:
    return "";
  case WeightPacking::BytePairs:
    return ".byte-pairs";
  case WeightPacking::HalfPairs:
    return ".half-pairs" + std::to_string(shape.group);
  }
  llvm_unreachable("covered switch");
}

static std::string productText(const GemmShape &shape) {
  std::string text = "p" + std::to_string(shape.pixels) + "c" + std::to_string(shape.channels);
  if (shape.step > 1)
    text += "k" + std::to_string(shape.step);
  text += packingText(shape);
  if (shape.preparedBytes)
    text += ".rows" + std::to_string(shape.preparedBytes);
  if (!shape.order.empty())
    text += ".ordered";
  if (shape.storesSums)
    text += ".stored-sums" + (shape.sumPart ? std::to_string(shape.sumPart) : "");
  return shape.unroll ? text + ".u" + std::to_string(shape.unroll) : text;
}

std::string mfc::scheduleText(const Schedule &schedule) {
  std::string text;
  if (schedule.product != GemmShape())
    text = productText(schedule.product);
  else if (schedule.planar)
    text = "planar";
  else if (schedule.channelBlock)
    text = "c" + std::to_string(schedule.channelBlock);
  if (!schedule.parts.loopReduction)
    text += text.empty() ? "no-lsr" : ".no-lsr";
  if (!schedule.parts.scheduler)
    text += text.empty() ? "no-sched" : ".no-sched";
  return text.empty() ? "plain" : text;
}
