#include "ContractedCfg.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"

using namespace mfc;
using namespace mfc::codegen;
using namespace llvm;

ContractedCfg::ContractedCfg(const MachineFunction &function, const BlockCounts &counts) {
  SmallPtrSet<const BasicBlock *, 32> present;
  for (const MachineBasicBlock &block : function)
    if (block.getBasicBlock())
      present.insert(block.getBasicBlock());
  for (const BasicBlock &block : function.getFunction())
    for (const BasicBlock *next : successors(&block))
      edges.insert({{&block, next}, counts.of(&block, next)});
  for (const BasicBlock &block : function.getFunction())
    if (!present.contains(&block))
      remove(&block);
}

void ContractedCfg::remove(const BasicBlock *block) {
  SmallVector<Edge, 4> in = into(block), out = outOf(block);
  bool self = llvm::any_of(out, [&](const Edge &edge) { return edge.to == block; });
  if (self || (in.size() > 1 && out.size() > 1))
    return; // copied into its predecessors; its neighbours cannot be counted by it
  for (const Edge &edge : in)
    edges.erase({edge.from, block});
  for (const Edge &edge : out)
    edges.erase({block, edge.to});
  if (out.size() == 1)
    for (const Edge &edge : in)
      edges[{edge.from, out[0].to}] += edge.count;
  else if (in.size() == 1)
    for (const Edge &edge : out)
      edges[{in[0].from, edge.to}] += edge.count;
}

SmallVector<ContractedCfg::Edge, 4> ContractedCfg::into(const BasicBlock *block) const {
  SmallVector<Edge, 4> found;
  for (auto &[edge, count] : edges)
    if (edge.second == block)
      found.push_back({edge.first, edge.second, count});
  return found;
}

SmallVector<ContractedCfg::Edge, 4> ContractedCfg::outOf(const BasicBlock *block) const {
  SmallVector<Edge, 4> found;
  for (auto &[edge, count] : edges)
    if (edge.first == block)
      found.push_back({edge.first, edge.second, count});
  return found;
}
