#include "SettleTranspose.h"

#include "ConstantEdit.h"
#include "Permutation.h"
#include "Rewrite.h"
#include "SinkTranspose.h"

#include <algorithm>

using namespace mfc;

namespace {
/// One transpose on its way up.
class Settler {
public:
  Settler(Graph &graph, Operation *transpose)
      : graph(graph), transpose(transpose), perm(transpose->attrs<TransposeAttrs>().perm) {}

  void run() {
    Value *from = transpose->operand(0);
    if (costAbove(from) < costHere(from))
      replaceOp(graph, transpose, build(from));
  }

private:
  static constexpr uint64_t kImpossible = UINT64_MAX;

  /// Bytes that a transpose of this value reads, doubled; one more away from the border, as a tie-breaker.
  uint64_t costHere(const Value *value) const {
    for (const Operation *user : value->users())
      if (user != transpose && user->kind() == OpKind::Transpose && user->attrs<TransposeAttrs>().perm == perm)
        return 0; // is there already
    const Operation *op = value->producer();
    bool border = value->isInput() || (op && op->kind() == OpKind::Quantize && op->operand(0)->isInput());
    return 2 * value->type.bytes() + (border ? 0 : 1);
  }

  /// The same, if the operands of the producer were transposed instead.
  uint64_t costAbove(const Value *value) const {
    const Operation *op = value->producer();
    if (!op || !hasTrait(op->kind(), OpTrait::Elementwise) || op->kind() == OpKind::BatchNorm)
      return kImpossible;
    if (op->kind() != OpKind::Dequantize && graph.useCount(value) != 1) // a dequantize may exist twice
      return kImpossible;
    uint64_t sum = 0;
    for (const Value *operand : op->operands()) {
      if (isFree(operand))
        continue;
      if (operand->type.shape != value->type.shape)
        return kImpossible;
      sum += std::min(costHere(operand), std::min(costAbove(operand), kImpossible / 4));
    }
    return sum;
  }

  static bool isFree(const Value *operand) { return operand->isConstant() || operand->type.count() == 1; }

  /// transpose(value), the transpose standing where it is cheapest.
  Value *build(Value *value) {
    if (isFree(value))
      return freelyTransposed(graph, value, perm, transpose);
    if (costAbove(value) >= costHere(value))
      return graph.add(OpKind::Transpose, {value}, TransposeAttrs{perm}, typeAfter(value->type, perm), transpose->loc,
                       value->name, transpose);
    const Operation *op = value->producer();
    std::vector<Value *> operands;
    for (Value *operand : op->operands())
      operands.push_back(build(operand));
    return copyOp(graph, *op, operands, op->attributes, typeAfter(value->type, perm), transpose);
  }

  Graph &graph;
  Operation *transpose;
  Permutation perm;
};
} // namespace

void mfc::settleTransposes(Graph &graph) {
  for (Operation *op : graph.ops())
    if (op->kind() == OpKind::Transpose)
      Settler(graph, op).run();
}
