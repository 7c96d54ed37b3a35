// Softmax, BatchNormalization and LayerNormalization.
#include "Converters.h"
#include "Layout.h"

using namespace mfc;
using namespace mfc::onnx;

static SoftmaxAttrs softmaxAttrs(int64_t axis) { return {axis, 1.0f, Rounding::HalfEven}; }

/// Before opset 13: everything from the axis on is one row.
static void convertSoftmaxFlat(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  int64_t wanted = ctx.intAttr("axis", 1);
  if (!x || ctx.failed())
    return;
  int64_t rank = x->type.rank();
  if (wanted < -rank || wanted > rank) { // the rank itself is allowed: rows of one element
    ctx.axis(wanted, rank);
    return;
  }
  auto axis = static_cast<size_t>(wanted < 0 ? wanted + rank : wanted);
  if (axis + 1 == static_cast<size_t>(rank)) {
    ctx.setResult(0, ctx.b.add(OpKind::Softmax, {x}, softmaxAttrs(-1)));
    return;
  }
  int64_t rows = 1, columns = 1;
  for (size_t i = 0; i < x->type.shape.size(); ++i)
    (i < axis ? rows : columns) *= x->type.shape[i];
  Value *y = ctx.b.add(OpKind::Softmax, {ctx.b.reshape(x, {rows, columns})}, softmaxAttrs(-1));
  ctx.setResult(0, ctx.b.reshape(y, x->type.shape));
}

static void convertSoftmax(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  int64_t wanted = ctx.intAttr("axis", -1);
  std::optional<int64_t> axis =
      x && !ctx.failed() ? ctx.axis(wanted, x->type.rank()) : std::nullopt;
  if (axis)
    ctx.setResult(0, ctx.b.add(OpKind::Softmax, {x}, softmaxAttrs(*axis)));
}

/// scale, B, mean and var as constants with one number per channel. Sizes that do not fit are one
/// problem.
static std::vector<Value *> normParameters(NodeContext &ctx, int64_t channels) {
  static const char *names[] = {"scale", "B", "mean", "var"};
  std::vector<Value *> parameters;
  std::string sizes;
  bool fit = true;
  for (size_t i = 1; i <= 4; ++i) {
    std::optional<Tensor> tensor = ctx.floatInput(i) ? ctx.contents(i, names[i - 1]) : std::nullopt;
    if (!tensor)
      continue;
    fit &= tensor->type.shape == Shape{channels};
    sizes += (sizes.empty() ? "" : ", ") + std::string(names[i - 1]) + " " +
             shapeText(tensor->type.shape);
    parameters.push_back(ctx.b.constant(*tensor, ctx.inputName(i)));
  }
  if (!fit)
    ctx.bad() << "parameters of BatchNormalization have shapes " << sizes << ", the input has "
              << channels << " channels (" << shapeText(ctx.input(0)->type.shape) << ")";
  return parameters;
}

static void convertBatchNormalization(NodeContext &ctx) {
  Value *x = ctx.floatInput(0);
  BatchNormAttrs attrs;
  attrs.epsilon = static_cast<float>(ctx.floatAttr("epsilon", 1e-5f));
  ctx.floatAttr("momentum", 0); // training only
  bool perElement = ctx.intAttr("spatial", 1) == 0;
  bool training = ctx.intAttr("training_mode", 0) != 0;
  if (!x || ctx.failed())
    return;
  if (perElement || training) {
    ctx.unsupported() << "BatchNormalization with " << (training ? "training_mode 1" : "spatial 0")
                      << ", the inference form over channels is supported";
    return;
  }
  for (size_t i = 1; i < ctx.outputCount(); ++i)
    if (ctx.refuseOutput(i, "training statistics"))
      return;
  if (x->type.rank() < 2 || x->type.rank() > 4) {
    ctx.unsupported(0) << "BatchNormalization of shape " << shapeText(x->type.shape)
                       << ", wanted 2 to 4 dimensions";
    return;
  }
  std::vector<Value *> operands = normParameters(ctx, x->type.dim(1));
  if (ctx.failed())
    return;
  int64_t rank = x->type.rank();
  operands.insert(operands.begin(), rank == 2 ? x : toNHWC(ctx.b, x));
  Value *y = ctx.b.add(OpKind::BatchNorm, operands, attrs);
  ctx.setResult(0, rank == 2 ? y : fromNHWC(ctx.b, y, rank));
}

/// (x - mean) / sqrt(variance + epsilon) over the axes.
static Value *standardized(Builder &b, Value *x, std::vector<int64_t> axes, float epsilon) {
  ReduceAttrs attrs{std::move(axes), true, Rounding::HalfEven};
  Value *centred = b.binary(OpKind::Sub, x, b.add(OpKind::ReduceMean, {x}, attrs));
  Value *variance = b.add(OpKind::ReduceMean, {b.binary(OpKind::Mul, centred, centred)}, attrs);
  Value *deviation =
      b.add(OpKind::Sqrt, {b.binary(OpKind::Add, variance, b.scalar(epsilon))}, NoAttrs{});
  return b.binary(OpKind::Div, centred, deviation);
}

static void convertLayerNormalization(NodeContext &ctx) {
  Value *x = ctx.floatInput(0), *scale = ctx.floatInput(1);
  int64_t wanted = ctx.intAttr("axis", -1);
  auto epsilon = static_cast<float>(ctx.floatAttr("epsilon", 1e-5f));
  ctx.intAttr("stash_type", 1); // precision of the statistics; float32 has one
  std::optional<int64_t> axis =
      x && scale && !ctx.failed() ? ctx.axis(wanted, x->type.rank()) : std::nullopt;
  if (!axis || ctx.refuseOutput(1, "Mean") || ctx.refuseOutput(2, "InvStdDev"))
    return;
  std::vector<int64_t> axes;
  for (int64_t i = *axis; i < x->type.rank(); ++i)
    axes.push_back(i);
  Value *y = ctx.b.binary(OpKind::Mul, standardized(ctx.b, x, axes, epsilon), scale);
  if (ctx.hasInput(2))
    y = ctx.b.binary(OpKind::Add, y, ctx.floatInput(2));
  ctx.setResult(0, y);
}

llvm::ArrayRef<ConverterRow> onnx::normalizationConverters() {
  static const ConverterRow rows[] = {
      {"BatchNormalization", convertBatchNormalization},
      {"LayerNormalization",
       convertLayerNormalization}, // official from 17 on; exporters used it before
      {"Softmax", convertSoftmaxFlat, 1, 12},
      {"Softmax", convertSoftmax, 13},
  };
  return rows;
}
