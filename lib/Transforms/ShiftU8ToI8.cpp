// Kernels compute on i8. A u8 tensor with zero point z is the i8 tensor with zero point z - 128 whose stored values are
// smaller by 128, so the whole inside of the graph is renamed; the border keeps the model's type.
#include "ConstantEdit.h"
#include "Rewrite.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static const char *const passName = "shift-u8-to-i8";
static constexpr int32_t kShift = 128;

static bool isQuantizedU8(const Value *value) {
  return value->type.element == ElementType::U8 && value->type.quant.has_value();
}

static TensorType shifted(TensorType type) {
  type.element = ElementType::I8;
  for (int32_t &zeroPoint : type.quant->zeroPoints)
    zeroPoint -= kShift;
  return type;
}

static bool isCast(const Operation *op) { return op->kind() == OpKind::Cast; }
static bool isRequantize(const Operation *op) { return op->kind() == OpKind::Requantize; }

/// A requantize that only feeds graph outputs: the border, as this pass leaves it.
static bool isOutputBorder(const Graph &graph, const Operation *op) {
  return isRequantize(op) && !isQuantizedU8(op->operand(0)) && op->result()->users().empty() &&
         graph.isOutput(op->result());
}

static RoundingAttrs exact() { return {Rounding::HalfEven}; }

/// Users of `value` read a requantize to i8 instead; those that look at stored values or are the border stay.
static bool shiftBehind(Graph &graph, Value *value, Operation *before) {
  auto stays = [](const Operation *user) { return isRequantize(user) || isCast(user); };
  std::vector<Operation *> users(value->users());
  if (llvm::all_of(users, stays))
    return false;
  Location loc;
  loc.file = graph.file;
  loc.tensor = value->name;
  Value *inside = graph.add(OpKind::Requantize, {value}, exact(), shifted(value->type), loc, value->name, before);
  for (Operation *user : users)
    for (size_t i = 0; i < user->operands().size(); ++i)
      if (!stays(user) && user->operand(i) == value)
        user->setOperand(i, inside);
  return true;
}

static bool shiftInputs(Graph &graph) {
  bool changed = false;
  for (Value *input : graph.inputs())
    if (isQuantizedU8(input) && graph.opCount() != 0)
      changed |= shiftBehind(graph, input, graph.ops().front());
  return changed;
}

static bool shiftConstants(Graph &graph) {
  bool changed = false;
  for (Value *constant : graph.constants()) {
    if (!isQuantizedU8(constant) || graph.isOutput(constant) || llvm::any_of(constant->users(), isCast))
      continue;
    std::vector<uint8_t> bytes(constant->bytes());
    for (uint8_t &byte : bytes)
      byte ^= 0x80;
    graph.replaceAllUses(constant, graph.addConstant(shifted(constant->type), std::move(bytes), constant->name));
    changed = true;
  }
  return changed;
}

static void shiftAttributes(Operation *op) {
  if (auto *clamp = std::get_if<ClampAttrs>(&op->attributes)) {
    clamp->min -= kShift;
    clamp->max -= kShift;
  } else if (auto *pad = std::get_if<PadAttrs>(&op->attributes)) {
    pad->value -= kShift;
  }
}

/// The result becomes i8; a graph output gets its u8 back through a requantize at the end.
static void shiftResult(Graph &graph, Operation *op) {
  Value *result = op->result();
  TensorType outside = result->type;
  result->type = shifted(outside);
  shiftAttributes(op);
  std::vector<Operation *> casts;
  for (Operation *user : result->users())
    if (isCast(user) && !llvm::is_contained(casts, user))
      casts.push_back(user);
  for (Operation *cast : casts)
    cast->setOperand(0, graph.add(OpKind::Requantize, {result}, exact(), outside, op->loc, result->name, cast));
  for (GraphOutput &output : graph.outputs())
    if (output.value == result)
      output.value = graph.add(OpKind::Requantize, {result}, exact(), outside, op->loc, result->name);
}

PassResult mfc::shiftU8ToI8(Graph &graph, PassContext &ctx) {
  bool changed = shiftInputs(graph);
  changed |= shiftConstants(graph);
  unsigned count = 0;
  for (Operation *op : graph.ops()) {
    if (!isQuantizedU8(op->result()) || isOutputBorder(graph, op))
      continue;
    if (isCast(op)) {
      auto order = graph.ops();
      auto next = std::next(llvm::find(order, op));
      changed |= shiftBehind(graph, op->result(), next == order.end() ? nullptr : *next);
      continue;
    }
    if (isRequantize(op) && !op->result()->users().empty() && llvm::all_of(op->result()->users(), isCast))
      continue; // made by this pass for a cast
    shiftResult(graph, op);
    ++count;
  }
  if (count != 0)
    ctx.remark(RemarkKind::Passed, passName, "shifted", *graph.ops().front(),
               std::to_string(count) + " u8 tensors became i8", {{"tensors", std::to_string(count)}});
  graph.eraseDead();
  return {.changed = changed || count != 0};
}
