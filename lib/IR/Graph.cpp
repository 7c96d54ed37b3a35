// Graph editing. Use lists are kept up to date by every edit, so that passes can ask for users at any time.
#include "mfc/IR/Graph.h"

#include "mfc/IR/Plan.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace mfc;

static void removeOne(std::vector<Operation *> &uses, Operation *op) {
  auto it = std::find(uses.begin(), uses.end(), op);
  assert(it != uses.end() && "use is listed");
  uses.erase(it);
}

void Operation::setOperand(size_t i, Value *value) {
  removeOne(operandList[i]->uses, this);
  operandList[i] = value;
  value->uses.push_back(this);
}

void Operation::addOperand(Value *value) {
  operandList.push_back(value);
  value->uses.push_back(this);
}

Value *Graph::newValue(Value::Kind kind, TensorType type, std::string name) {
  values.push_back(std::make_unique<Value>());
  Value *value = values.back().get();
  value->valueKind = kind;
  value->type = std::move(type);
  value->name = std::move(name);
  return value;
}

Value *Graph::addInput(TensorType type, std::string name) {
  inputList.push_back(newValue(Value::Kind::Input, std::move(type), std::move(name)));
  return inputList.back();
}

Value *Graph::addConstant(TensorType type, ConstantData data, std::string name) {
  assert(data && "constants have contents");
  Value *value = newValue(Value::Kind::Constant, std::move(type), std::move(name));
  value->data = std::move(data);
  return value;
}

Value *Graph::addConstant(TensorType type, std::vector<uint8_t> data, std::string name) {
  return addConstant(std::move(type), std::make_shared<const std::vector<uint8_t>>(std::move(data)), std::move(name));
}

static auto findOp(std::vector<std::unique_ptr<Operation>> &list, const Operation *op) {
  auto it = llvm::find_if(list, [&](const auto &p) { return p.get() == op; });
  assert(it != list.end() && "operation is in the graph");
  return it;
}

Operation *Graph::addOp(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes,
                        llvm::ArrayRef<TensorType> resultTypes, Location loc, Operation *before) {
  assert(attributes.index() == opInfo(kind).defaultAttrs.index() && "attributes of this operator");
  auto owned = std::make_unique<Operation>();
  Operation *op = owned.get();
  op->opKind = kind;
  op->attributes = std::move(attributes);
  op->loc = std::move(loc);
  for (Value *operand : operands)
    op->addOperand(operand);
  for (const TensorType &type : resultTypes) {
    Value *result = newValue(Value::Kind::Result, type, {});
    result->definingOp = op;
    result->index = static_cast<unsigned>(op->resultList.size());
    op->resultList.push_back(result);
  }
  opList.insert(before ? findOp(opList, before) : opList.end(), std::move(owned));
  return op;
}

Value *Graph::add(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes, TensorType resultType,
                  Location loc, std::string resultName, Operation *before) {
  Operation *op = addOp(kind, operands, std::move(attributes), {resultType}, std::move(loc), before);
  op->result()->name = std::move(resultName);
  return op->result();
}

std::vector<Operation *> Graph::ops() const {
  std::vector<Operation *> list;
  list.reserve(opList.size());
  for (const auto &op : opList)
    list.push_back(op.get());
  return list;
}

std::vector<Value *> Graph::constants() const {
  std::vector<Value *> list;
  for (const auto &value : values)
    if (value->isConstant())
      list.push_back(value.get());
  return list;
}

bool Graph::isOutput(const Value *value) const {
  return llvm::any_of(outputList, [&](const GraphOutput &o) { return o.value == value; });
}

size_t Graph::useCount(const Value *value) const {
  return value->uses.size() +
         static_cast<size_t>(llvm::count_if(outputList, [&](const GraphOutput &o) { return o.value == value; }));
}

void Graph::replaceAllUses(Value *from, Value *to) {
  assert(from != to);
  for (Operation *user : std::vector<Operation *>(from->uses))
    for (size_t i = 0; i < user->operandList.size(); ++i)
      if (user->operandList[i] == from)
        user->setOperand(i, to);
  for (GraphOutput &output : outputList)
    if (output.value == from)
      output.value = to;
}

void Graph::erase(Operation *op) {
  for (Value *operand : op->operandList)
    removeOne(operand->uses, op);
  llvm::DenseSet<const Value *> dead(op->resultList.begin(), op->resultList.end());
  for ([[maybe_unused]] const Value *result : op->resultList)
    assert(useCount(result) == 0 && "nobody reads an erased operation");
  opList.erase(findOp(opList, op));
  llvm::erase_if(values, [&](const auto &v) { return dead.contains(v.get()); });
}

size_t Graph::eraseDead() {
  size_t removed = 0;
  std::vector<Operation *> order = ops();
  for (Operation *op : llvm::reverse(order)) {
    if (llvm::any_of(op->resultList, [&](Value *r) { return useCount(r) != 0; }))
      continue;
    erase(op);
    ++removed;
  }
  llvm::DenseSet<const Value *> live;
  for (const GraphOutput &output : outputList)
    live.insert(output.value);
  llvm::erase_if(values, [&](const auto &v) { return v->isConstant() && v->uses.empty() && !live.contains(v.get()); });
  return removed;
}

bool Graph::sortTopologically() {
  llvm::DenseMap<const Operation *, unsigned> missing;
  for (const auto &op : opList)
    missing[op.get()] = static_cast<unsigned>(llvm::count_if(op->operandList, [](Value *v) { return v->producer(); }));
  // Repeatedly taking the first ready operation keeps the present order where it is already right.
  std::vector<std::unique_ptr<Operation>> rest = std::move(opList), sorted;
  opList.clear();
  while (sorted.size() < rest.size()) {
    size_t before = sorted.size();
    for (auto &op : rest) {
      if (!op || missing[op.get()] != 0)
        continue;
      for (Value *result : op->resultList)
        for (Operation *user : result->uses)
          --missing[user];
      sorted.push_back(std::move(op));
    }
    if (sorted.size() == before)
      break;
  }
  bool complete = sorted.size() == rest.size();
  for (auto &op : rest) // a cycle: keep what is left, so that it can be reported
    if (op)
      sorted.push_back(std::move(op));
  opList = std::move(sorted);
  return complete;
}

void Graph::moveBefore(Operation *op, Operation *before) {
  auto it = findOp(opList, op);
  std::unique_ptr<Operation> owned = std::move(*it);
  opList.erase(it);
  opList.insert(findOp(opList, before), std::move(owned));
}

size_t Graph::position(const Operation *op) const {
  return static_cast<size_t>(llvm::find_if(opList, [&](const auto &p) { return p.get() == op; }) - opList.begin());
}

Graph Graph::clone() const {
  Graph copy;
  copy.name = name;
  copy.file = file;
  llvm::DenseMap<const Value *, Value *> map;
  for (const auto &value : values) {
    if (value->isInput() || value->isConstant()) {
      Value *v = copy.newValue(value->kind(), value->type, value->name);
      v->data = value->data;
      map[value.get()] = v;
    }
  }
  for (const Value *input : inputList)
    copy.inputList.push_back(map[input]);
  for (const auto &op : opList) {
    std::vector<Value *> operands;
    for (const Value *operand : op->operandList)
      operands.push_back(map[operand]);
    std::vector<TensorType> types;
    for (const Value *result : op->resultList)
      types.push_back(result->type);
    Operation *c = copy.addOp(op->opKind, operands, op->attributes, types, op->loc);
    for (size_t i = 0; i < types.size(); ++i) {
      c->resultList[i]->name = op->resultList[i]->name;
      map[op->resultList[i]] = c->resultList[i];
    }
  }
  for (const GraphOutput &output : outputList)
    copy.addOutput(map[output.value], output.name);
  return copy;
}
