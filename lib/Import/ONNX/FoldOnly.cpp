// Operators that the graph does not have, evaluated when all operands are constant: comparisons and
// the like in the shape arithmetic of exporters.
#include "FoldOnly.h"

#include "Converters.h"
#include "Types.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mfc;
using namespace mfc::onnx;

double onnx::elementAsReal(const Tensor &tensor, int64_t i) {
  return isFloat(tensor.type.element) ? tensor.get<float>(i)
                                      : static_cast<double>(tensor.getInteger(i));
}

std::optional<std::vector<Tensor>> onnx::allContents(NodeContext &ctx) {
  std::vector<Tensor> list;
  for (size_t i = 0; i < ctx.inputCount(); ++i) {
    Value *value = ctx.input(i);
    if (!value)
      return std::nullopt;
    std::optional<Tensor> tensor = constantValue(*value);
    if (!tensor) {
      ctx.refuseOperator("is supported on constants only");
      return std::nullopt;
    }
    list.push_back(std::move(*tensor));
  }
  int64_t bytes = 0;
  for (const Tensor &tensor : list)
    bytes += static_cast<int64_t>(tensor.bytes.size());
  if (ctx.b.spend(bytes))
    return list;
  ctx.unsupported() << "the arithmetic on constants is more than importing computes";
  return std::nullopt;
}

namespace {
/// Walks the common shape of broadcast tensors.
struct BroadcastWalk {
  Shape shape;
  std::vector<std::vector<int64_t>> strides; ///< per tensor and dimension, 0 where it repeats
  /// Position in tensor t of element i of the common shape.
  int64_t position(size_t t, int64_t i) const {
    int64_t at = 0;
    for (size_t d = shape.size(); d-- > 0; i /= shape[d])
      at += i % shape[d] * strides[t][d];
    return at;
  }
};
} // namespace

static std::optional<BroadcastWalk> broadcast(NodeContext &ctx, llvm::ArrayRef<Tensor> tensors) {
  BroadcastWalk walk;
  for (const Tensor &t : tensors)
    if (t.type.shape.size() > walk.shape.size())
      walk.shape.insert(walk.shape.begin(), t.type.shape.size() - walk.shape.size(), 1);
  for (const Tensor &t : tensors)
    for (size_t k = 0; k < t.type.shape.size(); ++k) {
      int64_t &common = walk.shape[walk.shape.size() - t.type.shape.size() + k];
      int64_t d = t.type.shape[k];
      if (d != common && d != 1 && common != 1) {
        ctx.bad() << ctx.opType() << " of shapes that do not broadcast: " << d << " against "
                  << common;
        return std::nullopt;
      }
      common = common == 1 ? d : common;
    }
  std::optional<int64_t> count = elementCount(walk.shape);
  if (!count || *count > Builder::kMaxFoldedBytes / 8) {
    ctx.unsupported() << ctx.opType() << " of constants makes shape " << shapeText(walk.shape)
                      << ", more than importing computes";
    return std::nullopt;
  }
  for (const Tensor &t : tensors) {
    std::vector<int64_t> strides(walk.shape.size(), 0);
    int64_t step = 1;
    for (size_t k = t.type.shape.size(); k-- > 0; step *= t.type.shape[k])
      if (t.type.shape[k] != 1)
        strides[walk.shape.size() - t.type.shape.size() + k] = step;
    walk.strides.push_back(std::move(strides));
  }
  return walk;
}

/// Comparisons and logic; f gets floats or integers, as the operands are.
template <typename F> static void foldPredicate(NodeContext &ctx, F f) {
  auto operands = allContents(ctx);
  if (!operands)
    return;
  if (operands->size() != 2 || (*operands)[0].type.element != (*operands)[1].type.element) {
    ctx.bad() << ctx.opType() << " wants two operands of the same type";
    return;
  }
  auto walk = broadcast(ctx, *operands);
  if (!walk)
    return;
  const Tensor &a = (*operands)[0], &b = (*operands)[1];
  Tensor result(TensorType{ElementType::Bool, walk->shape, {}});
  for (int64_t i = 0, n = result.type.count(); i < n; ++i) {
    int64_t at = walk->position(0, i), bt = walk->position(1, i);
    bool yes = isFloat(a.type.element) ? f(a.get<float>(at), b.get<float>(bt))
                                       : f(a.getInteger(at), b.getInteger(bt));
    result.set(i, static_cast<uint8_t>(yes));
  }
  ctx.setResult(0, ctx.b.constant(result));
}

static void foldEqual(NodeContext &ctx) {
  foldPredicate(ctx, [](auto a, auto b) { return a == b; });
}
static void foldLess(NodeContext &ctx) {
  foldPredicate(ctx, [](auto a, auto b) { return a < b; });
}
static void foldLessOrEqual(NodeContext &ctx) {
  foldPredicate(ctx, [](auto a, auto b) { return a <= b; });
}
static void foldGreater(NodeContext &ctx) {
  foldPredicate(ctx, [](auto a, auto b) { return a > b; });
}
static void foldGreaterOrEqual(NodeContext &ctx) {
  foldPredicate(ctx, [](auto a, auto b) { return a >= b; });
}
static void foldAnd(NodeContext &ctx) {
  foldPredicate(ctx, [](auto a, auto b) { return a != 0 && b != 0; });
}
static void foldOr(NodeContext &ctx) {
  foldPredicate(ctx, [](auto a, auto b) { return a != 0 || b != 0; });
}
static void foldXor(NodeContext &ctx) {
  foldPredicate(ctx, [](auto a, auto b) { return (a != 0) != (b != 0); });
}

static void foldNot(NodeContext &ctx) {
  auto operands = allContents(ctx);
  if (!operands)
    return;
  if (operands->size() != 1 || (*operands)[0].type.element != ElementType::Bool) {
    ctx.bad() << "Not wants one operand of type bool";
    return;
  }
  Tensor result = (*operands)[0];
  for (uint8_t &b : result.bytes)
    b = !b;
  ctx.setResult(0, ctx.b.constant(result));
}

static void copyElement(Tensor &to, int64_t i, const Tensor &from, int64_t j) {
  size_t width = elementBytes(to.type.element);
  std::memcpy(to.bytes.data() + static_cast<size_t>(i) * width,
              from.bytes.data() + static_cast<size_t>(j) * width, width);
}

static void foldWhere(NodeContext &ctx) {
  auto operands = allContents(ctx);
  if (!operands)
    return;
  if (operands->size() != 3 || (*operands)[0].type.element != ElementType::Bool ||
      (*operands)[1].type.element != (*operands)[2].type.element) {
    ctx.bad() << "Where wants a bool condition and two operands of the same type";
    return;
  }
  auto walk = broadcast(ctx, *operands);
  if (!walk)
    return;
  Tensor result(TensorType{(*operands)[1].type.element, walk->shape, {}});
  for (int64_t i = 0, n = result.type.count(); i < n; ++i) {
    size_t source = (*operands)[0].get<uint8_t>(walk->position(0, i)) ? 1 : 2;
    copyElement(result, i, (*operands)[source], walk->position(source, i));
  }
  ctx.setResult(0, ctx.b.constant(result));
}

/// fmod 0: sign of the divisor, integers only; fmod 1: sign of the dividend (C's fmod).
static void foldMod(NodeContext &ctx) {
  bool sameSign = ctx.intAttr("fmod", 0) != 0;
  for (size_t i = 0; i < ctx.inputCount(); ++i)
    if (const Value *x = ctx.input(i); x && isFloat(x->type.element) && !sameSign) {
      ctx.bad(static_cast<int>(i))
          << "Mod of float32 with fmod 0, which ONNX forbids; wanted fmod 1 or integers";
      return;
    }
  auto operands = ctx.failed() ? std::nullopt : allContents(ctx);
  if (!operands)
    return;
  if (operands->size() != 2 || (*operands)[0].type.element != (*operands)[1].type.element) {
    ctx.bad() << "Mod wants two operands of the same type";
    return;
  }
  auto walk = broadcast(ctx, *operands);
  if (!walk)
    return;
  const Tensor &a = (*operands)[0], &b = (*operands)[1];
  Tensor result(TensorType{a.type.element, walk->shape, {}});
  for (int64_t i = 0, n = result.type.count(); i < n; ++i) {
    int64_t at = walk->position(0, i), bt = walk->position(1, i);
    if (isFloat(a.type.element)) {
      result.set(i, std::fmod(a.get<float>(at), b.get<float>(bt)));
      continue;
    }
    int64_t x = a.getInteger(at), y = b.getInteger(bt);
    if (y == 0) {
      ctx.bad(1) << "Mod by zero";
      return;
    }
    int64_t rest = y == -1 ? 0 : x % y;
    result.setInteger(i, !sameSign && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
  }
  ctx.setResult(0, ctx.b.constant(result));
}

template <float (*f)(float)> static void foldReal(NodeContext &ctx) {
  if (!ctx.floatInput(0))
    return;
  auto operands = allContents(ctx);
  if (!operands)
    return;
  Tensor result = (*operands)[0];
  for (int64_t i = 0, n = result.type.count(); i < n; ++i)
    result.set(i, f(result.get<float>(i)));
  ctx.setResult(0, ctx.b.constant(result));
}

static float floorOf(float x) { return std::floor(x); }
static float ceilOf(float x) { return std::ceil(x); }
static float roundOf(float x) {
  return std::nearbyint(x);
} // ties to even, the default rounding mode

static void foldRange(NodeContext &ctx) {
  auto operands = allContents(ctx);
  if (!operands)
    return;
  if (operands->size() != 3 || llvm::any_of(*operands, [&](const Tensor &t) {
        return t.type.count() != 1 || t.type.element != (*operands)[0].type.element;
      })) {
    ctx.bad() << "Range wants three scalars of the same type";
    return;
  }
  double start = elementAsReal((*operands)[0], 0), limit = elementAsReal((*operands)[1], 0),
         delta = elementAsReal((*operands)[2], 0);
  double length = std::ceil((limit - start) / delta);
  if (!(length <= static_cast<double>(Builder::kMaxFoldedBytes / 8))) { // NaN, too
    ctx.bad() << "Range from " << start << " to " << limit << " by " << delta
              << " is endless or too long";
    return;
  }
  ElementType element = (*operands)[0].type.element;
  Tensor result(TensorType{element, {static_cast<int64_t>(std::max(length, 0.0))}, {}});
  for (int64_t i = 0, n = result.type.count(); i < n; ++i) {
    if (isFloat(element))
      result.set(i, static_cast<float>(start + static_cast<double>(i) * delta));
    else
      result.setInteger(i, (*operands)[0].getInteger(0) + i * (*operands)[2].getInteger(0));
  }
  ctx.setResult(0, ctx.b.constant(result));
}

llvm::ArrayRef<ConverterRow> onnx::foldOnlyConverters() {
  static const ConverterRow rows[] = {
      {"And", foldAnd},
      {"Ceil", foldReal<ceilOf>},
      {"Equal", foldEqual},
      {"Floor", foldReal<floorOf>},
      {"Greater", foldGreater},
      {"GreaterOrEqual", foldGreaterOrEqual, 12},
      {"Less", foldLess},
      {"LessOrEqual", foldLessOrEqual, 12},
      {"Mod", foldMod, 10},
      {"Not", foldNot},
      {"Or", foldOr},
      {"Range", foldRange, 11},
      {"Round", foldReal<roundOf>, 11},
      {"Where", foldWhere, 9},
      {"Xor", foldXor},
  };
  return rows;
}
