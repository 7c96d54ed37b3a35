#include "Rewrite.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace mfc;

void mfc::eraseUnread(Graph &graph, Operation *op) {
  std::vector<Operation *> work{op};
  while (!work.empty()) {
    Operation *last = work.back();
    work.pop_back();
    if (llvm::any_of(last->results(), [&](Value *r) { return graph.useCount(r) != 0; }))
      continue;
    std::vector<Operation *> producers;
    for (Value *operand : last->operands())
      if (operand->producer() && !llvm::is_contained(producers, operand->producer()))
        producers.push_back(operand->producer());
    llvm::erase(work, last);
    graph.erase(last);
    for (Operation *producer : producers)
      if (!llvm::is_contained(work, producer))
        work.push_back(producer);
  }
}

bool mfc::mayReplace(const Graph &graph, const Operation *op, const Value *with) {
  return !graph.isOutput(op->result()) || (with->kind() == Value::Kind::Result && !graph.isOutput(with));
}

void mfc::replaceOp(Graph &graph, Operation *op, Value *with) {
  assert(op->results().size() == 1 && op->result() != with);
  if (!mayReplace(graph, op, with))
    with = graph.add(OpKind::Identity, {with}, NoAttrs{}, op->result()->type, op->loc, op->result()->name, op);
  if (with->name.empty())
    with->name = op->result()->name;
  graph.replaceAllUses(op->result(), with);
  eraseUnread(graph, op);
}

bool mfc::rewriteAll(Graph &graph, llvm::function_ref<bool(Operation *)> rewrite) {
  bool any = false, changed = true;
  for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
    changed = false;
    for (Operation *op : graph.ops())
      changed |= rewrite(op);
    any |= changed;
  }
  assert(!changed && "rules undo each other");
  return any;
}

Value *mfc::copyOp(Graph &graph, const Operation &op, llvm::ArrayRef<Value *> operands, Attributes attributes,
                   TensorType resultType, Operation *before) {
  return graph.add(op.kind(), operands, std::move(attributes), std::move(resultType), op.loc, op.result()->name,
                   before);
}

Value *mfc::addReshape(Graph &graph, Value *value, const Shape &shape, const Operation &origin, Operation *before) {
  if (value->type.shape == shape)
    return value;
  assert((!value->type.quant || value->type.quant->isPerTensor()) && "an axis does not survive every reshape");
  TensorType type = value->type;
  type.shape = shape;
  return graph.add(OpKind::Reshape, {value}, NoAttrs{}, type, origin.loc, value->name, before);
}

bool mfc::sameStructure(const Graph &a, const Graph &b) {
  if (a.opCount() != b.opCount() || a.inputs().size() != b.inputs().size() || a.outputs().size() != b.outputs().size())
    return false;
  llvm::DenseMap<const Value *, const Value *> twin;
  auto same = [&](const Value *x, const Value *y) {
    if (x->isConstant() && y->isConstant())
      return x->type == y->type && x->bytes() == y->bytes();
    return twin.lookup(x) == y;
  };
  for (auto [x, y] : llvm::zip(a.inputs(), b.inputs())) {
    if (x->type != y->type)
      return false;
    twin[x] = y;
  }
  for (auto [x, y] : llvm::zip(a.ops(), b.ops())) {
    if (x->kind() != y->kind() || x->attributes != y->attributes || x->operands().size() != y->operands().size())
      return false;
    if (!llvm::all_of(llvm::zip(x->operands(), y->operands()),
                      [&](auto pair) { return same(std::get<0>(pair), std::get<1>(pair)); }))
      return false;
    for (auto [r, s] : llvm::zip(x->results(), y->results())) {
      if (r->type != s->type)
        return false;
      twin[r] = s;
    }
  }
  return llvm::all_of(llvm::zip(a.outputs(), b.outputs()), [&](auto pair) {
    return same(std::get<0>(pair).value, std::get<1>(pair).value);
  });
}

bool mfc::isUnaryElementwise(OpKind kind) {
  return hasTrait(kind, OpTrait::Elementwise) && (opInfo(kind).maxOperands == 1 || kind == OpKind::BatchNorm);
}
