// Operators that move elements: what is not a graph operator itself is a gather with constant
// indices.
#include "Converters.h"
#include "Types.h"

#include "mfc/Ops/Ops.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace mfc;
using namespace mfc::onnx;

/// Index lists are constants of the importer; nothing sensible needs longer ones.
static constexpr int64_t kLongestList = int64_t(1) << 20;

static void convertTranspose(NodeContext &ctx) {
  Value *x = ctx.input(0);
  std::vector<int64_t> perm = ctx.intsAttr("perm");
  if (!x || ctx.failed())
    return;
  if (perm.empty()) {
    perm.resize(x->type.shape.size());
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  ctx.setResult(0, ctx.b.transpose(x, std::move(perm)));
}

static void convertConcat(NodeContext &ctx) {
  std::vector<Value *> operands;
  for (size_t i = 0; i < ctx.inputCount(); ++i) {
    Value *x = ctx.input(i);
    if (!x)
      return;
    // Shape arithmetic joins empty lists; they add nothing.
    if (!llvm::is_contained(x->type.shape, 0))
      operands.push_back(x);
    else if (operands.empty() && i + 1 == ctx.inputCount())
      operands.push_back(x);
  }
  if (operands.empty()) {
    ctx.bad() << "Concat has no operands";
    return;
  }
  if (!ctx.hasAttr("axis")) {
    ctx.bad() << "Concat has no attribute 'axis', wanted one";
    return;
  }
  std::optional<int64_t> axis = ctx.axis(ctx.intAttr("axis", 0), operands[0]->type.rank());
  if (!axis)
    return;
  for (const Value *x : operands)
    if (x->type.element != operands[0]->type.element) {
      ctx.bad() << "Concat of " << dataTypeName(operands[0]->type.element) << " and "
                << dataTypeName(x->type.element) << ", wanted the same type";
      return;
    }
  ctx.setResult(0, operands.size() == 1 ? operands[0]
                                        : ctx.b.add(OpKind::Concat, operands, AxisAttrs{*axis}));
}

/// Constant indices are made non-negative; run-time ones are taken as they are.
static void convertGather(NodeContext &ctx) {
  Value *x = ctx.input(0), *indices = ctx.input(1);
  int64_t wanted = ctx.intAttr("axis", 0);
  std::optional<int64_t> axis =
      x && indices && !ctx.failed() ? ctx.axis(wanted, x->type.rank()) : std::nullopt;
  if (!axis)
    return;
  ElementType type = indices->type.element;
  if (type != ElementType::I64 && type != ElementType::I32) {
    ctx.bad(1) << "indices of Gather are " << dataTypeName(type) << ", wanted int64 or int32";
    return;
  }
  if (std::optional<Tensor> list = constantValue(*indices)) {
    int64_t size = x->type.dim(*axis);
    for (int64_t i = 0, n = list->type.count(); i < n; ++i) {
      int64_t index = list->getInteger(i);
      if (index < -size || index >= size) {
        ctx.bad(1) << "index " << index << " is outside dimension " << *axis << " of size " << size;
        return;
      }
      list->setInteger(i, index < 0 ? index + size : index);
    }
    indices = ctx.b.constant(*list, ctx.inputName(1));
  }
  ctx.setResult(0, ctx.b.add(OpKind::Gather, {x, indices}, AxisAttrs{*axis}));
}

/// Repeats dimension `axis` as a whole or stretches it from 1: index i reads i mod size.
static Value *repeat(NodeContext &ctx, Value *x, int64_t axis, int64_t length) {
  if (!x || x->type.dim(axis) == length)
    return x;
  if (length < 1 || length > kLongestList) {
    ctx.bad() << ctx.opType() << " makes a dimension of " << length << ", wanted 1 to "
              << kLongestList;
    return nullptr;
  }
  std::vector<int64_t> list(static_cast<size_t>(length));
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = static_cast<int64_t>(i) % x->type.dim(axis);
  return ctx.b.pick(x, axis, list);
}

static void convertExpand(NodeContext &ctx) {
  Value *x = ctx.input(0);
  auto wanted = x ? ctx.integers(1, "shape") : std::nullopt;
  if (!wanted)
    return;
  Shape shape = x->type.shape;
  while (shape.size() < wanted->size())
    shape.insert(shape.begin(), 1);
  Value *y = ctx.b.reshape(x, shape);
  for (size_t k = 0; y && k < wanted->size(); ++k) {
    size_t axis = shape.size() - wanted->size() + k;
    int64_t from = shape[axis], to = (*wanted)[k];
    if (to != from && to != 1 && from != 1) {
      ctx.bad(1) << "Expand of " << shapeText(x->type.shape) << " to " << shapeText(*wanted)
                 << ", shapes do not broadcast";
      return;
    }
    if (to != 1)
      y = repeat(ctx, y, static_cast<int64_t>(axis), to);
  }
  ctx.setResult(0, y);
}

static void convertTile(NodeContext &ctx) {
  Value *x = ctx.input(0);
  auto repeats = x ? ctx.integers(1, "repeats") : std::nullopt;
  if (!repeats)
    return;
  if (repeats->size() != x->type.shape.size()) {
    ctx.bad(1) << "Tile of rank " << x->type.rank() << " has " << repeats->size()
               << " repeats, wanted one a dimension";
    return;
  }
  Value *y = x;
  for (size_t i = 0; y && i < repeats->size(); ++i) {
    int64_t times = std::clamp<int64_t>((*repeats)[i], 0, kLongestList);
    y = repeat(ctx, y, static_cast<int64_t>(i), times * x->type.shape[i]);
  }
  ctx.setResult(0, y);
}

namespace {
struct Blocks {
  Value *x = nullptr;
  int64_t size = 0;
};
} // namespace

static std::optional<Blocks> readBlocks(NodeContext &ctx) {
  Value *x = ctx.input(0);
  int64_t size = ctx.intAttr("blocksize", 0);
  if (!x || ctx.failed())
    return std::nullopt;
  if (x->type.rank() != 4 || size < 1 || size > kLongestList) {
    ctx.bad() << ctx.opType() << " of shape " << shapeText(x->type.shape) << " with block size "
              << size << ", wanted four dimensions and a positive block size";
    return std::nullopt;
  }
  return Blocks{x, size};
}

static void convertDepthToSpace(NodeContext &ctx) {
  auto blocks = readBlocks(ctx);
  std::string mode = ctx.stringAttr("mode", "DCR");
  if (!blocks || ctx.failed())
    return;
  const Shape &s = blocks->x->type.shape;
  int64_t size = blocks->size, channels = s[1] / (size * size);
  if (s[1] % (size * size) != 0 || (mode != "DCR" && mode != "CRD")) {
    ctx.bad() << "DepthToSpace of " << s[1] << " channels with block size " << size << " and mode '"
              << mode << "', wanted a multiple of " << size * size << " and DCR or CRD";
    return;
  }
  bool depthFirst = mode == "DCR";
  Value *y = depthFirst ? ctx.b.reshape(blocks->x, {s[0], size, size, channels, s[2], s[3]})
                        : ctx.b.reshape(blocks->x, {s[0], channels, size, size, s[2], s[3]});
  y = ctx.b.transpose(y, depthFirst ? std::vector<int64_t>{0, 3, 4, 1, 5, 2}
                                    : std::vector<int64_t>{0, 1, 4, 2, 5, 3});
  ctx.setResult(0, ctx.b.reshape(y, {s[0], channels, s[2] * size, s[3] * size}));
}

static void convertSpaceToDepth(NodeContext &ctx) {
  auto blocks = readBlocks(ctx);
  if (!blocks)
    return;
  const Shape &s = blocks->x->type.shape;
  int64_t size = blocks->size;
  if (s[2] % size != 0 || s[3] % size != 0) {
    ctx.bad() << "SpaceToDepth of shape " << shapeText(s) << " with block size " << size
              << ", wanted a divisor of height and width";
    return;
  }
  Value *y = ctx.b.reshape(blocks->x, {s[0], s[1], s[2] / size, size, s[3] / size, size});
  y = ctx.b.transpose(y, {0, 3, 5, 1, 2, 4});
  ctx.setResult(0, ctx.b.reshape(y, {s[0], s[1] * size * size, s[2] / size, s[3] / size}));
}

llvm::ArrayRef<ConverterRow> onnx::movementConverters() {
  static const ConverterRow rows[] = {
      {"Concat", convertConcat},
      {"DepthToSpace", convertDepthToSpace},
      {"Expand", convertExpand, 8},
      {"Gather", convertGather},
      {"SpaceToDepth", convertSpaceToDepth},
      {"Tile", convertTile},
      {"Transpose", convertTranspose},
  };
  return rows;
}
