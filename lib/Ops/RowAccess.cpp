#include "mfc/Ops/RowAccess.h"

#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;

RowRange RowAccess::stepRows(int64_t step) const {
  RowRange range{rows, 0};
  for (const Window &window : windows) {
    int64_t first = step * window.stride - window.before;
    range.begin = std::min(range.begin, std::clamp<int64_t>(first, 0, rows));
    range.end = std::max(range.end, std::clamp<int64_t>(first + window.span(), 0, rows));
  }
  range.begin = std::min(range.begin, range.end);
  return range;
}

uint64_t RowAccess::rowBytes() const {
  uint64_t all = value->type.bytes();
  return all / static_cast<uint64_t>(planar ? value->type.dim(1) * value->type.dim(2) : rows);
}

const RowAccess *KernelRows::input(const Value *value) const {
  auto it = llvm::find_if(inputs, [&](const RowAccess &access) { return access.value == value; });
  return it == inputs.end() ? nullptr : &*it;
}

static bool isImage(const TensorType &type) { return type.rank() == 4 && type.dim(0) == 1; }

bool mfc::isGlobalMean(const Operation &op) {
  if (op.operands().empty() || !isImage(op.operand(0)->type))
    return false;
  const TensorType &in = op.operand(0)->type;
  if (const auto *reduce = std::get_if<ReduceAttrs>(&op.attributes)) {
    std::vector<int64_t> axes = reduce->axes;
    llvm::sort(axes);
    return op.kind() == OpKind::ReduceMean && axes == std::vector<int64_t>{1, 2};
  }
  if (op.kind() != OpKind::AvgPool2D)
    return false;
  const auto &pool = op.attrs<PoolAttrs>();
  bool padded = llvm::any_of(pool.pad, [](int64_t pad) { return pad != 0; });
  return !padded && pool.kernel[0] == in.dim(1) && pool.kernel[1] == in.dim(2) && pool.dilation[0] == 1 &&
         pool.dilation[1] == 1;
}

namespace {

class RowFinder {
public:
  RowFinder(const Kernel &kernel, std::string &why) : kernel(kernel), anchor(*kernel.anchor), why(why) {}

  std::optional<KernelRows> run() {
    if (!shapesFit())
      return std::nullopt;
    for (const Value *input : kernel.inputs)
      result.inputs.push_back({input, false, false, input->type.rank() == 4 ? input->type.dim(1) : 1, {}});
    for (const Operation *op : kernel.ops)
      if (!addReader(*op))
        return std::nullopt;
    for (RowAccess &access : result.inputs)
      if (access.whole)
        access.rows = 1, access.windows = {Window{}};
    return std::move(result);
  }

private:
  const Kernel &kernel;
  const Operation &anchor;
  std::string &why;
  KernelRows result;

  bool refuse(const llvm::Twine &reason) {
    why = reason.str();
    return false;
  }

  bool shapesFit() {
    for (const Operation *op : kernel.ops)
      if (hasTrait(op->kind(), OpTrait::View))
        return refuse("it holds a " + op->info().name + ", behind which rows are not the same");
    result.accumulates = isGlobalMean(anchor);
    if (result.accumulates) {
      result.steps = anchor.operand(0)->type.dim(1);
      return kernel.ops.back() == &anchor || refuse("more follows the mean over all rows in its kernel");
    }
    const TensorType &out = kernel.output->type;
    if (!isImage(out) || anchor.result()->type.shape != out.shape)
      return refuse("its result is not one image of rows, columns and channels");
    result.steps = out.dim(1);
    return true;
  }

  bool addReader(const Operation &op) {
    if (&op == &anchor && !hasTrait(op.kind(), OpTrait::Elementwise))
      return addAnchor();
    if (op.kind() == OpKind::Transpose)
      return addRemap(op);
    if (!hasTrait(op.kind(), OpTrait::Elementwise))
      return refuse("a kernel of " + op.info().name + " does not run by rows");
    for (const Value *operand : op.operands()) {
      RowAccess *access = find(operand);
      if (!access)
        continue;
      const TensorType &type = operand->type;
      if (type.count() == 1 || !isImage(type) || (type.dim(1) == 1 && result.steps != 1))
        access->whole = true;
      else
        access->windows.push_back(Window{});
    }
    return true;
  }

  bool addAnchor() {
    if (RowAccess *access = find(anchor.operand(0)))
      if (result.accumulates)
        access->windows.push_back(Window{});
    if (result.accumulates)
      return true;
    switch (anchor.kind()) {
    case OpKind::Conv2D:
    case OpKind::DepthwiseConv2D:
    case OpKind::MaxPool2D:
    case OpKind::AvgPool2D:
      break;
    default:
      return refuse("a kernel of " + anchor.info().name + " does not run by rows");
    }
    if (RowAccess *access = find(anchor.operand(0)))
      access->windows.push_back(anchorWindow());
    return true;
  }

  Window anchorWindow() const {
    if (const auto *pool = std::get_if<PoolAttrs>(&anchor.attributes))
      return poolWindow(*pool, 0);
    return convWindow(anchor.attrs<ConvAttrs>(), anchor.operand(1)->type.dim(1), 0);
  }

  /// In front of the anchor an image may be read through a transpose. Behind it, rows are not rows any more.
  bool addRemap(const Operation &op) {
    if (&op != kernel.ops.front() || anchor.operand(0) != op.result())
      return refuse("its result is stored in another order");
    RowAccess *access = find(op.operand(0));
    if (!access)
      return true;
    if (result.accumulates || hasTrait(anchor.kind(), OpTrait::Elementwise))
      return refuse("it reads its operand in another order");
    const std::vector<int64_t> channelsFirst{0, 2, 3, 1};
    bool window = anchor.kind() == OpKind::Conv2D || anchor.kind() == OpKind::DepthwiseConv2D ||
                  anchor.kind() == OpKind::MaxPool2D || anchor.kind() == OpKind::AvgPool2D;
    if (!isImage(access->value->type) || op.attrs<TransposeAttrs>().perm != channelsFirst || !window) {
      access->whole = true;
      return true;
    }
    access->planar = true;
    access->rows = access->value->type.dim(2);
    access->windows.push_back(anchorWindow());
    return true;
  }

  RowAccess *find(const Value *value) {
    auto it = llvm::find_if(result.inputs, [&](const RowAccess &access) { return access.value == value; });
    return it == result.inputs.end() ? nullptr : &*it;
  }
};

} // namespace

std::optional<KernelRows> mfc::kernelRows(const Kernel &kernel, std::string &why) { return RowFinder(kernel, why).run(); }
