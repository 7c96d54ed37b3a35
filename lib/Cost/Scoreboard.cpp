// In-order issue: an instruction starts when the one before it lets it and its operands are ready.
// With LLVM's scheduling model, neighbours that its groups and units allow start together, and a
// run cannot be shorter than the time its busiest unit needs.
#include "Scoreboard.h"

#include "MachineCode.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mfc;
using namespace mfc::cost;
using C = InstructionClass;

TimingTable::TimingTable(const CoreTiming &core, const MachineCode &machine)
    : core(core), machine(machine) {
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = {static_cast<C>(i), 1, 0, 0, "one cycle"};
  for (const ClassTiming &row : core.classes)
    rows[static_cast<size_t>(row.kind)] = row;
}

unsigned TimingTable::occupancy(const CodeInstruction &instruction) const {
  const ClassTiming &row = of(instruction.kind);
  return row.cycles + (row.registersPerCycle ? static_cast<unsigned>(llvm::divideCeil(
                                                   instruction.registers, row.registersPerCycle))
                                             : 0);
}

unsigned TimingTable::latency(const CodeInstruction &instruction) const {
  return std::max(of(instruction.kind).latency, occupancy(instruction));
}

static bool isLoad(C kind) { return kind >= C::Load && kind <= C::LoadMultiple; }
static bool isStore(C kind) {
  return (kind >= C::Store && kind <= C::StoreMultiple) || kind == C::FloatStore ||
         kind == C::VectorStore;
}
static bool isMemory(C kind) {
  return isLoad(kind) || isStore(kind) || kind == C::FloatLoad || kind == C::VectorLoad;
}
static bool isSingleLoad(C kind) {
  return kind == C::Load || kind == C::LoadNarrow || kind == C::LoadLiteral;
}
static bool isMultiply(C kind) { return kind >= C::Multiply && kind <= C::MultiplyDspAdd; }
static bool isDataProcessing(C kind) {
  return kind == C::Alu || isMultiply(kind) || kind == C::Divide;
}

Scoreboard::Scoreboard(const TimingTable &table) : table(table) {
  if (table.core.scheduleModel) {
    busy.resize(table.machine.schedule().getNumProcResourceKinds());
    groupUnits.resize(busy.size());
  }
}

void Scoreboard::clear() {
  previous = nullptr;
  pending.clear();
  free = group = 0;
  groupSize = 0;
  std::fill(groupUnits.begin(), groupUnits.end(), 0);
  std::fill(busy.begin(), busy.end(), 0);
}

uint64_t Scoreboard::operandsReady(const CodeInstruction &instruction) const {
  const bool addressOnly = table.core.lateStoreData.value && isStore(instruction.kind);
  const RegisterSet &needed = addressOnly ? instruction.addressReads : instruction.reads;
  uint64_t ready = 0;
  for (const Pending &result : pending) {
    if ((result.registers & needed).none())
      continue;
    bool forwarded =
        table.core.forwardedSum.value && isMultiply(result.kind) && isMultiply(instruction.kind);
    // The sum of a multiply-add is needed a cycle later than its factors; which operand it is, is
    // not told apart: chains of multiply-adds are chains of sums.
    ready = std::max(ready, result.ready - (forwarded && result.ready > 0 ? 1 : 0));
  }
  if (previous && isMemory(instruction.kind) && isDataProcessing(previous->kind) &&
      (previous->writes & instruction.addressReads).any())
    ready = std::max(ready, free + table.core.addressStall.value);
  return ready;
}

/// What the pairing rules of the table take off: pipelined loads, folded IT.
unsigned Scoreboard::saved(const CodeInstruction &instruction) const {
  if (!previous)
    return 0;
  if (instruction.kind == C::IfThen && previous->bytes == 2)
    return table.core.foldedIfThen.value;
  bool follows = isSingleLoad(instruction.kind) || instruction.kind == C::StoreIndexed;
  bool independent = (previous->writes & instruction.addressReads).none();
  if (follows && isSingleLoad(previous->kind) && !previous->writeback && independent)
    return table.core.loadPipelining.value;
  return 0;
}

/// Whether the instruction starts in the cycle of the open group.
bool Scoreboard::joins(const CodeInstruction &instruction, uint64_t ready) const {
  if (!table.core.scheduleModel || groupSize == 0 || ready > group)
    return false;
  const llvm::MCSchedModel &model = table.machine.schedule();
  if (groupSize >= model.IssueWidth)
    return false;
  const llvm::MCSchedClassDesc *description = model.getSchedClassDesc(instruction.scheduleClass);
  if (!description->isValid())
    return instruction.kind != C::Unknown;
  if (description->BeginGroup)
    return false;
  const llvm::MCSubtargetInfo &subtarget = *table.machine.subtarget;
  for (auto *use = subtarget.getWriteProcResBegin(description);
       use != subtarget.getWriteProcResEnd(description); ++use)
    if (groupUnits[use->ProcResourceIdx] >= model.getProcResource(use->ProcResourceIdx)->NumUnits)
      return false;
  return true;
}

void Scoreboard::takeUnits(const CodeInstruction &instruction) {
  const llvm::MCSchedModel &model = table.machine.schedule();
  const llvm::MCSchedClassDesc *description = model.getSchedClassDesc(instruction.scheduleClass);
  if (!description->isValid())
    return;
  const llvm::MCSubtargetInfo &subtarget = *table.machine.subtarget;
  for (auto *use = subtarget.getWriteProcResBegin(description);
       use != subtarget.getWriteProcResEnd(description); ++use) {
    busy[use->ProcResourceIdx] += use->ReleaseAtCycle - use->AcquireAtCycle;
    ++groupUnits[use->ProcResourceIdx];
  }
  if (description->EndGroup)
    groupSize = model.IssueWidth;
}

unsigned Scoreboard::issue(const CodeInstruction &instruction) {
  const uint64_t before = free;
  const uint64_t ready = operandsReady(instruction);
  const unsigned less = saved(instruction);
  unsigned cycles = table.occupancy(instruction);
  cycles -= std::min(cycles, less);
  uint64_t start = std::max(free, ready);
  if (cycles <= 1 && joins(instruction, ready)) {
    start = group;
    ++groupSize;
  } else {
    group = start;
    groupSize = cycles <= 1 ? 1 : table.machine.schedule().IssueWidth;
    std::fill(groupUnits.begin(), groupUnits.end(), 0);
  }
  free = std::max(free, start + cycles);
  if (table.core.scheduleModel)
    takeUnits(instruction);
  // Results that are ready no longer matter.
  llvm::erase_if(pending, [&](const Pending &p) { return p.ready <= group; });
  // What starts early ends early; nothing is ready in the cycle in which it starts.
  unsigned latency = table.latency(instruction);
  uint64_t result = start + std::max(latency - std::min(latency, less), 1u);
  pending.push_back({instruction.writes, result, instruction.kind});
  previous = &instruction;
  return static_cast<unsigned>(free - before);
}

unsigned Scoreboard::excess() const {
  uint64_t longest = 0;
  for (size_t i = 1; i < busy.size(); ++i)
    longest = std::max(
        longest, llvm::divideCeil(busy[i], table.machine.schedule().getProcResource(i)->NumUnits));
  return longest > free ? static_cast<unsigned>(longest - free) : 0;
}
