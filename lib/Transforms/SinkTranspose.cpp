#include "SinkTranspose.h"

#include "ConstantEdit.h"
#include "Permutation.h"
#include "Rewrite.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static Operation *transposeOf(const Value *value) { return producerOfKind(value, OpKind::Transpose); }

static const Permutation &permOf(const Operation *transpose) { return transpose->attrs<TransposeAttrs>().perm; }

static bool isPerAxis(const TensorType &type) { return type.quant && !type.quant->isPerTensor(); }

/// Ends a rewrite: transposes `value` the way op's result was and lets everybody read that.
static bool replaceByTransposed(Graph &graph, Operation *op, Value *value, const Permutation &perm) {
  if (!isIdentity(perm))
    value = graph.add(OpKind::Transpose, {value}, TransposeAttrs{perm}, op->result()->type, op->loc,
                      op->result()->name, op);
  replaceOp(graph, op, value);
  return true;
}

/// The usual case: same operator on the untransposed operands, other attributes, result transposed by perm.
static bool sink(Graph &graph, Operation *op, llvm::ArrayRef<Value *> operands, Attributes attributes,
                 const Permutation &perm) {
  TensorType type = typeBefore(op->result()->type, perm);
  Value *value = copyOp(graph, *op, operands, std::move(attributes), type, op);
  return replaceByTransposed(graph, op, value, perm);
}

/// `shape` with dimensions of size 1 in front up to the rank, as broadcasting reads it.
static Shape expanded(const Shape &shape, size_t rank) {
  Shape result(rank - shape.size(), 1);
  result.insert(result.end(), shape.begin(), shape.end());
  return result;
}

static TensorType withLeadingUnits(const TensorType &type, size_t rank) {
  TensorType wide = type;
  wide.shape = expanded(type.shape, rank);
  if (isPerAxis(type))
    wide.quant->axis += static_cast<int>(rank - type.shape.size());
  return wide;
}

namespace {
/// Answers for values that are not transposed: is there a z with transpose(z, perm), broadcast, equal to the value, that
/// costs no further transpose? Asked first for all operands of an operation, then made.
class Untransposer {
public:
  Untransposer(Graph &graph, Permutation perm, Operation *before, bool mayReuse)
      : graph(graph), perm(perm), back(inverse(perm)), before(before), mayReuse(mayReuse) {}

  bool possible(const Value *value) const {
    const TensorType &type = value->type;
    if (type.shape.size() > perm.size())
      return false;
    if (type.count() == 1 || isTransposedAlike(value) || value->isConstant() || isReshape(type))
      return true;
    if (const Operation *dequantize = producerOfKind(value, OpKind::Dequantize))
      return possible(dequantize->operand(0));
    return opposite(value) != nullptr;
  }

  Value *make(Value *value) {
    const TensorType &type = value->type;
    if (type.count() == 1)
      return value;
    if (isTransposedAlike(value))
      return transposeOf(value)->operand(0);
    TensorType wide = withLeadingUnits(type, perm.size());
    if (value->isConstant())
      return graph.addConstant(typeAfter(wide, back), permutedBytes(*value, wide.shape, back), value->name);
    if (isReshape(type))
      return addReshape(graph, value, permuted(wide.shape, back), *before, before);
    if (Operation *dequantize = producerOfKind(value, OpKind::Dequantize)) { // cheap enough to exist twice
      Value *stored = make(dequantize->operand(0));
      TensorType result = type;
      result.shape = stored->type.shape;
      return copyOp(graph, *dequantize, {stored}, NoAttrs{}, result, before);
    }
    Operation *transpose = opposite(value);
    if (graph.position(transpose) > graph.position(before))
      graph.moveBefore(transpose, before);
    return transpose->result();
  }

private:
  bool isTransposedAlike(const Value *value) const {
    const Operation *transpose = transposeOf(value);
    return transpose && permOf(transpose) == perm;
  }

  bool isReshape(const TensorType &type) const {
    return movesOnlyUnitDims(expanded(type.shape, perm.size()), back) && !isPerAxis(type);
  }

  /// The opposite transpose of the value, where it exists for another reader.
  Operation *opposite(const Value *value) const {
    if (!mayReuse || value->type.shape.size() != perm.size())
      return nullptr;
    for (Operation *user : value->users())
      if (user->kind() == OpKind::Transpose && permOf(user) == back && !llvm::is_contained(before->operands(), user->result()))
        return user;
    return nullptr;
  }

  Graph &graph;
  Permutation perm, back;
  Operation *before;
  bool mayReuse;
};
} // namespace

Value *mfc::freelyTransposed(Graph &graph, Value *value, llvm::ArrayRef<int64_t> perm, Operation *before) {
  Untransposer untransposer(graph, inverse(perm.vec()), before, /*mayReuse=*/false);
  return untransposer.possible(value) ? untransposer.make(value) : nullptr;
}

/// The operands as they are in front of `transpose`, one of their producers; empty if one has no such form. Reusing the
/// opposite transpose of another operand pays only if `transpose` goes away for it; else the two would trade places forever.
static std::vector<Value *> untransposedAll(Graph &graph, Operation *op, Operation *transpose) {
  Untransposer untransposer(graph, permOf(transpose), op, /*mayReuse=*/graph.useCount(transpose->result()) == 1);
  if (!llvm::all_of(op->operands(), [&](const Value *v) { return untransposer.possible(v); }))
    return {};
  std::vector<Value *> result;
  for (Value *operand : op->operands())
    result.push_back(untransposer.make(operand));
  return result;
}

static bool sinkThroughBinary(Graph &graph, Operation *op) {
  for (Value *operand : op->operands()) {
    Operation *transpose = transposeOf(operand);
    if (!transpose || operand->type.rank() != op->result()->type.rank())
      continue;
    std::vector<Value *> operands = untransposedAll(graph, op, transpose);
    if (!operands.empty())
      return sink(graph, op, operands, op->attributes, Permutation(permOf(transpose)));
  }
  return false;
}

static bool sinkThroughConcat(Graph &graph, Operation *op) {
  for (Value *operand : op->operands()) {
    Operation *transpose = transposeOf(operand);
    if (!transpose)
      continue;
    Permutation perm = permOf(transpose);
    // Scalars are fine for broadcasting only.
    if (llvm::any_of(op->operands(), [](Value *v) { return v->type.count() == 1; }))
      return false;
    std::vector<Value *> operands = untransposedAll(graph, op, transpose);
    if (operands.empty())
      continue;
    int64_t axis = perm[static_cast<size_t>(op->attrs<AxisAttrs>().axis)];
    return sink(graph, op, operands, AxisAttrs{axis}, perm);
  }
  return false;
}

/// Result dimensions of an operator that removes some of its operand's: the permutation of the rest, and the
/// type before it.
static bool sinkThroughRemoval(Graph &graph, Operation *op, llvm::ArrayRef<Value *> operands, Attributes attributes,
                               const Permutation &perm, llvm::ArrayRef<int64_t> removed) {
  std::vector<int64_t> position(perm.size(), -1); // of the untransposed operand's dimensions in the new result
  int64_t next = 0;
  for (size_t d = 0; d < perm.size(); ++d)
    if (!llvm::is_contained(removed, static_cast<int64_t>(d)))
      position[d] = next++;
  Permutation rest;
  for (int64_t from : perm)
    if (position[static_cast<size_t>(from)] >= 0)
      rest.push_back(position[static_cast<size_t>(from)]);
  return sink(graph, op, operands, std::move(attributes), rest);
}

static bool sinkThroughMean(Graph &graph, Operation *op, Value *x, const Permutation &perm) {
  ReduceAttrs attrs = op->attrs<ReduceAttrs>();
  for (int64_t &axis : attrs.axes)
    axis = perm[static_cast<size_t>(axis)];
  llvm::sort(attrs.axes);
  if (attrs.keepDims)
    return sink(graph, op, {x}, attrs, perm);
  return sinkThroughRemoval(graph, op, {x}, attrs, perm, attrs.axes);
}

static bool sinkThroughGather(Graph &graph, Operation *op, Value *x, const Permutation &perm) {
  Value *indices = op->operand(1);
  AxisAttrs attrs{perm[static_cast<size_t>(op->attrs<AxisAttrs>().axis)]};
  if (indices->type.rank() == 1)
    return sink(graph, op, {x, indices}, attrs, perm);
  if (indices->type.rank() == 0)
    return sinkThroughRemoval(graph, op, {x, indices}, attrs, perm, {attrs.axis});
  return false;
}

static bool sinkThroughReshapeOp(Graph &graph, Operation *op, Value *x, const Permutation &perm) {
  const TensorType &type = op->result()->type;
  if (isPerAxis(type))
    return false;
  std::optional<SunkReshape> sunk = sinkThroughReshape(x->type.shape, perm, type.shape);
  if (!sunk)
    return false;
  return replaceByTransposed(graph, op, addReshape(graph, x, sunk->shape, *op, op), sunk->perm);
}

static int64_t nonNegative(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

/// Operators with one data operand, which is a transpose of x.
static bool sinkThroughUnary(Graph &graph, Operation *op, Value *x, const Permutation &perm) {
  std::vector<Value *> operands(op->operands());
  operands[0] = x;
  Permutation back = inverse(perm);
  switch (op->kind()) {
  case OpKind::Transpose:
    return replaceByTransposed(graph, op, x, compose(perm, permOf(op)));
  case OpKind::Reshape:
    return sinkThroughReshapeOp(graph, op, x, perm);
  case OpKind::Softmax: {
    SoftmaxAttrs attrs = op->attrs<SoftmaxAttrs>();
    attrs.axis = perm[static_cast<size_t>(nonNegative(attrs.axis, perm.size()))];
    return sink(graph, op, operands, attrs, perm);
  }
  case OpKind::BatchNorm: {
    BatchNormAttrs attrs = op->attrs<BatchNormAttrs>();
    attrs.axis = perm[static_cast<size_t>(nonNegative(attrs.axis, perm.size()))];
    return sink(graph, op, operands, attrs, perm);
  }
  case OpKind::Slice: {
    const SliceAttrs &attrs = op->attrs<SliceAttrs>();
    return sink(graph, op, operands, SliceAttrs{permuted(attrs.begin, back), permuted(attrs.stride, back)}, perm);
  }
  case OpKind::Pad: {
    const PadAttrs &attrs = op->attrs<PadAttrs>();
    return sink(graph, op, operands, PadAttrs{permuted(attrs.before, back), permuted(attrs.after, back), attrs.value},
                perm);
  }
  case OpKind::ReduceMean:
    return sinkThroughMean(graph, op, x, perm);
  case OpKind::Gather:
    return sinkThroughGather(graph, op, x, perm);
  case OpKind::Dense: // keeps all dimensions but the last
    return perm.back() == static_cast<int64_t>(perm.size()) - 1 && sink(graph, op, operands, op->attributes, perm);
  case OpKind::Conv2D: // NHWC only
  case OpKind::DepthwiseConv2D:
  case OpKind::MaxPool2D:
  case OpKind::AvgPool2D:
    return false;
  case OpKind::Concat: // handled where operands are looked at together
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Maximum:
  case OpKind::Minimum:
    return false;
  case OpKind::Clamp:
  case OpKind::LeakyRelu:
  case OpKind::Logistic:
  case OpKind::Tanh:
  case OpKind::Exp:
  case OpKind::Sqrt:
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Quantize:
  case OpKind::Dequantize:
  case OpKind::Requantize:
  case OpKind::Cast:
  case OpKind::Identity:
    return sink(graph, op, operands, op->attributes, perm);
  }
  return false;
}

bool mfc::simplifyTranspose(Graph &graph, Operation *op) {
  if (op->kind() != OpKind::Transpose)
    return false;
  Value *x = op->operand(0);
  Permutation perm = permOf(op);
  if (movesOnlyUnitDims(x->type.shape, perm) && !isPerAxis(x->type)) {
    Shape shape = op->result()->type.shape;
    replaceOp(graph, op, addReshape(graph, x, shape, *op, op));
    return true;
  }
  if (!constantUnder(x))
    return false;
  replaceOp(graph, op, freelyTransposed(graph, x, perm, op));
  return true;
}

bool mfc::sinkTransposeThrough(Graph &graph, Operation *op) {
  if (op->kind() == OpKind::Concat)
    return sinkThroughConcat(graph, op);
  if (op->operands().size() == 2 && hasTrait(op->kind(), OpTrait::Elementwise))
    return sinkThroughBinary(graph, op);
  if (Operation *transpose = transposeOf(op->operand(0)))
    return sinkThroughUnary(graph, op, transpose->operand(0), Permutation(permOf(transpose)));
  return false;
}

/// Where the dimensions that dense reads begin: those before stay in place and count dense's rows.
static std::optional<size_t> splitDim(const Shape &shape, const Permutation &perm, int64_t columns) {
  int64_t count = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    count *= shape[d];
    if (count < columns)
      continue;
    bool fixed = true;
    for (size_t k = 0; k < d; ++k)
      fixed &= perm[k] == static_cast<int64_t>(k);
    if (count == columns && fixed)
      return d;
    if (count > columns)
      return std::nullopt;
  }
  return std::nullopt;
}

bool mfc::foldTransposeIntoDense(Graph &graph, Operation *dense) {
  Operation *reshape = producerOfKind(dense->operand(0), OpKind::Reshape);
  Operation *transpose = reshape ? transposeOf(reshape->operand(0)) : nullptr;
  Value *weights = constantUnder(dense->operand(1));
  if (!transpose || !weights || isPerAxis(transpose->operand(0)->type))
    return false;
  const TensorType &type = weights->type;
  if (isPerAxis(type) && type.quant->axis != 0)
    return false;
  const Permutation &perm = permOf(transpose);
  Shape transposed = transpose->result()->type.shape;
  std::optional<size_t> split = splitDim(transposed, perm, type.dim(1));
  if (!split)
    return false;

  // The weights as [outputs, dimensions in transposed order], brought into the order of x.
  Shape shape{type.dim(0)};
  Permutation columns{0};
  Permutation back = inverse(perm);
  for (size_t d = *split; d < perm.size(); ++d) {
    shape.push_back(transposed[d]);
    columns.push_back(back[d] - static_cast<int64_t>(*split) + 1);
  }
  Value *permutedWeights = graph.addConstant(type, permutedBytes(*weights, shape, columns), weights->name);
  if (Operation *dequantize = producerOfKind(dense->operand(1), OpKind::Dequantize))
    permutedWeights =
        copyOp(graph, *dequantize, {permutedWeights}, NoAttrs{}, dequantize->result()->type, dense);
  Value *x = addReshape(graph, transpose->operand(0), reshape->result()->type.shape, *reshape, dense);
  Operation *oldWeights = dense->operand(1)->producer();
  dense->setOperand(1, permutedWeights);
  dense->setOperand(0, x);
  eraseUnread(graph, reshape);
  if (oldWeights)
    eraseUnread(graph, oldWeights);
  return true;
}
