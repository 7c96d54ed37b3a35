#include "BranchCost.h"

#include <algorithm>

using namespace mfc;
using namespace mfc::cost;
using C = InstructionClass;

BranchCost::BranchCost(const CoreTiming &core, const CodeImage &image,
                       const ExecutionProfile &profile)
    : core(core), image(image) {
  if (core.predictor != Predictor::LastBackward)
    return;
  for (const InstructionCount &count : profile.instructions) {
    const CodeInstruction *instruction = count.taken ? image.at(count.address) : nullptr;
    if (instruction && instruction->target && *instruction->target <= count.address)
      loops.push_back({count.address, *instruction->target});
  }
}

/// No other taken backward branch lies between target and branch, so this one is still remembered
/// when it comes round again.
bool BranchCost::closesInnermostLoop(const CodeInstruction &instruction) const {
  auto first = std::lower_bound(loops.begin(), loops.end(), *instruction.target,
                                [](const BackwardBranch &b, uint64_t a) { return b.address < a; });
  return first != loops.end() && first->address == instruction.address;
}

uint64_t BranchCost::mispredictions(const CodeInstruction &instruction,
                                    const InstructionCount &count) const {
  const uint64_t notTaken = count.executions - count.taken;
  switch (core.predictor) {
  case Predictor::None:
    return 0;
  case Predictor::Dynamic:
    return std::min(count.taken, notTaken);
  case Predictor::LastBackward:
    // Of an innermost loop that runs at all the first and the last branch are mispredicted; all
    // other taken branches are.
    if (instruction.target && *instruction.target <= instruction.address &&
        closesInnermostLoop(instruction))
      return 2 * std::min(count.taken, notTaken);
    return count.taken;
  }
  return 0;
}

static bool isDirect(C kind) { return kind == C::Branch || kind == C::Call; }
static bool isIndirect(C kind) {
  return kind == C::BranchIndirect || kind == C::BranchTable || kind == C::CallIndirect ||
         kind == C::PopReturn || kind == C::LoadPc;
}

uint64_t BranchCost::of(const CodeInstruction &instruction, const InstructionCount &count) const {
  uint64_t cycles = 0;
  const uint64_t taken = core.takenDirect.value;
  if (instruction.kind == C::BranchIf)
    cycles = core.predictor == Predictor::None
                 ? count.taken * taken
                 : mispredictions(instruction, count) * core.mispredicted.value;
  else if (isDirect(instruction.kind))
    cycles = count.taken * taken;
  else if (isIndirect(instruction.kind))
    cycles = count.taken * core.takenIndirect.value;
  else if (instruction.kind == C::LoopEnd && core.loopEndFree.value)
    // Once a loop that repeats, LE is an ordinary instruction and taken branch.
    cycles = std::min(count.taken, count.executions - count.taken) * (1 + taken);
  else if (instruction.kind == C::LoopEnd)
    cycles = count.executions + count.taken * taken;
  if (core.unalignedTarget.value && instruction.target && *instruction.target % 4 == 2)
    if (const CodeInstruction *target = image.at(*instruction.target); target && target->bytes == 4)
      cycles += count.taken * core.unalignedTarget.value;
  return cycles;
}
