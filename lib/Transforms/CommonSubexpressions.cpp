#include "Rewrite.h"
#include "mfc/Support/Hashing.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mfc;

/// Constants with equal type and contents become the first of them. Names and origins do not count.
static bool mergeConstants(Graph &graph) {
  std::map<std::pair<uint64_t, std::string>, std::vector<Value *>> seen;
  bool changed = false;
  for (Value *constant : graph.constants()) {
    std::vector<Value *> &bucket = seen[{stableHash(constant->bytes()), typeText(constant->type)}];
    auto twin = llvm::find_if(bucket, [&](Value *v) {
      return v->type == constant->type && v->bytes() == constant->bytes();
    });
    if (twin == bucket.end()) {
      bucket.push_back(constant);
    } else if (graph.useCount(constant) != 0 && !graph.isOutput(constant)) {
      graph.replaceAllUses(constant, *twin);
      changed = true;
    }
  }
  return changed;
}

namespace {
/// Numbers values by first appearance, so that operand lists compare without pointers.
struct Numbering {
  llvm::DenseMap<const Value *, unsigned> numbers;
  unsigned of(const Value *value) { return numbers.try_emplace(value, numbers.size()).first->second; }
};
} // namespace

static bool mergeOperations(Graph &graph) {
  using Key = std::pair<OpKind, std::vector<unsigned>>;
  std::map<Key, std::vector<Operation *>> seen;
  Numbering numbering;
  bool changed = false;
  for (Operation *op : graph.ops()) {
    Key key{op->kind(), {}};
    for (const Value *operand : op->operands())
      key.second.push_back(numbering.of(operand));
    if (hasTrait(op->kind(), OpTrait::Commutes))
      llvm::sort(key.second);
    std::vector<Operation *> &bucket = seen[key];
    auto twin = llvm::find_if(bucket, [&](Operation *other) {
      return other->attributes == op->attributes && other->result()->type == op->result()->type;
    });
    if (twin == bucket.end()) {
      bucket.push_back(op);
    } else if (mayReplace(graph, op, (*twin)->result())) {
      replaceOp(graph, op, (*twin)->result());
      changed = true;
    }
  }
  return changed;
}

PassResult mfc::commonSubexpressions(Graph &graph, PassContext &ctx) {
  bool changed = mergeConstants(graph);
  changed |= mergeOperations(graph);
  graph.eraseDead();
  return {.changed = changed};
}
