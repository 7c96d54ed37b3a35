#include "WastefulNetwork.h"

#include "RandomGraph.h"
#include "mfc/IR/Tensor.h"
#include "mfc/Ops/Ops.h"

#include "llvm/Support/Error.h"

using namespace mfc;

namespace {
class Network {
public:
  Network(uint64_t seed, Rounding rounding) : random(seed), rounding(rounding) { graph.name = "g"; }
  Graph build();

private:
  Graph graph;
  RandomNumbers random;
  Rounding rounding;
  std::vector<Value *> images; ///< rank 4, i8

  TensorType activation(Shape shape);
  Value *add(OpKind kind, std::vector<Value *> operands, Attributes attributes, TensorType type);
  /// The result's shape is inferred.
  Value *addInferred(OpKind kind, std::vector<Value *> operands, Attributes attributes,
                     TensorType type);
  TensorType weightType(Shape shape, size_t outputAxis);
  Value *weights(Shape shape, size_t outputAxis, size_t inputAxis);
  Value *bias(const Value *input, const Value *weights, int64_t outputs);
  ConvAttrs window(const Value *x, int64_t kernelY, int64_t kernelX);
  Value *convolution(Value *x);
  Value *depthwise(Value *x);
  Value *elementwise(Value *x);
  Value *pool(Value *x);
  Value *movement(Value *x);
  Value *residual(Value *x);
  Value *head(Value *x);
};

TensorType Network::activation(Shape shape) {
  const std::vector<std::pair<float, int32_t>> formats{
      {0.05f, -128}, {0.06f, 3}, {0.1f, 0}, {0.03f, 20}};
  auto [scale, zero] = random.pick(formats);
  return quantizedType(ElementType::I8, std::move(shape), scale, zero);
}

Value *Network::add(OpKind kind, std::vector<Value *> operands, Attributes attributes,
                    TensorType type) {
  return graph.add(kind, operands, std::move(attributes), std::move(type), {});
}

Value *Network::addInferred(OpKind kind, std::vector<Value *> operands, Attributes attributes,
                            TensorType type) {
  std::vector<TensorType> types;
  for (const Value *v : operands)
    types.push_back(v->type);
  llvm::Expected<Shape> shape = inferShape(kind, types, attributes);
  if (!shape)
    llvm::report_fatal_error(shape.takeError());
  type.shape = *shape;
  return add(kind, std::move(operands), std::move(attributes), std::move(type));
}

/// One scale or one a channel; i16 as fold-weight-zero-points leaves them where i8 is too narrow.
TensorType Network::weightType(Shape shape, size_t outputAxis) {
  const bool perTensor = random.chance(25);
  const size_t scales = perTensor ? 1 : static_cast<size_t>(shape[outputAxis]);
  TensorType type{random.chance(15) ? ElementType::I16 : ElementType::I8, std::move(shape),
                  Quantization{std::vector<float>(scales, 0.02f), std::vector<int32_t>(scales),
                               perTensor ? -1 : static_cast<int>(outputAxis)}};
  for (float &scale : type.quant->scales)
    if (random.chance(30))
      scale = 0.005f;
  return type;
}

/// Whole output channels, input channels and taps of zeros, and copies of the output channel
/// before.
Value *Network::weights(Shape shape, size_t outputAxis, size_t inputAxis) {
  const auto outputs = static_cast<size_t>(shape[outputAxis]);
  Tensor tensor(weightType(shape, outputAxis));
  std::vector<std::vector<bool>> zero;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<bool> &slices = zero.emplace_back(static_cast<size_t>(shape[d]));
    for (size_t i = 0; i < slices.size(); ++i)
      slices[i] = random.chance(d == outputAxis ? 30 : d == inputAxis ? 20 : 15);
  }
  int64_t outputStep = 1;
  for (size_t d = outputAxis + 1; d < shape.size(); ++d)
    outputStep *= shape[d];
  std::vector<bool> copies(outputs);
  for (size_t o = 1; o < outputs; ++o)
    copies[o] = random.chance(20);
  const int64_t reach = tensor.type.element == ElementType::I8 ? 127 : 255;
  for (int64_t i = 0, n = tensor.type.count(); i < n; ++i) {
    bool isZero = false;
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      isZero |= zero[d][static_cast<size_t>(rest % shape[d])];
    const auto output = static_cast<size_t>(i / outputStep % shape[outputAxis]);
    const int64_t value = random.between(-reach - 1, reach);
    tensor.setInteger(i, copies[output] ? tensor.getInteger(i - outputStep) : isZero ? 0 : value);
  }
  return graph.addConstant(tensor.type, tensor.bytes, "");
}

/// Now and then so large that the result saturates.
Value *Network::bias(const Value *input, const Value *weights, int64_t outputs) {
  Quantization quant = *weights->type.quant;
  for (float &scale : quant.scales)
    scale *= input->type.quant->scale();
  quant.axis = quant.isPerTensor() ? -1 : 0;
  Tensor tensor(TensorType{ElementType::I32, {outputs}, quant});
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t reach = random.chance(15) ? 400000 : 3000;
    tensor.setInteger(o, o > 0 && random.chance(30) ? tensor.getInteger(o - 1)
                                                    : random.between(-reach, reach));
  }
  return graph.addConstant(tensor.type, tensor.bytes, "");
}

ConvAttrs Network::window(const Value *x, int64_t kernelY, int64_t kernelX) {
  ConvAttrs attrs;
  attrs.rounding = rounding;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t kernel = d ? kernelX : kernelY, size = x->type.shape[d + 1];
    attrs.stride[d] = random.between(1, 2);
    attrs.dilation[d] = kernel > 1 && random.chance(20) ? 2 : 1;
    const int64_t span = (kernel - 1) * attrs.dilation[d] + 1;
    attrs.pad[d] = random.chance(60) ? random.between(0, span - 1) : 0;
    attrs.pad[d + 2] = random.chance(60) ? random.between(0, span - 1) : 0;
    if (size + attrs.pad[d] + attrs.pad[d + 2] < span)
      attrs.pad[d] = attrs.pad[d + 2] = span - 1;
  }
  return attrs;
}

Value *Network::convolution(Value *x) {
  const int64_t k = random.pick(std::vector<int64_t>{1, 1, 2, 3}), kx = random.chance(80) ? k : 1;
  const int64_t in = x->type.dim(3);
  ConvAttrs attrs = window(x, k, kx);
  attrs.groups = in % 2 == 0 && random.chance(10) ? 2 : 1;
  const int64_t outputs = attrs.groups * random.between(1, 6);
  Value *w = weights({outputs, k, kx, in / attrs.groups}, 0, 3);
  std::vector<Value *> operands{x, w};
  if (random.chance(80))
    operands.push_back(bias(x, w, outputs));
  return addInferred(OpKind::Conv2D, operands, attrs, activation({}));
}

Value *Network::depthwise(Value *x) {
  const int64_t k = random.between(1, 3),
                outputs = x->type.dim(3) * random.pick(std::vector<int64_t>{1, 1, 1, 2});
  Value *w = weights({1, k, k, outputs}, 3, 0);
  std::vector<Value *> operands{x, w};
  if (random.chance(80))
    operands.push_back(bias(x, w, outputs));
  return addInferred(OpKind::DepthwiseConv2D, operands, window(x, k, k), activation({}));
}

Value *Network::elementwise(Value *x) {
  const TensorType &type = x->type;
  switch (random.between(0, 5)) {
  case 0:
    return add(OpKind::Clamp, {x}, ClampAttrs{-20, static_cast<double>(random.between(-20, 60))},
               type);
  case 1:
    return add(OpKind::Clamp, {x}, ClampAttrs{static_cast<double>(type.quant->zeroPoint()), 127},
               type);
  case 2:
    return add(OpKind::LeakyRelu, {x}, LeakyReluAttrs{0.1f, rounding}, activation(type.shape));
  case 3:
    return add(OpKind::Requantize, {x}, RoundingAttrs{rounding}, activation(type.shape));
  case 4: {
    TensorType constant = activation({type.dim(3)});
    RandomNumbers contents(random.next());
    Value *c = graph.addConstant(constant, randomContents(constant, contents), "");
    return add(random.chance(50) ? OpKind::Mul : OpKind::Sub, {x, c}, RoundingAttrs{rounding},
               activation(type.shape));
  }
  default:
    return add(OpKind::Logistic, {x}, RoundingAttrs{rounding},
               quantizedType(ElementType::I8, type.shape, 1.0f / 256, -128));
  }
}

Value *Network::pool(Value *x) {
  PoolAttrs attrs;
  attrs.rounding = rounding;
  for (size_t d = 0; d < 2; ++d) {
    attrs.kernel[d] = std::min<int64_t>(random.between(1, 3), x->type.shape[d + 1]);
    attrs.stride[d] = random.between(1, 2);
    attrs.pad[d] = random.between(0, attrs.kernel[d] - 1);
    attrs.pad[d + 2] = random.between(0, attrs.kernel[d] - 1);
  }
  attrs.countIncludePad = random.chance(50);
  if (random.chance(50))
    return addInferred(OpKind::MaxPool2D, {x}, attrs, x->type);
  return addInferred(OpKind::AvgPool2D, {x}, attrs,
                     rounding == Rounding::HalfEven ? activation({}) : x->type);
}

Value *Network::movement(Value *x) {
  const TensorType &type = x->type;
  if (random.chance(30)) {
    PadAttrs pad{{0, 1, 0, random.between(0, 1)}, {0, 0, 1, random.between(0, 1)}, 0};
    pad.value = random.chance(50) ? type.quant->zeroPoint() : 7;
    return addInferred(OpKind::Pad, {x}, pad, type);
  }
  if (random.chance(30) && type.dim(3) > 1) {
    TensorType part = type;
    part.shape[3] = random.between(1, type.dim(3) - 1);
    SliceAttrs attrs{{0, 0, 0, random.between(0, type.dim(3) - part.shape[3])}, {1, 1, 1, 1}};
    return add(OpKind::Slice, {x}, attrs, part);
  }
  TensorType constant = type;
  constant.shape[3] = random.between(1, 2);
  RandomNumbers contents(random.next());
  std::vector<Value *> parts{x};
  if (random.chance(40))
    parts.push_back(graph.addConstant(constant, randomContents(constant, contents), ""));
  for (Value *other : images)
    if (other != x && other->type.quant == type.quant && other->type.dim(1) == type.dim(1) &&
        other->type.dim(2) == type.dim(2) && random.chance(70))
      parts.push_back(other);
  return addInferred(OpKind::Concat, parts, AxisAttrs{3}, type);
}

Value *Network::residual(Value *x) {
  std::vector<Value *> partners;
  for (Value *other : images)
    if (other->type.shape == x->type.shape ||
        (other->type.dim(3) == 1 && other->type.dim(1) == 1 && other->type.dim(2) == 1))
      partners.push_back(other);
  return add(OpKind::Add, {x, random.pick(partners)}, RoundingAttrs{rounding},
             activation(x->type.shape));
}

/// Flatten and dense, or a mean and dense.
Value *Network::head(Value *x) {
  if (random.chance(30)) {
    ReduceAttrs attrs{{1, 2}, false, rounding};
    x = addInferred(OpKind::ReduceMean, {x}, attrs, activation({}));
  } else {
    TensorType flat = x->type;
    flat.shape = {1, x->type.count()};
    x = add(OpKind::Reshape, {x}, NoAttrs{}, flat);
  }
  Value *w = weights({3, x->type.dim(1)}, 0, 1);
  std::vector<Value *> operands{x, w};
  if (random.chance(80))
    operands.push_back(bias(x, w, 3));
  return add(OpKind::Dense, operands, RoundingAttrs{rounding}, activation({1, 3}));
}

Graph Network::build() {
  images.push_back(graph.addInput(
      activation({1, random.between(4, 7), random.between(4, 7), random.between(1, 4)}), ""));
  const int64_t layers = random.between(3, 9);
  for (int64_t i = 0; i < layers; ++i) {
    // mostly the newest tensor, so that networks become deep
    Value *x = random.chance(75) ? images.back() : random.pick(images);
    const int64_t choice = random.between(0, 99);
    images.push_back(choice < 35   ? convolution(x)
                     : choice < 55 ? depthwise(x)
                     : choice < 75 ? elementwise(x)
                     : choice < 82 ? pool(x)
                     : choice < 90 ? movement(x)
                                   : residual(x));
  }
  graph.addOutput(head(images.back()), "y");
  if (random.chance(30))
    graph.addOutput(convolution(random.pick(images)), "z");
  graph.eraseDead();
  return std::move(graph);
}
} // namespace

Graph mfc::wastefulNetwork(uint64_t seed, Rounding rounding) {
  return Network(seed, rounding).build();
}
