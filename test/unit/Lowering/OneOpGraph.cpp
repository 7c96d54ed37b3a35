#include "OneOpGraph.h"

#include "mfc/Ops/Ops.h"

#include <cmath>
#include <cstring>

using namespace mfc;
using namespace mfc::test;

namespace {

Rounding roundingOf(Numbers numbers, Random &random) {
  if (numbers == Numbers::HalfEven)
    return Rounding::HalfEven;
  return random.chance(80) ? Rounding::TfliteDouble : Rounding::TfliteSingle;
}

/// Builder of a graph with one input; every operator goes through Ops' own shape rule.
class Builder {
public:
  Builder(Random &random, Numbers numbers) : random(random), numbers(numbers) { graph.name = "test"; }

  Random &random;
  Numbers numbers;
  Graph graph;

  TensorType activation(Shape shape) {
    if (numbers == Numbers::Float)
      return {ElementType::F32, std::move(shape), {}};
    return quantizedType(ElementType::I8, std::move(shape), scale(), zeroPoint());
  }
  /// Mostly what models have; sometimes so far off that results are all zero or all saturated.
  float scale() { return static_cast<float>(std::exp(random.chance(4) ? random.real(-25, 25) : random.real(-5, 1))); }
  int32_t zeroPoint() {
    if (random.chance(20))
      return random.chance(50) ? -128 : 127;
    return static_cast<int32_t>(random.range(-128, 127));
  }

  Value *constant(TensorType type) {
    Tensor tensor = randomTensor(type, random);
    if (type.element == ElementType::I8 && type.isQuantized()) {
      // Everywhere -127, 127, 0 or -128, small ones, all of int8, or without -128.
      int style = static_cast<int>(random.range(0, 12));
      int64_t most = style == 3 ? 12 : style == 4 ? 40 : style == 5 ? 80 : 127;
      for (int64_t i = 0; i < type.count(); ++i)
        if (style < 3)
          tensor.setInteger(i, style == 0 ? -127 : style == 1 ? 127 : 0);
        else if (style == 12)
          tensor.setInteger(i, -128);
        else if (style != 6)
          tensor.setInteger(i, tensor.getInteger(i) % (most + 1));
    }
    if (type.element == ElementType::I32)
      for (int64_t i = 0; i < type.count(); ++i)
        tensor.setInteger(i, random.range(-20000, 20000));
    return graph.addConstant(type, tensor.bytes, "");
  }

  /// Weights, and a bias in two cases of three; appended to operands.
  void addWeights(std::vector<Value *> &operands, Shape shape, int axis, int64_t channels) {
    bool real = numbers == Numbers::Float;
    TensorType weights{real ? ElementType::F32 : ElementType::I8, shape, {}};
    TensorType bias{real ? ElementType::F32 : ElementType::I32, {channels}, {}};
    if (!real) {
      float inputScale = operands[0]->type.quant->scale();
      Quantization q{{}, {}, axis}, b{{}, {}, 0};
      bool perChannel = random.chance(60);
      for (int64_t c = 0; c < (perChannel ? channels : 1); ++c) {
        q.scales.push_back(0.02f * scale());
        q.zeroPoints.push_back(0);
        b.scales.push_back(inputScale * q.scales.back());
        b.zeroPoints.push_back(0);
      }
      if (!perChannel)
        q.axis = b.axis = -1;
      weights.quant = q, bias.quant = b;
    }
    operands.push_back(constant(weights));
    if (random.chance(66))
      operands.push_back(constant(bias));
  }

  Value *op(OpKind kind, std::vector<Value *> operands, Attributes attributes, TensorType type) {
    std::vector<TensorType> types;
    for (Value *operand : operands)
      types.push_back(operand->type);
    auto shape = inferShape(kind, types, attributes, &type);
    if (!shape) {
      llvm::consumeError(shape.takeError());
      return nullptr;
    }
    type.shape = *shape;
    return graph.add(kind, operands, std::move(attributes), type, {});
  }

  /// An input of this shape, NHWC; sometimes it is stored as NCHW and read through an index remap.
  Value *imageInput(const Shape &shape) {
    if (!random.chance(25))
      return graph.addInput(activation(shape), "x");
    Value *x = graph.addInput(activation({shape[0], shape[3], shape[1], shape[2]}), "x");
    return op(OpKind::Transpose, {x}, TransposeAttrs{{0, 2, 3, 1}}, x->type);
  }

  /// The value transposed, sometimes behind a reshape: kernels store their results that way.
  Value *moved(Value *value) {
    Shape shape = value->type.shape;
    if (shape.size() == 4 && random.chance(20)) {
      shape = random.chance(50) ? Shape{shape[0], shape[1] * shape[2], shape[3]} : Shape{shape[0] * shape[1], shape[2], shape[3]};
      TensorType flat = value->type;
      flat.shape = shape;
      value = op(OpKind::Reshape, {value}, NoAttrs{}, flat);
    }
    TransposeAttrs a;
    for (size_t d = 0; d < shape.size(); ++d)
      a.perm.push_back(static_cast<int64_t>(d));
    if (shape.size() == 4 && random.chance(50)) // as at the border of an NCHW model
      a.perm = {0, 3, 1, 2};
    else
      for (size_t i = shape.size(); i-- > 1;)
        std::swap(a.perm[i], a.perm[static_cast<size_t>(random.range(0, static_cast<int64_t>(i)))]);
    value = op(OpKind::Transpose, {value}, a, value->type);
    if (random.chance(25)) // acts on the moved elements alike
      value = op(OpKind::Clamp, {value}, ClampAttrs{-20, 40}, value->type);
    return value;
  }

  /// The result with a clamp, an addition or a transpose behind it, sometimes.
  Graph finish(Value *value) {
    if (!value)
      return Graph();
    if (random.chance(30)) {
      ClampAttrs clamp{numbers == Numbers::Float ? 0.0 : double(random.range(-100, 0)),
                       numbers == Numbers::Float ? 6.0 : double(random.range(1, 120))};
      value = op(OpKind::Clamp, {value}, clamp, value->type);
    }
    if (random.chance(20) && value->type.rank() > 0) {
      TensorType other = activation(random.chance(50) ? value->type.shape : Shape{value->type.dim(-1)});
      TensorType sum = activation(value->type.shape);
      value = op(OpKind::Add, {value, constant(other)}, RoundingAttrs{roundingOf(numbers, random)}, sum);
    }
    if (value->type.rank() > 1 && random.chance(30))
      value = moved(value);
    graph.addOutput(value, "out");
    return std::move(graph);
  }
};

int64_t smallChannels(Random &random) {
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33};
  return sizes[random.range(0, std::size(sizes) - 1)];
}

ConvAttrs convAttrs(Builder &b, int64_t kh, int64_t kw) {
  ConvAttrs a;
  a.stride = {b.random.range(1, 3), b.random.range(1, 3)};
  if (b.random.chance(25))
    a.dilation = {b.random.range(1, 3), b.random.range(1, 3)};
  if (b.random.chance(60))
    a.pad = {b.random.range(0, kh - 1), b.random.range(0, kw - 1), b.random.range(0, kh - 1), b.random.range(0, kw - 1)};
  a.rounding = roundingOf(b.numbers, b.random);
  return a;
}
} // namespace

Graph mfc::test::randomConv2D(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  int64_t kh = random.range(1, 4), kw = random.range(1, 4);
  if (random.chance(30))
    kh = kw = 1;
  ConvAttrs a = convAttrs(b, kh, kw);
  a.groups = random.chance(15) ? random.range(2, 3) : 1;
  int64_t in = smallChannels(random) * a.groups, out = smallChannels(random) * a.groups;
  Value *x = b.imageInput({random.chance(10) ? 2 : 1, random.range(kh, 9), random.range(kw, 9), in});
  std::vector<Value *> operands{x};
  b.addWeights(operands, {out, kh, kw, in / a.groups}, 0, out);
  return b.finish(b.op(OpKind::Conv2D, operands, a, b.activation({})));
}

Graph mfc::test::lineConv2D(Random &random, Numbers numbers, int64_t width, int64_t taps, int64_t stride, int64_t channels) {
  static constexpr int64_t outputs[] = {1, 3, 4, 15, 16, 17};
  Builder b(random, numbers);
  ConvAttrs a;
  a.stride = {1, stride};
  if (random.chance(30))
    a.pad = {0, random.range(0, taps - 1), 0, random.range(0, taps - 1)};
  a.rounding = roundingOf(numbers, random);
  int64_t out = outputs[random.range(0, std::size(outputs) - 1)];
  std::vector<Value *> operands{b.graph.addInput(b.activation({1, 1, width, channels}), "x")};
  b.addWeights(operands, {out, 1, taps, channels}, 0, out);
  return b.finish(b.op(OpKind::Conv2D, operands, a, b.activation({})));
}

Graph mfc::test::randomDepthwise(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  int64_t kh = random.range(1, 5), kw = random.range(1, 5);
  ConvAttrs a = convAttrs(b, kh, kw);
  int64_t in = smallChannels(random), multiplier = random.chance(30) ? random.range(2, 8) : 1;
  Value *x = b.imageInput({random.chance(10) ? 2 : 1, random.range(kh, 9), random.range(kw, 9), in});
  std::vector<Value *> operands{x};
  b.addWeights(operands, {1, kh, kw, in * multiplier}, 3, in * multiplier);
  return b.finish(b.op(OpKind::DepthwiseConv2D, operands, a, b.activation({})));
}

Graph mfc::test::randomDense(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  int64_t k = random.range(1, 70), out = smallChannels(random);
  Value *x = b.graph.addInput(b.activation({random.chance(30) ? random.range(2, 5) : 1, k}), "x");
  std::vector<Value *> operands{x};
  b.addWeights(operands, {out, k}, 0, out);
  return b.finish(b.op(OpKind::Dense, operands, RoundingAttrs{roundingOf(numbers, random)}, b.activation({})));
}

Graph mfc::test::randomPool(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  PoolAttrs a;
  a.kernel = {random.range(1, 4), random.range(1, 4)};
  a.stride = {random.range(1, 3), random.range(1, 3)};
  if (random.chance(50))
    a.pad = {random.range(0, a.kernel[0] - 1), random.range(0, a.kernel[1] - 1), random.range(0, a.kernel[0] - 1),
             random.range(0, a.kernel[1] - 1)};
  a.rounding = roundingOf(numbers, random);
  bool average = random.chance(50);
  a.countIncludePad = average && random.chance(30);
  Value *x = b.imageInput({random.chance(10) ? 2 : 1, random.range(4, 9), random.range(4, 9), smallChannels(random)});
  TensorType type = x->type;
  if (average && numbers == Numbers::HalfEven)
    type = b.activation({});
  return b.finish(b.op(average ? OpKind::AvgPool2D : OpKind::MaxPool2D, {x}, a, type));
}

Graph mfc::test::randomMean(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  ReduceAttrs a;
  Value *x = b.graph.addInput(b.activation({random.range(1, 2), random.range(1, 6), random.range(1, 6), smallChannels(random)}), "x");
  for (int64_t d = 0; d < 4; ++d)
    if (random.chance(d == 0 ? 10 : 50))
      a.axes.push_back(d);
  if (a.axes.empty())
    a.axes = {1, 2};
  a.keepDims = random.chance(50);
  a.rounding = roundingOf(numbers, random);
  return b.finish(b.op(OpKind::ReduceMean, {x}, a, b.activation({})));
}

Graph mfc::test::randomSoftmax(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  SoftmaxAttrs a;
  a.rounding = roundingOf(numbers, random);
  a.beta = random.chance(80) ? 1.0f : 0.5f;
  Shape shape{random.range(1, 3), random.range(1, 4), random.range(1, 12)};
  a.axis = random.chance(70) ? -1 : random.range(0, 2);
  Value *x = b.graph.addInput(b.activation(shape), "x");
  TensorType type = numbers == Numbers::Float ? x->type : quantizedType(ElementType::I8, {}, 1.0f / 256, -128);
  Value *y = b.op(OpKind::Softmax, {x}, a, type);
  if (!y)
    return Graph();
  b.graph.addOutput(y, "out");
  return std::move(b.graph);
}

Graph mfc::test::randomBinary(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  Shape shape{1, random.range(1, 5), random.range(1, 5), smallChannels(random)};
  Value *x = b.imageInput(shape);
  Shape other = shape;
  for (int64_t &d : other)
    if (random.chance(25))
      d = 1;
  Value *y = random.chance(50) ? b.graph.addInput(b.activation(other), "y") : b.constant(b.activation(other));
  static const OpKind kinds[] = {OpKind::Add, OpKind::Sub, OpKind::Mul};
  OpKind kind = kinds[random.range(0, 2)];
  if (numbers == Numbers::Float && random.chance(20))
    kind = random.chance(50) ? OpKind::Maximum : OpKind::Minimum;
  return b.finish(b.op(kind, {x, y}, RoundingAttrs{roundingOf(numbers, random)}, b.activation({})));
}

Graph mfc::test::randomUnary(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  Value *x = b.graph.addInput(b.activation({1, random.range(1, 5), smallChannels(random)}), "x");
  RoundingAttrs rounding{roundingOf(numbers, random)};
  Value *y = nullptr;
  switch (random.range(0, numbers == Numbers::Float ? 6 : 4)) {
  case 0:
    y = b.op(OpKind::LeakyRelu, {x}, LeakyReluAttrs{0.1f, rounding.rounding}, b.activation({}));
    break;
  case 1:
    y = b.op(OpKind::Abs, {x}, rounding, numbers == Numbers::Float ? x->type : b.activation({}));
    break;
  case 2:
    y = b.op(OpKind::Neg, {x}, rounding, numbers == Numbers::Float ? x->type : b.activation({}));
    break;
  case 3: {
    TensorType middle = numbers == Numbers::Float ? quantizedType(ElementType::I8, {}, 0.013f, b.zeroPoint())
                                                  : TensorType{ElementType::F32, {}, {}};
    y = numbers == Numbers::Float ? b.op(OpKind::Quantize, {x}, rounding, middle) : b.op(OpKind::Dequantize, {x}, NoAttrs{}, middle);
    b.graph.addOutput(y, "out");
    return std::move(b.graph);
  }
  case 4:
    if (numbers != Numbers::Float) {
      y = b.op(OpKind::Requantize, {x}, rounding, b.activation({}));
      break;
    }
    y = b.op(OpKind::Exp, {x}, NoAttrs{}, x->type);
    break;
  case 5:
    y = b.op(OpKind::Logistic, {x}, rounding, x->type);
    break;
  default:
    y = b.op(OpKind::Tanh, {x}, rounding, x->type);
    break;
  }
  return b.finish(y);
}

Graph mfc::test::randomMovement(Random &random, Numbers numbers) {
  Builder b(random, numbers);
  Shape shape{random.range(1, 3), random.range(1, 5), random.range(1, 5), smallChannels(random)};
  Value *x = b.graph.addInput(b.activation(shape), "x");
  TensorType same = x->type;
  switch (random.range(0, 3)) {
  case 0: {
    TransposeAttrs a{{0, 1, 2, 3}};
    for (size_t i = 3; i > 0; --i)
      std::swap(a.perm[i], a.perm[static_cast<size_t>(random.range(0, static_cast<int64_t>(i)))]);
    return b.finish(b.op(OpKind::Transpose, {x}, a, same));
  }
  case 1: {
    AxisAttrs a{random.range(0, 3)};
    TensorType other = same;
    other.shape[static_cast<size_t>(a.axis)] = random.range(1, 4);
    Value *y = b.graph.addInput(other, "y");
    return b.finish(b.op(OpKind::Concat, {x, y, x}, a, same));
  }
  case 2: {
    SliceAttrs a;
    TensorType type = same;
    for (size_t d = 0; d < 4; ++d) {
      int64_t begin = random.range(0, shape[d] - 1), step = random.chance(25) ? 2 : 1;
      bool back = random.chance(15);
      a.begin.push_back(begin), a.stride.push_back(back ? -step : step);
      int64_t room = back ? begin / step + 1 : (shape[d] - 1 - begin) / step + 1;
      type.shape[d] = random.range(1, room);
    }
    return b.finish(b.op(OpKind::Slice, {x}, a, type));
  }
  default: {
    PadAttrs a;
    for (size_t d = 0; d < 4; ++d)
      a.before.push_back(random.range(0, 2)), a.after.push_back(random.range(0, 2));
    a.value = numbers == Numbers::Float ? 0.5 : double(same.quant->zeroPoint());
    return b.finish(b.op(OpKind::Pad, {x}, a, same));
  }
  }
}
