// Operations on constants become constants. Evaluation is that of the interpreter (Ops/evalOp), so folding cannot
// change an answer.
#include "ConstantEdit.h"
#include "Rewrite.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static const char *const passName = "fold-constants";

/// Flash is what folding may waste: a small constant must not become a big one.
static bool tooBig(const Operation &op, const PassOptions &options) {
  uint64_t result = op.result()->type.bytes(), operands = 0;
  for (const Value *operand : op.operands())
    operands += operand->type.bytes();
  return result > options.foldBytes && result > options.foldGrowth * operands;
}

static Value *evaluate(Graph &graph, const Operation &op) {
  std::vector<Tensor> tensors;
  for (const Value *operand : op.operands())
    tensors.push_back(tensorOf(*operand));
  std::vector<const Tensor *> pointers;
  for (const Tensor &tensor : tensors)
    pointers.push_back(&tensor);
  std::vector<Tensor> results = evalOp(op, pointers);
  results[0].type = op.result()->type;
  return addTensor(graph, std::move(results[0]), op.result()->name);
}

static bool foldOne(Graph &graph, Operation *op, PassContext &ctx) {
  if (!llvm::all_of(op->operands(), [](Value *v) { return v->isConstant(); }) || graph.isOutput(op->result()))
    return false;
  if (op->kind() == OpKind::Dequantize) // stored form is smaller, and fold-qdq wants it
    return false;
  std::string bytes = std::to_string(op->result()->type.bytes());
  if (tooBig(*op, ctx.options)) {
    ctx.remark(RemarkKind::Missed, passName, "too-big", *op,
               op->info().name.str() + " of constants is not folded: the result has " + bytes + " B",
               {{"bytes", bytes}});
    return false;
  }
  ctx.remark(RemarkKind::Passed, passName, "folded", *op,
             op->info().name.str() + " of constants folded (" + bytes + " B)", {{"bytes", bytes}});
  replaceOp(graph, op, evaluate(graph, *op));
  return true;
}

PassResult mfc::foldConstants(Graph &graph, PassContext &ctx) {
  bool changed = false;
  for (Operation *op : graph.ops()) // operands come first, so one walk folds chains
    changed |= foldOne(graph, op, ctx);
  graph.eraseDead();
  return {.changed = changed};
}

PassResult mfc::foldDequantizedConstants(Graph &graph, PassContext &ctx) {
  bool changed = false;
  for (Operation *op : graph.ops()) {
    if (op->kind() != OpKind::Dequantize || !op->operand(0)->isConstant() || graph.isOutput(op->result()))
      continue;
    for (const Operation *user : op->result()->users())
      ctx.remark(RemarkKind::Missed, "fold-dequantized-constants", "float-constant", *user,
                 "float fallback: " + subjectOf(*user) + " reads a quantized constant as float");
    replaceOp(graph, op, evaluate(graph, *op));
    changed = true;
  }
  graph.eraseDead();
  return {.changed = changed};
}
