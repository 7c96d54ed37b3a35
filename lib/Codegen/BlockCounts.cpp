// Loops are summarized: what a loop does depends on the values that come in from outside and that
// its branches depend on. A nest of loops with constant bounds is thus run once per level, not once
// per iteration, and a loop whose bounds depend on the position (padding) once per distinct bound.
#include "BlockCounts.h"

#include "SliceValue.h"
#include "mfc/IR/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace mfc;
using namespace mfc::codegen;
using namespace llvm;

namespace {

/// Blocks that are run before the counts of loops are taken from earlier runs of the same loop:
/// about 0.1 s. Kernels need some thousands.
constexpr uint64_t stepLimit = 2'000'000;

/// What one entry of a loop (or the function) does.
struct Summary {
  std::vector<std::pair<const BasicBlock *, uint64_t>> blocks; ///< its own, without inner loops
  std::vector<std::pair<BlockCounts::Edge, uint64_t>> edges;
  std::vector<std::pair<unsigned, uint64_t>>
      inner; ///< summaries of inner loops and how often entered
  BlockCounts::Edge exit = {nullptr, nullptr};
  std::vector<std::pair<const Instruction *, SliceValue>>
      results; ///< that are used behind the loop
};

/// The instructions that branches depend on, and what enters and leaves each loop.
class ControlSlice {
public:
  ControlSlice(const Function &function, const LoopInfo &loops);

  bool contains(const Instruction &instruction) const { return members.contains(&instruction); }
  /// Values from outside that the branches of the loop depend on, without the phis of its header.
  ArrayRef<const llvm::Value *> inputs(const Loop *loop) const;
  ArrayRef<const Instruction *> results(const Loop *loop) const;

private:
  DenseSet<const Instruction *> members;
  std::map<const Loop *, SmallVector<const llvm::Value *, 8>> inputsOf;
  std::map<const Loop *, SmallVector<const Instruction *, 4>> resultsOf;

  void collect(const Function &function);
  void addUse(const Instruction &user, const llvm::Value *used, const LoopInfo &loops);
};

class Counter {
public:
  explicit Counter(const Function &function);
  /// The value of an argument.
  void set(const Argument *argument, uint64_t bits) { values[argument] = SliceValue::integer(bits); }
  BlockCounts run();

private:
  const Function &function;
  const DataLayout &layout;
  DominatorTree dominators;
  LoopInfo loops;
  ControlSlice slice;
  DenseMap<const llvm::Value *, SliceValue> values;
  std::vector<Summary> summaries;
  struct Entered {
    std::map<std::vector<SliceValue>, unsigned> summaries; ///< by what came in; only looked up
    unsigned last = 0;
  };
  std::map<const Loop *, Entered> known;
  uint64_t steps = 0;
  bool exact = true;

  SliceValue value(const llvm::Value *v) const;
  unsigned runRegion(const Loop *loop, const BasicBlock *entry, const BasicBlock *before);
  unsigned enterLoop(const Loop *loop, const BasicBlock *before);
  void evaluateBlock(const BasicBlock &block, const BasicBlock *before);
  const BasicBlock *chooseSuccessor(const BasicBlock &block, const Loop *loop);
  const BasicBlock *guess(const BranchInst &branch, const Loop *loop);
  const Loop *loopToEnter(const BasicBlock *block, const Loop *region) const;
};

} // namespace

ControlSlice::ControlSlice(const Function &function, const LoopInfo &loops) {
  collect(function);
  // In program order, so that keys are the same in every run.
  for (const Instruction &instruction : instructions(function)) {
    if (!contains(instruction) && !instruction.isTerminator())
      continue;
    for (const Use &use : instruction.operands())
      addUse(instruction, use.get(), loops);
  }
}

void ControlSlice::collect(const Function &function) {
  SmallVector<const Instruction *, 32> work;
  auto add = [&](const llvm::Value *value) {
    if (auto *instruction = dyn_cast<Instruction>(value);
        instruction && members.insert(instruction).second)
      work.push_back(instruction);
  };
  for (const BasicBlock &block : function) {
    if (auto *branch = dyn_cast<BranchInst>(block.getTerminator());
        branch && branch->isConditional())
      add(branch->getCondition());
    else if (auto *choice = dyn_cast<SwitchInst>(block.getTerminator()))
      add(choice->getCondition());
  }
  while (!work.empty()) {
    const Instruction *instruction = work.pop_back_val();
    if (instruction->mayReadFromMemory() && !isa<CallBase>(instruction))
      continue; // data: what its address is does not matter
    for (const Use &use : instruction->operands())
      add(use.get());
  }
}

void ControlSlice::addUse(const Instruction &user, const llvm::Value *used, const LoopInfo &loops) {
  auto *definition = dyn_cast<Instruction>(used);
  if (!definition || !contains(*definition))
    return;
  const Loop *inside = loops.getLoopFor(definition->getParent());
  // A phi uses its value at the end of the block that it comes from.
  const Loop *at = loops.getLoopFor(user.getParent());
  for (const Loop *loop = at; loop && !loop->contains(definition->getParent());
       loop = loop->getParentLoop()) {
    bool header = isa<PHINode>(user) && user.getParent() == loop->getHeader();
    if (!header && !is_contained(inputsOf[loop], used))
      inputsOf[loop].push_back(used);
  }
  for (const Loop *loop = inside; loop && !loop->contains(user.getParent());
       loop = loop->getParentLoop())
    if (!is_contained(resultsOf[loop], definition))
      resultsOf[loop].push_back(definition);
}

ArrayRef<const llvm::Value *> ControlSlice::inputs(const Loop *loop) const {
  auto it = inputsOf.find(loop);
  return it == inputsOf.end() ? ArrayRef<const llvm::Value *>() : ArrayRef<const llvm::Value *>(it->second);
}

ArrayRef<const Instruction *> ControlSlice::results(const Loop *loop) const {
  auto it = resultsOf.find(loop);
  return it == resultsOf.end() ? ArrayRef<const Instruction *>()
                               : ArrayRef<const Instruction *>(it->second);
}

Counter::Counter(const Function &function)
    : function(function), layout(function.getDataLayout()),
      dominators(const_cast<Function &>(function)), loops(dominators), slice(function, loops) {}

SliceValue Counter::value(const llvm::Value *v) const {
  if (!isa<Instruction>(v) && !values.contains(v))
    return evaluateLeaf(v, layout);
  return values.lookup(v);
}

/// Phis first and all at once, then the rest in order.
void Counter::evaluateBlock(const BasicBlock &block, const BasicBlock *before) {
  SmallVector<std::pair<const PHINode *, SliceValue>, 8> phis;
  for (const PHINode &phi : block.phis())
    if (slice.contains(phi))
      phis.push_back({&phi, before ? value(phi.getIncomingValueForBlock(before)) : SliceValue()});
  for (auto &[phi, result] : phis)
    values[phi] = result;
  for (const Instruction &instruction : block)
    if (!isa<PHINode>(instruction) && slice.contains(instruction))
      values[&instruction] =
          evaluateInstruction(instruction, layout, [&](const llvm::Value *v) { return value(v); });
}

const BasicBlock *Counter::guess(const BranchInst &branch, const Loop *loop) {
  exact = false;
  const BasicBlock *first = branch.getSuccessor(0), *second = branch.getSuccessor(1);
  if (loop && loop->contains(first) != loop->contains(second))
    return loop->contains(first) ? second : first;
  // The side that only this branch leads to does the work; the other one is where both meet.
  return first->getUniquePredecessor() ? first : second;
}

const BasicBlock *Counter::chooseSuccessor(const BasicBlock &block, const Loop *loop) {
  const Instruction *end = block.getTerminator();
  if (end->getNumSuccessors() == 0)
    return nullptr;
  if (end->getNumSuccessors() == 1)
    return end->getSuccessor(0);
  if (auto *branch = dyn_cast<BranchInst>(end)) {
    SliceValue condition = value(branch->getCondition());
    if (!condition.known || condition.base)
      return guess(*branch, loop);
    return branch->getSuccessor(condition.bits ? 0 : 1);
  }
  if (auto *choice = dyn_cast<SwitchInst>(end)) {
    SliceValue condition = value(choice->getCondition());
    if (condition.known && !condition.base)
      for (auto &option : choice->cases())
        if (option.getCaseValue()->getZExtValue() == condition.bits)
          return option.getCaseSuccessor();
    exact &= condition.known;
    return choice->getDefaultDest();
  }
  exact = false;
  return end->getSuccessor(0);
}

/// The outermost loop within the region that starts with this block, or null.
const Loop *Counter::loopToEnter(const BasicBlock *block, const Loop *region) const {
  const Loop *found = nullptr;
  for (const Loop *loop = loops.getLoopFor(block); loop && loop != region;
       loop = loop->getParentLoop())
    if (loop->getHeader() == block)
      found = loop;
  return found;
}

unsigned Counter::enterLoop(const Loop *loop, const BasicBlock *before) {
  std::vector<SliceValue> key;
  for (const llvm::Value *input : slice.inputs(loop))
    key.push_back(value(input));
  for (const PHINode &phi : loop->getHeader()->phis())
    if (slice.contains(phi))
      key.push_back(value(phi.getIncomingValueForBlock(before)));
  Entered &earlier = known[loop];
  if (auto it = earlier.summaries.find(key); it != earlier.summaries.end())
    return it->second;
  if (steps > stepLimit && !earlier.summaries.empty()) {
    exact = false;
    return earlier.last;
  }
  earlier.last = runRegion(loop, loop->getHeader(), before);
  earlier.summaries.emplace(std::move(key), earlier.last);
  return earlier.last;
}

unsigned Counter::runRegion(const Loop *loop, const BasicBlock *entry, const BasicBlock *before) {
  // Maps are ordered by first execution, not by pointer.
  MapVector<const BasicBlock *, uint64_t> blocks;
  MapVector<BlockCounts::Edge, uint64_t> edges;
  MapVector<unsigned, uint64_t> inner;
  BlockCounts::Edge exit = {nullptr, nullptr};
  const BasicBlock *block = entry;
  for (;;) {
    const BasicBlock *next;
    if (const Loop *child = loopToEnter(block, loop)) {
      unsigned index = enterLoop(child, before);
      ++inner[index];
      for (auto &[result, known] : summaries[index].results)
        values[result] = known;
      block = summaries[index].exit.first;
      next = summaries[index].exit.second;
    } else {
      ++blocks[block];
      evaluateBlock(*block, before);
      next = chooseSuccessor(*block, loops.getLoopFor(block));
      // Far beyond the bound even a single loop is cut off.
      if (++steps > 8 * stepLimit) {
        exact = false;
        next = nullptr;
      }
      if (next)
        ++edges[{block, next}];
    }
    before = block;
    if (!next || (loop && !loop->contains(next))) {
      exit = {block, next};
      break;
    }
    block = next;
  }
  Summary summary;
  summary.blocks.assign(blocks.begin(), blocks.end());
  summary.edges.assign(edges.begin(), edges.end());
  summary.inner.assign(inner.begin(), inner.end());
  summary.exit = exit;
  if (loop)
    for (const Instruction *result : slice.results(loop))
      summary.results.push_back({result, values.lookup(result)});
  summaries.push_back(std::move(summary));
  return static_cast<unsigned>(summaries.size() - 1);
}

BlockCounts Counter::run() {
  runRegion(nullptr, &function.getEntryBlock(), nullptr);
  // A summary is finished before the ones that use it, so users come later in the list.
  std::vector<uint64_t> times(summaries.size(), 0);
  times.back() = 1;
  BlockCounts counts;
  for (size_t i = summaries.size(); i-- > 0;) {
    const Summary &summary = summaries[i];
    for (auto &[block, n] : summary.blocks)
      counts.blocks[block] += times[i] * n;
    for (auto &[edge, n] : summary.edges)
      counts.edges[edge] += times[i] * n;
    for (auto &[index, n] : summary.inner)
      times[index] += times[i] * n;
  }
  counts.exact = exact;
  return counts;
}

static void addTo(BlockCounts &sum, const BlockCounts &more) {
  for (auto &[block, n] : more.blocks)
    sum.blocks[block] += n;
  for (auto &[edge, n] : more.edges)
    sum.edges[edge] += n;
  sum.exact &= more.exact;
}

BlockCounts codegen::countBlocks(const Function &function) {
  uint64_t steps = stepsOf(function);
  if (steps == 0)
    return Counter(function).run();
  BlockCounts sum;
  for (uint64_t step = 0; step < steps; ++step) {
    Counter counter(function);
    counter.set(function.getArg(function.arg_size() - 1), step);
    addTo(sum, counter.run());
  }
  return sum;
}

uint64_t codegen::stepsOf(const Function &function) {
  return function.getFnAttributeAsParsedInteger(kStepsAttribute, 0);
}
