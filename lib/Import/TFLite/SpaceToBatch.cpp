// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND. TensorFlow writes a dilated convolution as a convolution of stride 1 between the
// two: every block position of the image is a batch of its own. The three become one dilated convolution here, read from
// the front operator's input with its padding; what is left over of the others is dead. Alone, or around anything else, the
// operators are movements.
#include "OperatorTable.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <functional>
#include <numeric>

using namespace mfc;
using namespace mfc::tflite;

namespace {
/// Operands 1 and 2: block sizes of dimensions 1 to M, and amounts before and after them (padding or crops).
struct BlockOperands {
  std::vector<int64_t> block, before, after;
};
} // namespace

static std::optional<BlockOperands> readBlocks(const Node &node) {
  std::optional<std::vector<int64_t>> block = node.constantIntegers(1), amounts = node.constantIntegers(2);
  if (!block || !amounts || !node.wantSameType(0))
    return std::nullopt;
  constexpr int64_t kLargest = int64_t(1) << 20;
  int64_t positions = 1;
  for (int64_t b : *block)
    positions = std::clamp<int64_t>(b, 0, kLargest) * std::min(positions, kLargest);
  int64_t rank = node.input(0)->type.rank(), dims = static_cast<int64_t>(block->size());
  bool good = dims >= 1 && dims < rank && amounts->size() == 2 * block->size();
  good &= llvm::all_of(*block, [](int64_t b) { return b >= 1; }) && positions <= kLargest;
  good &= llvm::all_of(*amounts, [](int64_t a) { return a >= 0 && a <= kLargest; });
  if (!good) {
    node.bad() << "blocks of " << shapeText(*block) << " with " << amounts->size() << " amounts do not fit an input of shape "
               << shapeText(node.input(0)->type.shape);
    return std::nullopt;
  }
  BlockOperands operands{std::move(*block), {}, {}};
  for (size_t i = 0; i < amounts->size(); i += 2)
    operands.before.push_back((*amounts)[i]), operands.after.push_back((*amounts)[i + 1]);
  return operands;
}

static int64_t product(llvm::ArrayRef<int64_t> list) {
  return std::accumulate(list.begin(), list.end(), int64_t(1), std::multiplies<int64_t>());
}

static Value *addTranspose(const Node &node, Value *value, std::vector<int64_t> perm) {
  return value ? node.add(OpKind::Transpose, {value}, TransposeAttrs{std::move(perm)}, value->type) : nullptr;
}

static Value *addPadding(const Node &node, Value *value, const BlockOperands &blocks) {
  if (llvm::all_of(blocks.before, [](int64_t a) { return a == 0; }) && llvm::all_of(blocks.after, [](int64_t a) { return a == 0; }))
    return value;
  size_t rank = value->type.shape.size();
  PadAttrs attrs{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0),
                 value->type.isQuantized() ? double(value->type.quant->zeroPoint()) : 0};
  std::copy(blocks.before.begin(), blocks.before.end(), attrs.before.begin() + 1);
  std::copy(blocks.after.begin(), blocks.after.end(), attrs.after.begin() + 1);
  return node.add(OpKind::Pad, {value}, attrs, value->type);
}

bool tflite::convertSpaceToBatch(const Node &node) {
  std::optional<BlockOperands> blocks = readBlocks(node);
  Value *padded = blocks ? addPadding(node, node.input(0), *blocks) : nullptr;
  if (!padded)
    return false;
  // [N, s / b, b, ..., rest] to [b, ..., N, s / b, ..., rest]
  const Shape &in = padded->type.shape;
  size_t dims = blocks->block.size();
  Shape split{in[0]}, result{in[0] * product(blocks->block)};
  std::vector<int64_t> perm, tail{0};
  for (size_t d = 0; d < dims; ++d) {
    int64_t size = in[d + 1], block = blocks->block[d];
    if (size % block != 0)
      return node.bad() << "block of " << block << " does not divide the " << size << " padded elements of dimension " << d + 1;
    split.insert(split.end(), {size / block, block});
    result.push_back(size / block);
    perm.push_back(static_cast<int64_t>(2 * d + 2));
    tail.push_back(static_cast<int64_t>(2 * d + 1));
  }
  tail.push_back(static_cast<int64_t>(2 * dims + 1));
  perm.insert(perm.end(), tail.begin(), tail.end());
  llvm::ArrayRef<int64_t> rest = llvm::ArrayRef(in).drop_front(dims + 1);
  split.push_back(product(rest));
  result.insert(result.end(), rest.begin(), rest.end());
  Value *value = node.reshape(addTranspose(node, node.reshape(padded, split), perm), result);
  if (value)
    node.remember(value, {node.input(0), blocks->block, blocks->before, blocks->after});
  return node.finish(value);
}

namespace {
/// A convolution between the two operators, and the clamps behind it, last one first.
struct Between {
  Operation *conv = nullptr;
  std::vector<Operation *> clamps;
  const BlockedInput *input = nullptr;
};
} // namespace

static Between findConvolution(const Node &node) {
  Between found;
  for (Operation *op = node.input(0)->producer(); op; op = op->operand(0)->producer()) {
    if (op->kind() == OpKind::Clamp) {
      found.clamps.push_back(op);
      continue;
    }
    if (op->kind() == OpKind::Reshape)
      continue;
    if (op->kind() == OpKind::Conv2D || op->kind() == OpKind::DepthwiseConv2D)
      found.conv = op;
    break;
  }
  if (!found.conv)
    return found;
  Value *in = found.conv->operand(0);
  found.input = node.remembered(in);
  if (!found.input && in->producer() && in->producer()->kind() == OpKind::Reshape)
    found.input = node.remembered(in->producer()->operand(0));
  return found;
}

/// The dilated convolution; null if the three operators are not one.
static Value *foldConvolution(const Node &node, const BlockOperands &blocks) {
  Between between = findConvolution(node);
  if (!between.input || between.input->block != blocks.block)
    return nullptr;
  const BlockedInput &input = *between.input;
  ConvAttrs attrs = between.conv->attrs<ConvAttrs>();
  const Shape &source = input.source->type.shape, &result = node.input(0)->type.shape, &conv = between.conv->result()->type.shape;
  bool plain = attrs.stride == std::array<int64_t, 2>{1, 1} && attrs.dilation == attrs.stride && attrs.pad == std::array<int64_t, 4>{};
  // Rank 3 is a line: the convolution's height is 1.
  bool line = source.size() == 3 && result.size() == 3 && conv[1] == 1 && conv[2] == result[1];
  bool image = source.size() == 4 && result == conv;
  if (!plain || (!line && !image) || blocks.block.size() > (line ? 1u : 2u))
    return nullptr;
  for (size_t i = 0; i < blocks.block.size(); ++i) {
    size_t d = line ? 1 : i;
    attrs.dilation[d] = blocks.block[i];
    attrs.pad[d] = input.before[i] - blocks.before[i];
    attrs.pad[d + 2] = input.after[i] - blocks.after[i];
    if (attrs.pad[d] < 0 || attrs.pad[d + 2] < 0) // crops more than the padding
      return nullptr;
  }
  std::vector<Value *> operands(between.conv->operands().begin(), between.conv->operands().end());
  operands[0] = line ? node.reshape(input.source, {source[0], 1, source[1], source[2]}) : input.source;
  Value *value = node.add(between.conv->kind(), operands, attrs, between.conv->result()->type);
  for (Operation *clamp : llvm::reverse(between.clamps))
    value = node.add(OpKind::Clamp, {value}, clamp->attributes, clamp->result()->type);
  return line && value ? node.reshape(value, {value->type.dim(0), value->type.dim(2), value->type.dim(3)}) : value;
}

bool tflite::convertBatchToSpace(const Node &node) {
  std::optional<BlockOperands> blocks = readBlocks(node);
  if (!blocks)
    return false;
  if (Value *folded = foldConvolution(node, *blocks))
    return node.finish(folded);
  // [b, ..., N, s, ..., rest] to [N, s * b, ..., rest], then the crops
  const Shape &in = node.input(0)->type.shape;
  size_t dims = blocks->block.size();
  int64_t all = product(blocks->block);
  if (in[0] % all != 0)
    return node.bad() << "blocks of " << shapeText(blocks->block) << " do not divide the batch of " << in[0];
  Shape split(blocks->block), joined{in[0] / all};
  split.push_back(in[0] / all);
  std::vector<int64_t> perm{static_cast<int64_t>(dims)};
  for (size_t d = 0; d < dims; ++d) {
    split.push_back(in[d + 1]);
    joined.push_back(in[d + 1] * blocks->block[d]);
    perm.insert(perm.end(), {static_cast<int64_t>(dims + 1 + d), static_cast<int64_t>(d)});
  }
  perm.push_back(static_cast<int64_t>(2 * dims + 1));
  llvm::ArrayRef<int64_t> rest = llvm::ArrayRef(in).drop_front(dims + 1);
  split.push_back(product(rest));
  joined.insert(joined.end(), rest.begin(), rest.end());
  Value *value = node.reshape(addTranspose(node, node.reshape(node.input(0), split), perm), joined);
  if (!value)
    return false;
  SliceAttrs slice{std::vector<int64_t>(joined.size(), 0), std::vector<int64_t>(joined.size(), 1)};
  TensorType type = value->type;
  for (size_t d = 0; d < dims; ++d) {
    slice.begin[d + 1] = blocks->before[d];
    type.shape[d + 1] -= blocks->before[d] + blocks->after[d];
    if (type.shape[d + 1] < 1)
      return node.bad() << "crops of " << blocks->before[d] << " and " << blocks->after[d] << " leave nothing of dimension " << d + 1;
  }
  return node.finish(type.shape == joined ? value : node.add(OpKind::Slice, {value}, slice, type));
}
