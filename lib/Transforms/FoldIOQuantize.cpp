// --io=quantized: the firmware passes and gets stored values; the first quantize and the last dequantize leave the
// graph. Scale and zero point are then part of the border's types, and from there of the header.
#include "CommuteQuantize.h"
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static const char *const passName = "fold-io-quantize";

/// Brings a quantize that reads an input through data movement directly to the input.
static bool moveToInput(Graph &graph, Operation *op) {
  if (op->kind() != OpKind::Quantize)
    return false;
  const Value *value = op->operand(0);
  while (const Operation *producer = value->producer()) {
    bool moves = hasTrait(producer->kind(), OpTrait::Injective) || hasTrait(producer->kind(), OpTrait::View);
    if (!moves || dataOperandCount(*producer) != 1 || graph.useCount(value) != 1)
      return false;
    value = producer->operand(0);
  }
  if (!value->isInput() || value == op->operand(0))
    return false;
  moveQuantizeUp(graph, op, op->operand(0)->producer());
  return true;
}

static bool foldInput(Graph &graph, Value *input, PassContext &ctx) {
  std::vector<Operation *> users(input->users());
  if (users.empty() || graph.isOutput(input))
    return false;
  auto isQuantize = [](const Operation *user) { return user->kind() == OpKind::Quantize; };
  bool same = llvm::all_of(users, [&](const Operation *user) {
    return isQuantize(user) && user->result()->type == users[0]->result()->type;
  });
  if (!same) {
    if (llvm::any_of(users, isQuantize))
      ctx.remark(RemarkKind::Missed, passName, "input", *users[0],
                 "input '" + input->name + "' stays float: it is also read unquantized or with another scale");
    return false;
  }
  ctx.remark(RemarkKind::Passed, passName, "input", *users[0],
             "input '" + input->name + "' is " + typeText(users[0]->result()->type));
  input->type = users[0]->result()->type;
  for (Operation *user : users)
    replaceOp(graph, user, input);
  return true;
}

static bool foldOutput(Graph &graph, GraphOutput &output, PassContext &ctx) {
  Operation *dequantize = producerOfKind(output.value, OpKind::Dequantize);
  if (!dequantize) {
    if (isFloat(output.value->type.element) && output.value->producer())
      ctx.remark(RemarkKind::Missed, passName, "output", *output.value->producer(),
                 "output '" + output.name + "' stays float: it is computed in float");
    return false;
  }
  Value *stored = dequantize->operand(0);
  if (stored->kind() != Value::Kind::Result || graph.isOutput(stored))
    return false;
  ctx.remark(RemarkKind::Passed, passName, "output", *dequantize,
             "output '" + output.name + "' is " + typeText(stored->type));
  output.value = stored;
  eraseUnread(graph, dequantize);
  return true;
}

PassResult mfc::foldIOQuantize(Graph &graph, PassContext &ctx) {
  bool changed = rewriteAll(graph, [&](Operation *op) { return moveToInput(graph, op); });
  for (Value *input : graph.inputs())
    changed |= foldInput(graph, input, ctx);
  for (GraphOutput &output : graph.outputs())
    changed |= foldOutput(graph, output, ctx);
  graph.eraseDead();
  return {.changed = changed};
}
