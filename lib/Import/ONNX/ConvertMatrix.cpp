// Gemm and MatMul: dense layers, since one side is constant in the networks that mfc compiles.
#include "ConvertMatrix.h"

#include "Converters.h"
#include "Types.h"

#include <algorithm>

using namespace mfc;
using namespace mfc::onnx;

static bool isConstantOperand(const Value *value) {
  return value->isConstant() || constantDequantize(value);
}

static Value *dense(Builder &b, Value *x, Value *weights, Value *bias) {
  std::vector<Value *> operands = {x, weights};
  if (bias)
    operands.push_back(bias);
  return b.add(OpKind::Dense, operands, RoundingAttrs{Rounding::HalfEven});
}

/// A Gemm bias that is the same for every row: one value per output, or one for all.
static Value *rowBias(Builder &b, Value *c, int64_t outputs) {
  if (!isConstantOperand(c))
    return nullptr;
  const Shape &s = c->type.shape;
  int64_t last = s.empty() ? 1 : s.back();
  if (c->type.count() != last)
    return nullptr;
  if (last == outputs)
    return b.reshape(c, {outputs});
  if (last == 1 && c->isConstant())
    return b.pick(b.reshape(c, {1}), 0, std::vector<int64_t>(static_cast<size_t>(outputs), 0));
  return nullptr;
}

Value *onnx::buildGemm(NodeContext &ctx, Value *a, Value *w, Value *c) {
  double alpha = ctx.floatAttr("alpha", 1), beta = ctx.floatAttr("beta", 1);
  bool transA = ctx.intAttr("transA", 0) != 0, transB = ctx.intAttr("transB", 0) != 0;
  if (ctx.failed())
    return nullptr;
  if (a->type.rank() != 2 || w->type.rank() != 2) {
    ctx.bad() << "Gemm of shapes " << shapeText(a->type.shape) << " and "
              << shapeText(w->type.shape) << ", wanted two matrices";
    return nullptr;
  }
  Builder &b = ctx.b;
  Value *x = transA ? b.transpose(a, {1, 0}) : a;
  Value *weights = transB ? w : b.transpose(w, {1, 0});
  if (!x || !weights)
    return nullptr;
  if (x->type.dim(1) != weights->type.dim(1)) {
    ctx.bad() << "Gemm of " << x->type.dim(1) << " columns with " << weights->type.dim(1)
              << " rows (A is " << shapeText(a->type.shape) << ", B is " << shapeText(w->type.shape)
              << ")";
    return nullptr;
  }
  bool scalesResult = alpha != 1 && !weights->isConstant(); // keeps quantized weights as they are
  if (alpha != 1 && !scalesResult)
    weights = b.binary(OpKind::Mul, weights, b.scalar(static_cast<float>(alpha)));
  if (c && beta != 1)
    c = b.binary(OpKind::Mul, c, b.scalar(static_cast<float>(beta)));
  if (!weights || ctx.failed())
    return nullptr;
  Value *bias = c && !scalesResult ? rowBias(b, c, weights->type.dim(0)) : nullptr;
  Value *y = dense(b, x, weights, bias);
  if (scalesResult)
    y = b.binary(OpKind::Mul, y, b.scalar(static_cast<float>(alpha)));
  if (!y || !c || bias)
    return y;
  Value *sum = b.binary(OpKind::Add, y, c);
  if (sum && sum->type.shape != y->type.shape) {
    ctx.bad() << "bias of shape " << shapeText(c->type.shape)
              << " does not broadcast to the result of shape " << shapeText(y->type.shape);
    return nullptr;
  }
  return sum;
}

static void convertGemm(NodeContext &ctx) {
  Value *a = ctx.floatInput(0);
  Value *w = a ? ctx.constantInput(1, "weights") : nullptr;
  if (!w || !ctx.floatInput(1))
    return;
  Value *c = ctx.hasInput(2) ? ctx.floatInput(2) : nullptr;
  if (!ctx.failed())
    ctx.setResult(0, buildGemm(ctx, a, w, c));
}

/// Constant weights [.., K, N] with leading dimensions of 1, or [K], as a matrix [N, K].
static Value *denseWeights(NodeContext &ctx, Value *w) {
  const Shape &s = w->type.shape;
  int64_t rank = w->type.rank();
  if (rank == 0) {
    ctx.bad() << "MatMul with a scalar, wanted a matrix";
    return nullptr;
  }
  if (rank == 1)
    return ctx.b.reshape(w, {1, s[0]});
  int64_t k = w->type.dim(-2), n = w->type.dim(-1);
  if (w->type.count() != k * n) {
    ctx.unsupported(1) << "MatMul with weights of shape " << shapeText(s)
                       << ", one matrix for all of the batch is supported";
    return nullptr;
  }
  return ctx.b.transpose(ctx.b.reshape(w, {k, n}), {1, 0});
}

Value *onnx::buildMatMul(NodeContext &ctx, Value *a, Value *w) {
  Value *weights = denseWeights(ctx, w);
  if (!weights)
    return nullptr;
  if (a->type.rank() == 0 || a->type.dim(-1) != weights->type.dim(1)) {
    ctx.bad() << "MatMul of shapes " << shapeText(a->type.shape) << " and "
              << shapeText(w->type.shape) << ", inner sizes differ";
    return nullptr;
  }
  Value *x = a->type.rank() == 1 ? ctx.b.reshape(a, {1, a->type.dim(0)}) : a;
  Value *y = dense(ctx.b, x, weights, nullptr);
  if (!y)
    return nullptr;
  Shape shape(a->type.shape.begin(), a->type.shape.end() - 1);
  for (int64_t i = std::max<int64_t>(w->type.rank(), 2) - std::max<int64_t>(a->type.rank(), 2);
       i > 0; --i)
    shape.insert(shape.begin(), 1); // leading dimensions of 1 of the weights
  if (w->type.rank() > 1)
    shape.push_back(w->type.dim(-1));
  return ctx.b.reshape(y, shape);
}

static void convertMatMul(NodeContext &ctx) {
  Value *a = ctx.floatInput(0), *w = ctx.floatInput(1);
  if (!a || !w)
    return;
  bool left =
      isConstantOperand(a) && a->type.rank() == 2 && w->type.rank() == 2 && !isConstantOperand(w);
  if (left) { // A B = (B^T A^T)^T
    Value *x = ctx.b.transpose(w, {1, 0});
    Value *y = x ? buildMatMul(ctx, x, ctx.b.transpose(a, {1, 0})) : nullptr;
    ctx.setResult(0, y ? ctx.b.transpose(y, {1, 0}) : nullptr);
    return;
  }
  if (Value *weights = ctx.constantInput(1, "weights"))
    ctx.setResult(0, buildMatMul(ctx, a, weights));
}

llvm::ArrayRef<ConverterRow> onnx::matrixConverters() {
  static const ConverterRow rows[] = {{"Gemm", convertGemm}, {"MatMul", convertMatMul}};
  return rows;
}
