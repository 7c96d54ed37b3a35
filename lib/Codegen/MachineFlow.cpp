// Unknown flows along the edges of the machine function, found by three rules in turn until nothing
// is left: what the IR says about blocks and edges that are still recognizable; conservation (what
// enters a block leaves it); and, only where these say nothing, the assumption in the header.
//
// A block of the IR is recognizable if it has one entry in the machine function and can be reached
// there from every block that leads to it in the IR. Otherwise part of it was copied into a
// predecessor (tail duplication), and the counts of its copies come from conservation.
#include "MachineFlow.h"

#include "BlockCounts.h"
#include "ContractedCfg.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/IR/Function.h"
#include <optional>

using namespace mfc;
using namespace mfc::codegen;
using namespace llvm;

namespace {

class FlowSolver {
public:
  FlowSolver(const MachineFunction &function, const BlockCounts &counts);
  void solve();
  FunctionFlow result() const;

private:
  struct Edge {
    unsigned from, to; ///< block numbers
    std::optional<uint64_t> count;
  };
  struct Node {
    const MachineBasicBlock *block = nullptr;
    SmallVector<unsigned, 4> in, out; ///< edges
    std::optional<uint64_t> count;
  };
  const MachineFunction &function;
  const BlockCounts &counts;
  std::vector<Edge> edges;
  std::vector<Node> nodes; ///< by block number
  bool exact = true;
  bool changed = false;

  void build();
  void pinBlocks(const ContractedCfg &cfg);
  void pinEdges(const ContractedCfg &cfg);
  bool isEntry(const MachineBasicBlock &block) const;
  bool reaches(const BasicBlock *from, const MachineBasicBlock &to) const;
  SmallVector<unsigned, 4> firstEdges(const BasicBlock *from, const MachineBasicBlock &to) const;
  void propagate();
  void conserve(Node &node, ArrayRef<unsigned> side);
  bool assume();
  void set(std::optional<uint64_t> &slot, uint64_t count);
};

class FlowReader : public MachineFunctionPass {
public:
  static char ID;
  explicit FlowReader(std::vector<FunctionFlow> &flows) : MachineFunctionPass(ID), flows(flows) {}
  StringRef getPassName() const override { return "mfc block counts"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override {
    flows.push_back(solveFlow(function));
    return false;
  }

private:
  std::vector<FunctionFlow> &flows;
};

} // namespace

char FlowReader::ID = 0;

FlowSolver::FlowSolver(const MachineFunction &function, const BlockCounts &counts)
    : function(function), counts(counts), exact(counts.exact) {
  build();
  ContractedCfg cfg(function, counts);
  pinBlocks(cfg);
  pinEdges(cfg);
}

void FlowSolver::build() {
  nodes.resize(function.getNumBlockIDs());
  for (const MachineBasicBlock &block : function)
    nodes[static_cast<unsigned>(block.getNumber())].block = &block;
  for (const MachineBasicBlock &block : function) {
    unsigned from = static_cast<unsigned>(block.getNumber());
    SmallVector<const MachineBasicBlock *, 4> seen;
    for (const MachineBasicBlock *next : block.successors()) {
      if (is_contained(seen, next))
        continue;
      seen.push_back(next);
      unsigned to = static_cast<unsigned>(next->getNumber());
      nodes[from].out.push_back(static_cast<unsigned>(edges.size()));
      nodes[to].in.push_back(static_cast<unsigned>(edges.size()));
      edges.push_back({from, to, std::nullopt});
    }
  }
}

void FlowSolver::set(std::optional<uint64_t> &slot, uint64_t count) {
  if (slot)
    return;
  slot = count;
  changed = true;
}

/// Whether control comes to the machine block from outside of its IR block, directly or through
/// blocks that belong to no IR block.
bool FlowSolver::isEntry(const MachineBasicBlock &block) const {
  if (&block == &function.front())
    return true;
  SmallVector<const MachineBasicBlock *, 8> work(block.predecessors()), visited;
  while (!work.empty()) {
    const MachineBasicBlock *before = work.pop_back_val();
    if (before->getBasicBlock()) {
      if (before->getBasicBlock() != block.getBasicBlock())
        return true;
    } else if (!is_contained(visited, before)) {
      visited.push_back(before);
      work.append(before->pred_begin(), before->pred_end());
    }
  }
  return false;
}

/// Edges by which control leaves machine blocks of an IR block and comes to this block, directly or
/// through blocks that belong to no IR block (split edges).
SmallVector<unsigned, 4> FlowSolver::firstEdges(const BasicBlock *from,
                                                const MachineBasicBlock &to) const {
  SmallVector<unsigned, 4> found;
  SmallVector<unsigned, 4> work = nodes[static_cast<unsigned>(to.getNumber())].in;
  SmallVector<unsigned, 8> visited;
  while (!work.empty()) {
    unsigned index = work.pop_back_val();
    if (is_contained(visited, index))
      continue;
    visited.push_back(index);
    const Node &before = nodes[edges[index].from];
    if (before.block->getBasicBlock() == from)
      found.push_back(index);
    else if (!before.block->getBasicBlock())
      work.append(before.in.begin(), before.in.end());
  }
  return found;
}

bool FlowSolver::reaches(const BasicBlock *from, const MachineBasicBlock &to) const {
  return !firstEdges(from, to).empty();
}

void FlowSolver::pinBlocks(const ContractedCfg &cfg) {
  MapVector<const BasicBlock *, SmallVector<const MachineBasicBlock *, 2>> entries;
  for (const MachineBasicBlock &block : function)
    if (block.getBasicBlock() && isEntry(block))
      entries[block.getBasicBlock()].push_back(&block);
  for (auto &[block, machine] : entries) {
    if (machine.size() != 1)
      continue;
    bool whole = all_of(cfg.into(block), [&](const ContractedCfg::Edge &edge) {
      return reaches(edge.from, *machine[0]);
    });
    if (whole)
      set(nodes[static_cast<unsigned>(machine[0]->getNumber())].count, counts.of(block));
  }
  set(nodes[static_cast<unsigned>(function.front().getNumber())].count, 1);
}

void FlowSolver::pinEdges(const ContractedCfg &cfg) {
  for (Node &node : nodes) {
    // Only into blocks that are recognizable.
    if (!node.block || !node.count || !node.block->getBasicBlock() || !isEntry(*node.block))
      continue;
    for (const ContractedCfg::Edge &edge : cfg.into(node.block->getBasicBlock())) {
      SmallVector<unsigned, 4> ways = firstEdges(edge.from, *node.block);
      if (ways.size() == 1 &&
          (edges[ways[0]].to == static_cast<unsigned>(node.block->getNumber()) ||
           nodes[edges[ways[0]].to].in.size() == 1))
        set(edges[ways[0]].count, edge.count);
    }
  }
}

/// What a block's edges on one side say about the block, and the other way round.
void FlowSolver::conserve(Node &node, ArrayRef<unsigned> side) {
  if (side.empty())
    return;
  uint64_t sum = 0;
  Edge *unknown = nullptr;
  unsigned unknowns = 0;
  for (unsigned index : side) {
    if (edges[index].count)
      sum += *edges[index].count;
    else {
      unknown = &edges[index];
      ++unknowns;
    }
  }
  if (unknowns == 0 && !node.count)
    set(node.count, sum);
  else if (node.count && sum > *node.count)
    exact = false; // two rules disagree; the later one gives way
  if (unknowns == 0 || !node.count)
    return;
  if (unknowns == 1)
    set(unknown->count, *node.count > sum ? *node.count - sum : 0);
  else if (sum >= *node.count) // nothing is left for the others
    for (unsigned index : side)
      set(edges[index].count, 0);
}

void FlowSolver::propagate() {
  do {
    changed = false;
    for (Node &node : nodes) {
      if (!node.block)
        continue;
      // The function's entry has an edge from outside, its returns one to there.
      if (node.in.empty() && node.block != &function.front())
        set(node.count, 0); // literal pools
      else if (node.block != &function.front())
        conserve(node, node.in);
      conserve(node, node.out);
    }
  } while (changed);
}

/// Settles one branch by assumption: the first block in layout order whose count is known and whose
/// ways out are not. True if there was one.
bool FlowSolver::assume() {
  for (const MachineBasicBlock &block : function) {
    Node &node = nodes[static_cast<unsigned>(block.getNumber())];
    if (!node.count)
      continue;
    for (unsigned index : node.out) {
      if (edges[index].count || nodes[edges[index].to].block == block.getNextNode())
        continue;
      exact = false;
      set(edges[index].count, 0);
      return true;
    }
  }
  return false;
}

void FlowSolver::solve() {
  propagate();
  while (assume())
    propagate();
}

FunctionFlow FlowSolver::result() const {
  FunctionFlow flow;
  flow.function = function.getName().str();
  flow.exact = exact;
  for (const MachineBasicBlock &block : function) {
    const Node &node = nodes[static_cast<unsigned>(block.getNumber())];
    BlockFlow entry;
    entry.id = block.getBBID() ? block.getBBID()->BaseID : static_cast<unsigned>(block.getNumber());
    entry.executions = node.count.value_or(0);
    for (unsigned index : node.out) {
      const MachineBasicBlock &next = *nodes[edges[index].to].block;
      entry.successors.push_back(
          {next.getBBID() ? next.getBBID()->BaseID : static_cast<unsigned>(next.getNumber()),
           edges[index].count.value_or(0)});
    }
    flow.blocks.push_back(std::move(entry));
  }
  return flow;
}

FunctionFlow codegen::solveFlow(const MachineFunction &function) {
  BlockCounts counts = countBlocks(function.getFunction());
  FlowSolver solver(function, counts);
  solver.solve();
  FunctionFlow flow = solver.result();
  flow.steps = stepsOf(function.getFunction());
  return flow;
}

Pass *codegen::createFlowReader(std::vector<FunctionFlow> &flows) { return new FlowReader(flows); }
