// The plan verifier. It shares with the planner only facts about kernels and groups (mayOverwrite(), RowSchedule); memory
// of views, lifetimes and overlaps are worked out here again, step by step instead of as intervals.
#include "mfc/Memory/Verifier.h"

#include "mfc/IR/Printer.h"
#include "mfc/Memory/InPlace.h"
#include "mfc/Memory/RowSchedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mfc;

namespace {

/// A stretch of arena with what it holds.
struct Stretch {
  std::string name;
  const Value *memory = nullptr; ///< null for scratch
  unsigned region = 0;
  uint64_t offset = 0, bytes = 0;
};

/// The steps of a group.
struct Span {
  const Kernel *alone = nullptr; ///< the one kernel of a group of one
  size_t first = 0, last = 0;
  std::vector<RowOverlap> overlaps;
};

class PlanVerifier {
public:
  PlanVerifier(const Graph &graph, const Plan &plan, const MemoryOptions &options, DiagnosticEngine &diag)
      : graph(graph), plan(plan), options(options), diag(diag), names(graph), kernels(plan.kernels()) {}

  bool run() {
    unsigned before = diag.errorCount();
    checkKernels();
    if (diag.errorCount() == before)
      checkPlacements();
    if (diag.errorCount() == before)
      checkSteps();
    return diag.errorCount() == before;
  }

private:
  const Graph &graph;
  const Plan &plan;
  const MemoryOptions &options;
  DiagnosticEngine &diag;
  ValueNames names;
  std::vector<const Kernel *> kernels;
  std::vector<Span> spanOf;     ///< by kernel
  std::vector<bool> keepsScratch; ///< by kernel: from the first step of its group to the last
  llvm::DenseMap<const Value *, const Value *> memory; ///< value -> the value whose memory it uses
  llvm::DenseMap<const Value *, size_t> writtenAt;     ///< memory -> step
  llvm::DenseMap<const Value *, size_t> neededUntil;   ///< memory -> step

  DiagnosticBuilder fault(ErrorClass errorClass = ErrorClass::Internal) {
    Location loc;
    loc.file = graph.file;
    return diag.error(errorClass, loc);
  }

  void checkKernels();
  void checkKernel(const Kernel &kernel, llvm::DenseSet<const Value *> &available);
  void checkPlacements();
  void checkValue(const Value *value, const llvm::DenseSet<const Value *> &stored);
  void checkArena(const Placement &placement, llvm::StringRef name, uint64_t align);
  void findLifetimes();
  void addKernelLifetimes(const Kernel &kernel, size_t step);
  void addGroupLifetimes(const Group &group, size_t first);
  void need(const Value *value, size_t step) {
    neededUntil[memory[value]] = std::max(neededUntil[memory[value]], step);
  }
  void checkSteps();
  void checkStep(size_t step);
  void checkPair(size_t step, const Stretch &a, const Stretch &b);
  bool writtenOver(size_t step, const Stretch &a, const Stretch &b) const;
};

//===-- Kernels against the graph --------------------------------------------------------------------------------===//

void PlanVerifier::checkKernel(const Kernel &kernel, llvm::DenseSet<const Value *> &available) {
  llvm::DenseSet<const Value *> inside;
  for (const Operation *op : kernel.ops) {
    for (const Value *operand : op->operands()) {
      if (inside.contains(operand) || memory.lookup(operand)->isConstant())
        continue;
      if (!llvm::is_contained(kernel.inputs, operand))
        fault() << "kernel " << kernel.name << " does not list " << names(operand) << " as an input";
      if (!available.contains(memory.lookup(operand)))
        fault() << "kernel " << kernel.name << " reads " << names(operand) << " before it is computed";
    }
    for (const Value *result : op->results())
      inside.insert(result);
  }
  if (!inside.contains(kernel.output))
    fault() << "kernel " << kernel.name << " does not compute its output " << names(kernel.output);
  available.insert(kernel.output);
}

void PlanVerifier::checkKernels() {
  llvm::DenseSet<const Value *> outputs, available;
  llvm::DenseMap<const Operation *, unsigned> count;
  for (const Kernel *kernel : kernels) {
    outputs.insert(kernel->output);
    for (const Operation *op : kernel->ops)
      ++count[op];
    if (!llvm::is_contained(kernel->ops, kernel->anchor))
      fault() << "kernel " << kernel->name << " does not contain its anchor";
  }
  for (const Value *input : graph.inputs()) {
    memory[input] = input;
    available.insert(input);
  }
  for (const Value *constant : graph.constants()) {
    memory[constant] = constant;
    available.insert(constant);
  }
  for (const Operation *op : graph.ops()) {
    bool view = hasTrait(op->kind(), OpTrait::View);
    if (count[op] > 1 || (count[op] == 0 && !view))
      fault() << names(op->result()) << " is computed by " << count[op] << " kernels";
    for (const Value *result : op->results())
      memory[result] = view && !outputs.contains(result) ? memory[op->operand(0)] : result;
  }
  for (const Kernel *kernel : kernels)
    checkKernel(*kernel, available);
  for (const GraphOutput &output : graph.outputs())
    if (!available.contains(memory[output.value]))
      fault() << "output " << names(output.value) << " is not stored by any kernel";
}

//===-- Placements -----------------------------------------------------------------------------------------------===//

void PlanVerifier::checkArena(const Placement &placement, llvm::StringRef name, uint64_t align) {
  if (placement.region >= plan.regions.size()) {
    fault() << name << " is in region " << placement.region << ", there are " << plan.regions.size();
    return;
  }
  const Region &region = plan.regions[placement.region];
  if (placement.offset % align != 0 || region.align % align != 0)
    fault() << name << " at offset " << placement.offset << " is not aligned to " << align;
  if (placement.bytes > region.bytes || placement.offset > region.bytes - placement.bytes)
    fault() << name << " ends at " << placement.offset + placement.bytes << ", region " << region.name << " has "
            << region.bytes << " bytes";
}

void PlanVerifier::checkValue(const Value *value, const llvm::DenseSet<const Value *> &stored) {
  const Value *source = memory.lookup(value);
  if (!source->isConstant() && !stored.contains(source))
    return; // lives in registers
  const Placement *own = plan.placementOf(value), *placement = plan.placementOf(source);
  if (!placement || placement->kind == PlacementKind::Register) {
    fault() << names(source) << " is stored but has no place";
    return;
  }
  bool ring = placement->kind == PlacementKind::Ring;
  uint64_t wanted = source->type.bytes();
  if (ring)
    wanted = wanted / static_cast<uint64_t>(source->type.dim(1)) * placement->rows;
  if (placement->bytes != wanted)
    fault() << names(source) << " has " << placement->bytes << " bytes of memory, its type needs " << wanted;
  if (source->isConstant() != (placement->kind == PlacementKind::Flash))
    fault() << names(source) << " is placed in " << placementName(placement->kind);
  if (placement->kind == PlacementKind::Arena || ring)
    checkArena(*placement, names(source), options.align);
  bool elsewhere = !own || own->kind != placement->kind || own->region != placement->region ||
                   own->offset != placement->offset;
  bool insideKernel = value != source && own && own->kind == PlacementKind::Register;
  if (elsewhere && !insideKernel)
    fault() << names(value) << " is a view of " << names(source) << " and is somewhere else";
}

void PlanVerifier::checkPlacements() {
  llvm::DenseSet<const Value *> stored;
  stored.insert(graph.inputs().begin(), graph.inputs().end());
  for (const Kernel *kernel : kernels) {
    stored.insert(kernel->output);
    auto scratch = plan.scratch.find(kernel->anchor);
    bool found = scratch != plan.scratch.end();
    if (found ? scratch->second.bytes < kernel->scratchBytes : kernel->scratchBytes != 0)
      fault() << "kernel " << kernel->name << " wants " << kernel->scratchBytes << " bytes of scratch and has "
              << (found ? scratch->second.bytes : 0);
    else if (found)
      checkArena(scratch->second, "scratch of " + kernel->name, kernel->scratchAlign);
  }
  for (const Value *input : graph.inputs())
    checkValue(input, stored);
  for (const Value *constant : graph.constants())
    checkValue(constant, stored);
  for (const Operation *op : graph.ops())
    for (const Value *result : op->results())
      checkValue(result, stored);
  for (const Region &region : plan.regions)
    if (region.capacity != 0 && region.bytes > region.capacity)
      fault(ErrorClass::Budget) << "region " << region.name << " has " << region.capacity << " bytes, the model needs "
                                << region.bytes;
}

//===-- Overlaps -------------------------------------------------------------------------------------------------===//

void PlanVerifier::findLifetimes() {
  size_t end = kernels.size() + 1;
  for (const Value *input : graph.inputs()) {
    writtenAt[input] = 0;
    neededUntil[input] = options.preserveInputs ? end : 0;
  }
  size_t step = 1;
  for (const Group &group : plan.groups) {
    group.kernels.size() == 1 ? addKernelLifetimes(group.kernels[0], step) : addGroupLifetimes(group, step);
    step += group.kernels.size();
  }
  for (const GraphOutput &output : graph.outputs())
    neededUntil[memory[output.value]] = end;
}

void PlanVerifier::addKernelLifetimes(const Kernel &kernel, size_t step) {
  for (const Operation *op : kernel.ops)
    for (const Value *operand : op->operands())
      need(operand, step);
  writtenAt[kernel.output] = step;
  need(kernel.output, step);
  spanOf.push_back({&kernel, step, step, wholeOverlaps(kernel)});
  keepsScratch.push_back(false);
}

void PlanVerifier::addGroupLifetimes(const Group &group, size_t first) {
  size_t last = first + group.kernels.size() - 1;
  RowSchedule schedule = scheduleGroup(group, plan);
  for (size_t k = 0; k < group.kernels.size(); ++k) {
    const Kernel &kernel = group.kernels[k];
    for (const Operation *op : kernel.ops)
      for (const Value *operand : op->operands()) {
        const RingUse *source = schedule.ring(operand);
        need(operand, source && source->passing ? first + k : last);
      }
    const RingUse *ring = schedule.ring(kernel.output);
    if (ring && plan.placementOf(kernel.output)->rows < ring->rows)
      fault() << "the ring of " << names(kernel.output) << " keeps " << plan.placementOf(kernel.output)->rows
              << " rows, its readers need " << ring->rows;
    writtenAt[kernel.output] = ring && ring->passing ? first + k : first;
    need(kernel.output, ring && ring->passing ? first + k : last);
    spanOf.push_back({nullptr, first, last, schedule.overlaps});
    keepsScratch.push_back(schedule.members[k].rows.accumulates);
  }
}

/// The group of this step writes one of the two over the other, which nobody reads later.
bool PlanVerifier::writtenOver(size_t step, const Stretch &a, const Stretch &b) const {
  if (!a.memory || !b.memory || step == 0 || step > kernels.size())
    return false;
  const Span &span = spanOf[step - 1];
  auto writtenHere = [&](const Value *value) {
    size_t at = writtenAt.lookup(value);
    return at == span.first; // whole results of a group are alive from its first step
  };
  for (auto [output, input] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    bool endsHere = neededUntil.lookup(input->memory) == span.last && !writtenHere(input->memory);
    if (!writtenHere(output->memory) || !endsHere || output->offset > input->offset)
      continue;
    auto fits = [&](const Value *read, const Value *written, uint64_t distance) {
      return memory.lookup(read) == input->memory && written == output->memory &&
             input->offset - output->offset >= distance;
    };
    if (llvm::any_of(span.overlaps, [&](const RowOverlap &o) { return fits(o.input, o.output, o.distance); }))
      return true;
    if (span.alone)
      for (const Value *v : span.alone->inputs)
        if (memory.lookup(v) == input->memory && mayOverwrite(*span.alone, v) &&
            (output->offset == input->offset || storesInOrder(*span.alone)))
          return true;
  }
  return false;
}

void PlanVerifier::checkPair(size_t step, const Stretch &a, const Stretch &b) {
  bool apart = a.region != b.region || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
  if (apart || a.bytes == 0 || b.bytes == 0 || writtenOver(step, a, b))
    return;
  std::string where = step == 0 ? "before the first kernel"
                      : step > kernels.size() ? "behind the last kernel"
                                              : "in kernel " + kernels[step - 1]->name;
  fault() << a.name << " at " << a.offset << " (" << a.bytes << " bytes) and " << b.name << " at " << b.offset << " ("
          << b.bytes << " bytes) are both alive " << where;
}

void PlanVerifier::checkStep(size_t step) {
  std::vector<Stretch> alive;
  auto addIfAlive = [&](const Value *value) {
    const Placement *placement = plan.placementOf(value);
    bool planned = placement->kind == PlacementKind::Arena || placement->kind == PlacementKind::Ring;
    if (planned && writtenAt[value] <= step && step <= neededUntil[value])
      alive.push_back({names(value).str(), value, placement->region, placement->offset, placement->bytes});
  };
  for (const Value *input : graph.inputs())
    addIfAlive(input);
  for (const Kernel *kernel : kernels)
    addIfAlive(kernel->output);
  for (size_t k = 0; k < kernels.size(); ++k) {
    auto scratch = plan.scratch.find(kernels[k]->anchor);
    bool now = keepsScratch[k] ? spanOf[k].first <= step && step <= spanOf[k].last : step == k + 1;
    if (now && scratch != plan.scratch.end())
      alive.push_back({"scratch of " + kernels[k]->name, nullptr, scratch->second.region, scratch->second.offset,
                       scratch->second.bytes});
  }
  for (size_t i = 0; i < alive.size(); ++i)
    for (size_t j = i + 1; j < alive.size(); ++j)
      checkPair(step, alive[i], alive[j]);
}

void PlanVerifier::checkSteps() {
  findLifetimes();
  for (size_t step = 0; step <= kernels.size() + 1; ++step)
    checkStep(step);
}

} // namespace

bool mfc::verifyPlan(const Graph &graph, const Plan &plan, const MemoryOptions &options, DiagnosticEngine &diag) {
  return PlanVerifier(graph, plan, options, diag).run();
}
