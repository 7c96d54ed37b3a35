// Register fusion: walks the operations in execution order; an element-wise operation joins the kernel that computes
// one of its operands, and so does a transpose, as the index remap of the store; everything else opens a kernel, around
// a transpose in front that only it reads. FuseRules.cpp has the reasons to refuse.
#include "mfc/Transforms/FuseRegister.h"

#include "FuseRules.h"
#include "mfc/IR/Remap.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>

using namespace mfc;

namespace {

/// A kernel while it grows.
struct Draft {
  std::vector<Operation *> ops;
  Operation *anchor = nullptr;
  int64_t macs = 0;
  size_t position = 0; ///< of the last operation in the graph
};

class RegisterFusion {
public:
  RegisterFusion(Graph &graph, Plan &plan, PassContext &ctx, const FuseOptions &options)
      : graph(graph), plan(plan), ctx(ctx), options(options) {}
  void run();

private:
  Graph &graph;
  Plan &plan;
  PassContext &ctx;
  const FuseOptions &options;
  std::vector<Draft> drafts;
  llvm::DenseMap<const Operation *, size_t> draftOf; ///< by operation
  llvm::DenseSet<const Operation *> copies;          ///< views that must move bytes after all
  OperationNames nameOf;

  void visit(Operation *op, size_t position);
  std::vector<TailCandidate> candidatesOf(Operation *tail) const;
  bool better(const TailCandidate &a, const TailCandidate &b) const;
  std::string competitionText(const TailCandidate &winner, const TailCandidate &loser) const;
  void join(const TailCandidate &candidate, size_t position);
  bool joinHead(Operation *anchor, size_t position);
  void remarkOn(const TailCandidate &candidate, RemarkKind kind, const Refusal &why);
  void buildGroups();
  void placeValues();
  void findCopies();
  bool isFreeView(const Operation *op) const { return hasTrait(op->kind(), OpTrait::View) && !copies.contains(op); }
  Value *memoryOf(Value *value) const;
};

//===-- Candidates -----------------------------------------------------------------------------------------------===//

std::vector<TailCandidate> RegisterFusion::candidatesOf(Operation *tail) const {
  std::vector<TailCandidate> list;
  llvm::DenseSet<const Value *> seen;
  for (Value *operand : tail->operands()) {
    if (!seen.insert(operand).second)
      continue;
    TailCandidate candidate;
    candidate.tail = tail;
    Operation *producer = operand->producer();
    while (producer && isFreeView(producer)) {
      candidate.views.insert(candidate.views.begin(), producer);
      producer = producer->operand(0)->producer();
    }
    if (!producer)
      continue;
    candidate.producer = producer;
    const Draft &draft = drafts[draftOf.lookup(producer)];
    candidate.anchor = draft.anchor;
    candidate.remapped = remapBehind(draft.ops, draft.anchor) != nullptr;
    list.push_back(std::move(candidate));
  }
  return list;
}

/// More computation wins, since its result is the more expensive one to hold back; then the later kernel, whose
/// operands live anyway.
bool RegisterFusion::better(const TailCandidate &a, const TailCandidate &b) const {
  const Draft &left = drafts[draftOf.lookup(a.producer)], &right = drafts[draftOf.lookup(b.producer)];
  return std::make_pair(left.macs, left.position) > std::make_pair(right.macs, right.position);
}

std::string RegisterFusion::competitionText(const TailCandidate &winner, const TailCandidate &loser) const {
  int64_t more = drafts[draftOf.lookup(winner.producer)].macs, less = drafts[draftOf.lookup(loser.producer)].macs;
  return "the kernel of " + nameOf(*winner.producer) + " takes it: " + std::to_string(more) + " against " +
         std::to_string(less) + " multiply-accumulates" + (more == less ? ", and it runs later" : "");
}

void RegisterFusion::remarkOn(const TailCandidate &candidate, RemarkKind kind, const Refusal &why) {
  uint64_t bytes = candidate.value()->type.bytes();
  bool passed = kind == RemarkKind::Passed;
  Remark remark;
  remark.kind = kind;
  remark.pass = "fuse";
  remark.name = why.rule;
  remark.subject = nameOf(*candidate.producer) + " + " + nameOf(*candidate.tail);
  remark.message = passed ? "yes (" + std::to_string(bytes) + " B are not stored)" : "no (" + why.reason + ")";
  remark.args = {{passed ? "bytes_saved" : "bytes_stored", std::to_string(bytes)},
                 {"producer", candidate.producer->info().name.str()},
                 {"tail", candidate.tail->info().name.str()},
                 {"anchor_macs", std::to_string(drafts[draftOf.lookup(candidate.producer)].macs)}};
  ctx.remarks.push_back(std::move(remark));
}

//===-- Growing kernels ------------------------------------------------------------------------------------------===//

void RegisterFusion::join(const TailCandidate &candidate, size_t position) {
  size_t index = draftOf.lookup(candidate.producer);
  Draft &draft = drafts[index];
  for (Operation *view : candidate.views)
    draft.ops.push_back(view);
  draft.ops.push_back(candidate.tail);
  draft.macs += macCount(*candidate.tail);
  draft.position = position;
  for (Operation *op : draft.ops)
    draftOf[op] = index;
}

/// Opens the anchor's kernel around a remap that only it reads.
bool RegisterFusion::joinHead(Operation *anchor, size_t position) {
  if (!options.fuse || !options.canFuseHead || anchor->operands().empty())
    return false;
  Value *moved = anchor->operand(0);
  Operation *head = moved->producer();
  if (!head || graph.useCount(moved) != 1 || !options.canFuseHead(*head, *anchor))
    return false;
  std::string bytes = std::to_string(moved->type.bytes());
  std::string subject = nameOf(*head) + " + " + nameOf(*anchor);
  if (auto it = options.separate.find(head); it != options.separate.end()) {
    ctx.remarks.push_back({RemarkKind::Missed, "fuse", "record", subject, "no (" + it->second + ")",
                           {{"bytes_stored", bytes}, {"producer", head->info().name.str()}}});
    return false;
  }
  size_t index = draftOf.lookup(head);
  if (drafts[index].anchor != head) // the kernel in front stores through it
    return false;
  drafts[index] = {{head, anchor}, anchor, macCount(*anchor), position};
  draftOf[anchor] = index;
  ctx.remarks.push_back({RemarkKind::Passed, "fuse", "index-remap", subject,
                         "yes (" + bytes + " B are not stored)",
                         {{"bytes_saved", bytes}, {"producer", head->info().name.str()}}});
  return true;
}

void RegisterFusion::visit(Operation *op, size_t position) {
  if (isFreeView(op))
    return;
  std::optional<TailCandidate> best;
  bool remap = op->kind() == OpKind::Transpose;
  if (remap || hasTrait(op->kind(), OpTrait::Elementwise)) {
    std::vector<TailCandidate> possible;
    for (TailCandidate &candidate : candidatesOf(op)) {
      if (std::optional<Refusal> refusal = refuseTail(candidate, graph, ctx.target, options))
        remarkOn(candidate, RemarkKind::Missed, *refusal);
      else
        possible.push_back(std::move(candidate));
    }
    for (const TailCandidate &candidate : possible)
      if (!best || better(candidate, *best))
        best = candidate;
    for (const TailCandidate &candidate : possible)
      if (candidate.producer != best->producer)
        remarkOn(candidate, RemarkKind::Missed, {"competing", competitionText(*best, candidate)});
  }
  if (best) {
    remarkOn(*best, RemarkKind::Passed, {remap ? "index-remap" : "elementwise-tail", {}});
    return join(*best, position);
  }
  if (joinHead(op, position))
    return;
  draftOf[op] = drafts.size();
  drafts.push_back({{op}, op, macCount(*op), position});
}

//===-- The plan -------------------------------------------------------------------------------------------------===//

/// The value whose memory is used. Unlike viewSource() it stops at views that became copies.
Value *RegisterFusion::memoryOf(Value *value) const {
  while (value->producer() && isFreeView(value->producer()))
    value = value->producer()->operand(0);
  return value;
}

static Kernel makeKernel(const Draft &draft, size_t index) {
  Kernel kernel;
  kernel.name = "k" + std::to_string(index) + "_" + draft.anchor->info().name.str();
  kernel.ops = draft.ops;
  kernel.anchor = draft.anchor;
  kernel.output = draft.ops.back()->result();
  llvm::DenseSet<const Value *> known; // computed inside, or listed already
  for (const Operation *op : draft.ops)
    known.insert(op->result());
  for (const Operation *op : draft.ops)
    for (Value *operand : op->operands())
      if (!viewSource(operand)->isConstant() && known.insert(operand).second)
        kernel.inputs.push_back(operand);
  return kernel;
}

/// A kernel runs where its last operation stands: all that it reads is computed by then, and nobody reads an
/// earlier value of it.
void RegisterFusion::buildGroups() {
  llvm::sort(drafts, [](const Draft &a, const Draft &b) { return a.position < b.position; });
  plan.groups.clear();
  for (size_t i = 0; i < drafts.size(); ++i)
    plan.groups.push_back({{makeKernel(drafts[i], i)}});
}

/// In the caller's buffers an output cannot share memory with an input, a constant or another output: the view that
/// makes it has to copy. Outputs are computed and listed once (verifyGraph), so there is such a view.
void RegisterFusion::findCopies() {
  llvm::DenseSet<const Value *> taken;
  for (const GraphOutput &output : graph.outputs())
    if (!hasTrait(output.value->producer()->kind(), OpTrait::View))
      taken.insert(output.value);
  for (const GraphOutput &output : graph.outputs()) {
    const Value *memory = memoryOf(output.value);
    bool view = memory != output.value;
    if (view && (!memory->producer() || !taken.insert(memory).second))
      copies.insert(output.value->producer());
  }
}

void RegisterFusion::placeValues() {
  plan.placements.clear();
  auto place = [&](const Value *value, PlacementKind kind, int ioIndex = -1) {
    plan.placements[value] = {kind, 0, 0, value->type.bytes(), 0, ioIndex};
  };
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    if (options.callerIO)
      place(graph.inputs()[i], PlacementKind::Caller, static_cast<int>(i));
    else
      place(graph.inputs()[i], PlacementKind::Arena);
  for (const Value *constant : graph.constants())
    place(constant, PlacementKind::Flash);
  for (const Kernel *kernel : plan.kernels()) {
    for (const Operation *op : kernel->ops)
      place(op->result(), PlacementKind::Register);
    place(kernel->output, PlacementKind::Arena);
  }
  for (size_t i = 0; options.callerIO && i < graph.outputs().size(); ++i)
    place(memoryOf(graph.outputs()[i].value), PlacementKind::Caller, static_cast<int>(graph.inputs().size() + i));
  for (const Operation *op : graph.ops()) // views between kernels are where their source is
    if (isFreeView(op) && !draftOf.contains(op))
      plan.placements[op->result()] = plan.placements[op->operand(0)];
}

void RegisterFusion::run() {
  if (options.callerIO)
    findCopies();
  std::vector<Operation *> order = graph.ops();
  nameOf = OperationNames(graph);
  for (size_t i = 0; i < order.size(); ++i)
    visit(order[i], i);
  buildGroups();
  placeValues();
}

} // namespace

void mfc::fuseRegister(Graph &graph, Plan &plan, PassContext &ctx, const FuseOptions &options) {
  RegisterFusion(graph, plan, ctx, options).run();
}
