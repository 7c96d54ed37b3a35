// Splits a profile into straight-line runs, prices each with the scoreboard, and adds what branches
// and the code memory cost.
#include "mfc/Cost/CycleModel.h"

#include "BranchCost.h"
#include "FetchCost.h"
#include "MachineCode.h"
#include "Scoreboard.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Target/TargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mfc;
using namespace mfc::cost;

struct CycleModel::Impl {
  std::unique_ptr<MachineCode> machine;
  std::unique_ptr<TimingTable> table;
  MemoryTiming memory;
};

CycleModel::CycleModel(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
CycleModel::CycleModel(CycleModel &&) noexcept = default;
CycleModel &CycleModel::operator=(CycleModel &&) noexcept = default;
CycleModel::~CycleModel() = default;

llvm::StringRef CycleModel::core() const { return impl->table->core.name; }

llvm::Expected<CycleModel> CycleModel::create(const TargetInfo &target,
                                              const MemoryTiming &memory) {
  auto machine = MachineCode::create(target);
  if (!machine)
    return machine.takeError();
  const CoreTiming *core = findCore(target.tuneCpu);
  if (!core)
    return makeError(ErrorClass::Unsupported, "there is no cycle model for the core '" +
                                                  target.tuneCpu +
                                                  "'; choose another one with -mtune=");
  if (memory.fetchBytes < 2 || !llvm::isPowerOf2_32(memory.fetchBytes))
    return makeError(ErrorClass::Usage, "code memory delivers " +
                                            std::to_string(memory.fetchBytes) +
                                            " bytes at a time; wanted a power of two, at least 2");
  auto impl = std::make_unique<Impl>();
  impl->table = std::make_unique<TimingTable>(*core, **machine);
  impl->machine = std::move(*machine);
  impl->memory = memory;
  return CycleModel(std::move(impl));
}

namespace {

/// Prices one profile; see CycleModel::cycles.
class Pricing {
public:
  Pricing(const TimingTable &table, const MemoryTiming &memory, const CodeImage &image,
          const ExecutionProfile &profile)
      : branches(table.core, image, profile), fetch(memory), board(table) {}

  void add(const CodeInstruction &instruction, const InstructionCount &count);
  void endRun();
  CycleReport report;

private:
  BranchCost branches;
  FetchCost fetch;
  Scoreboard board;
  const CodeInstruction *last = nullptr;
  InstructionCount lastCount;
};

/// The units' share of a run goes to its last instruction.
void Pricing::endRun() {
  if (!last)
    return;
  uint64_t cycles = lastCount.executions * board.excess();
  report.instructions.back().cycles += cycles;
  report.cycles += cycles;
  board.clear();
  last = nullptr;
}

void Pricing::add(const CodeInstruction &instruction, const InstructionCount &count) {
  bool neighbours = last && last->address + last->bytes == instruction.address;
  bool follows = neighbours && lastCount.executions > lastCount.taken;
  if (!neighbours || lastCount.taken != 0 || lastCount.executions != count.executions)
    endRun();
  unsigned once = board.issue(instruction);
  uint64_t cycles = count.executions * once + branches.of(instruction, count) +
                    fetch.of(instruction, count, once, follows);
  report.instructions.push_back({instruction.address, count.executions, cycles});
  report.cycles += cycles;
  report.executed += count.executions;
  if (instruction.kind == InstructionClass::Unknown)
    report.unmodelled += count.executions;
  last = &instruction;
  lastCount = count;
}

} // namespace

llvm::Expected<CycleReport> CycleModel::cycles(const CodeImage &image,
                                               const ExecutionProfile &profile) const {
  Pricing pricing(*impl->table, impl->memory, image, profile);
  uint64_t previous = 0;
  for (const InstructionCount &count : profile.instructions) {
    const CodeInstruction *instruction = image.at(count.address);
    if (!instruction)
      return makeError(
          ErrorClass::Usage,
          "the profile counts executions at 0x" + llvm::utohexstr(count.address, true) +
              ", where the code has no instruction; profile and code do not belong together");
    if (count.taken > count.executions || (previous && count.address <= previous))
      return makeError(ErrorClass::Usage,
                       "the profile is not sorted, or counts more taken branches than "
                       "executions, at 0x" +
                           llvm::utohexstr(count.address, true));
    previous = count.address;
    pricing.add(*instruction, count);
  }
  pricing.endRun();
  return std::move(pricing.report);
}

static uint64_t sumIn(const std::vector<InstructionCycles> &entries, uint64_t begin, uint64_t end,
                      uint64_t InstructionCycles::*field) {
  uint64_t sum = 0;
  auto it = std::lower_bound(entries.begin(), entries.end(), begin,
                             [](const InstructionCycles &i, uint64_t a) { return i.address < a; });
  for (; it != entries.end() && it->address < end; ++it)
    sum += (*it).*field;
  return sum;
}

uint64_t CycleReport::cyclesIn(uint64_t begin, uint64_t end) const {
  return sumIn(instructions, begin, end, &InstructionCycles::cycles);
}

uint64_t CycleReport::executedIn(uint64_t begin, uint64_t end) const {
  return sumIn(instructions, begin, end, &InstructionCycles::executions);
}

static void describeFigure(llvm::raw_ostream &os, llvm::StringRef what, const Figure &figure) {
  if (*figure.source)
    os << "| " << what << " | " << figure.value << " | | " << figure.source << " |\n";
}

void CycleModel::describe(llvm::raw_ostream &os) const {
  const CoreTiming &core = impl->table->core;
  os << "### " << core.name
     << "\n\n| class or rule | cycles | result after | source |\n|---|---|---|---|\n";
  for (const ClassTiming &row : core.classes) {
    os << "| " << spelling(row.kind) << " | ";
    if (row.registersPerCycle == 0)
      os << row.cycles;
    else if (row.cycles)
      os << row.cycles << " + ";
    if (row.registersPerCycle == 1)
      os << "N";
    else if (row.registersPerCycle > 1)
      os << "N/" << row.registersPerCycle;
    os << " | ";
    if (row.latency)
      os << row.latency;
    os << " | " << row.source << " |\n";
  }
  describeFigure(os, "taken direct branch, extra", core.takenDirect);
  describeFigure(os, "taken indirect branch, extra", core.takenIndirect);
  describeFigure(os, "mispredicted branch, extra", core.mispredicted);
  describeFigure(os, "unaligned branch target, extra", core.unalignedTarget);
  describeFigure(os, "load or indexed store behind a load, saves", core.loadPipelining);
  describeFigure(os, "address from the instruction before, extra", core.addressStall);
  describeFigure(os, "IT behind a 16-bit instruction, saves", core.foldedIfThen);
  describeFigure(os, "stores wait only for the address", core.lateStoreData);
  describeFigure(os, "chained multiply-adds, saves", core.forwardedSum);
  describeFigure(os, "loop end after the first pass is free", core.loopEndFree);
  if (core.scheduleModel)
    os << "| issue and units | | | " << core.scheduleSource << " |\n";
  os << "\nEverything else takes one cycle.\n";
}
