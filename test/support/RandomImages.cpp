// As in RandomGraph.cpp, operators are drawn and Ops decides whether they fit; here most of them read what was made
// last, so that chains become long.
#include "RandomImages.h"

#include "RandomGraph.h"
#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mfc;

namespace {

constexpr int64_t kMostElements = 3000; ///< of a result; keeps the interpreter fast

class ImageGrower {
public:
  ImageGrower(uint64_t seed, const RandomImagesOptions &options) : random(seed), options(options) {}

  Graph grow() {
    graph.name = "images";
    for (int64_t i = random.chance(25) ? 2 : 1; i > 0; --i)
      addInput();
    for (unsigned attempts = 0; graph.opCount() < options.operations && attempts < 30 * options.operations; ++attempts)
      addOperation();
    if (graph.opCount() == 0)
      addClamp(images[0]);
    for (const Operation *op : graph.ops())
      if (op->result()->users().empty() || random.chance(4))
        graph.addOutput(op->result(), "out" + std::to_string(graph.outputs().size()));
    graph.eraseDead();
    return std::move(graph);
  }

private:
  RandomNumbers random;
  const RandomImagesOptions &options;
  Graph graph;
  std::vector<Value *> images;
  std::vector<Value *> means; ///< [1, 1, 1, channels]

  TensorType type(Shape shape = {}) {
    if (!options.quantized)
      return {ElementType::F32, std::move(shape), {}};
    Quantization quant{{static_cast<float>(random.between(4, 64)) / 512}, {static_cast<int32_t>(random.between(-128, 127))}, -1};
    return {ElementType::I8, std::move(shape), quant};
  }

  void addInput() {
    int64_t height = random.chance(10) ? 1 : random.between(2, 16), width = random.between(1, 9);
    int64_t channels = random.pick(std::vector<int64_t>{1, 2, 3, 4, 6, 8, 16});
    bool channelsFirst = random.chance(25);
    Shape shape = channelsFirst ? Shape{1, channels, height, width} : Shape{1, height, width, channels};
    Value *input = graph.addInput(type(shape), "in" + std::to_string(graph.inputs().size()));
    images.push_back(input);
    if (!channelsFirst)
      return;
    for (int64_t reads = random.between(1, 2); reads > 0; --reads)
      add(OpKind::Transpose, {input}, TransposeAttrs{{0, 2, 3, 1}}, {input->type.element, {}, input->type.quant});
  }

  /// The value last made, mostly.
  Value *image() {
    if (random.chance(70))
      return images.back();
    return random.pick(images);
  }

  Value *constant(TensorType type) {
    std::vector<uint8_t> contents = randomContents(type, random);
    return graph.addConstant(std::move(type), std::move(contents), "");
  }

  bool add(OpKind kind, llvm::ArrayRef<Value *> operands, Attributes attributes, TensorType type) {
    std::vector<TensorType> types;
    for (const Value *operand : operands)
      types.push_back(operand->type);
    auto shape = inferShape(kind, types, attributes, type.shape.empty() ? nullptr : &type);
    if (!shape) {
      llvm::consumeError(shape.takeError());
      return false;
    }
    type.shape = *shape;
    std::optional<int64_t> count = elementCount(type.shape);
    if (!count || *count == 0 || *count > kMostElements)
      return false;
    Value *result = graph.add(kind, operands, std::move(attributes), std::move(type), {});
    DiagnosticEngine refusals;
    if (!verifyOp(*result->producer(), refusals)) {
      graph.erase(result->producer());
      return false;
    }
    bool isMean = result->type.dim(1) == 1 && result->type.dim(2) == 1;
    (isMean ? means : images).push_back(result);
    return true;
  }

  void addOperation() {
    int64_t choice = random.between(0, 99);
    if (choice < 28)
      addConvolution(false);
    else if (choice < 46)
      addConvolution(true);
    else if (choice < 58)
      addPool();
    else if (choice < 68)
      addClamp(image());
    else if (choice < 82)
      addBinary();
    else if (choice < 88)
      addScaled();
    else if (choice < 92)
      addUnary();
    else if (choice < 95)
      addConcat();
    else if (choice < 97)
      addView();
    else
      addMean();
  }

  //===-- Windows ------------------------------------------------------------------------------------------------===//

  std::vector<Value *> windowOperands(Value *input, Shape weightShape, int channelAxis) {
    int64_t channels = weightShape[static_cast<size_t>(channelAxis)];
    Quantization weights{{}, {}, channelAxis}, bias{{}, {}, 0};
    for (int64_t i = 0; options.quantized && i < channels; ++i) {
      weights.scales.push_back(static_cast<float>(random.between(1, 16)) / 2048);
      bias.scales.push_back(weights.scales.back() * input->type.quant->scale());
    }
    weights.zeroPoints = bias.zeroPoints = std::vector<int32_t>(weights.scales.size(), 0);
    std::vector<Value *> operands{input};
    if (!options.quantized) {
      TensorType type{ElementType::F32, weightShape, {}};
      Tensor small(type, randomContents(type, random));
      for (int64_t i = 0; i < type.count(); ++i) // keeps sums of sums in bounds
        small.set<float>(i, small.get<float>(i) / 16);
      operands.push_back(graph.addConstant(type, small.bytes, ""));
      return operands;
    }
    operands.push_back(constant({ElementType::I8, weightShape, weights}));
    if (random.chance(50)) {
      Tensor values(TensorType{ElementType::I32, {channels}, bias});
      for (int64_t i = 0; i < channels; ++i)
        values.setInteger(i, random.between(-3000, 3000));
      operands.push_back(graph.addConstant(values.type, values.bytes, ""));
    }
    return operands;
  }

  int64_t kernelSize() { return random.pick(std::vector<int64_t>{1, 1, 1, 2, 3, 3, 3, 4, 5}); }

  bool addConvolution(bool depthwise) {
    Value *input = image();
    int64_t channels = input->type.dim(3), kh = kernelSize(), kw = random.chance(60) ? kh : kernelSize();
    ConvAttrs attrs;
    attrs.rounding = options.rounding;
    if (random.chance(35))
      attrs.stride = {random.between(1, 3), random.between(1, 3)};
    if (random.chance(20))
      attrs.dilation = {random.between(1, 3), random.between(1, 2)};
    bool same = random.chance(60);
    for (size_t i = 0; i < 4; ++i) {
      int64_t span = ((i % 2 ? kw : kh) - 1) * attrs.dilation[i % 2];
      attrs.pad[i] = same ? span / 2 : random.between(0, span + 1);
    }
    if (!depthwise && random.chance(12) && channels % 2 == 0)
      attrs.groups = random.chance(50) ? 2 : channels;
    static const std::vector<int64_t> sizes{1, 2, 3, 4, 5, 8, 8, 12, 16, 17};
    int64_t multiplier = random.chance(25) ? random.between(2, 3) : 1;
    Shape weights = depthwise ? Shape{1, kh, kw, channels * multiplier}
                              : Shape{attrs.groups * (attrs.groups > 2 ? 1 : random.pick(sizes)), kh, kw, channels / attrs.groups};
    return add(depthwise ? OpKind::DepthwiseConv2D : OpKind::Conv2D, windowOperands(input, weights, depthwise ? 3 : 0), attrs, type());
  }

  bool addPool() {
    Value *input = image();
    OpKind kind = random.chance(50) ? OpKind::MaxPool2D : OpKind::AvgPool2D;
    PoolAttrs attrs;
    attrs.rounding = options.rounding;
    attrs.kernel = {random.between(1, 4), random.between(1, 3)};
    attrs.stride = {random.between(1, 3), random.between(1, 2)};
    for (size_t i = 0; i < 4 && random.chance(60); ++i)
      attrs.pad[i] = random.between(0, attrs.kernel[i % 2] - 1);
    attrs.countIncludePad = kind == OpKind::AvgPool2D && random.chance(30);
    return add(kind, {input}, attrs, {input->type.element, {}, input->type.quant});
  }

  bool addMean() {
    Value *input = image();
    if (random.chance(50)) {
      ReduceAttrs attrs{{1, 2}, true, options.rounding};
      return add(OpKind::ReduceMean, {input}, attrs, type());
    }
    PoolAttrs attrs;
    attrs.rounding = options.rounding;
    attrs.kernel = {input->type.dim(1), input->type.dim(2)};
    return add(OpKind::AvgPool2D, {input}, attrs, {input->type.element, {}, input->type.quant});
  }

  //===-- Element by element ---------------------------------------------------------------------------------------===//

  bool addClamp(Value *input) {
    ClampAttrs attrs{options.quantized ? double(random.between(-100, 0)) : 0.0, options.quantized ? double(random.between(0, 100)) : 6.0};
    return add(OpKind::Clamp, {input}, attrs, {input->type.element, {}, input->type.quant});
  }

  bool addUnary() {
    Value *input = image();
    if (random.chance(50))
      return add(OpKind::LeakyRelu, {input}, LeakyReluAttrs{0.125f, options.rounding}, type());
    TensorType result = type();
    if (options.quantized) // TFLite fixes the scale
      result.quant = Quantization{{1.0f / 256}, {-128}, -1};
    return add(OpKind::Logistic, {input}, RoundingAttrs{options.rounding}, result);
  }

  /// A skip: another value of the same shape, or the same one.
  bool addBinary() {
    Value *left = image();
    std::vector<Value *> alike;
    for (Value *value : images)
      if (value->type.shape == left->type.shape)
        alike.push_back(value);
    Value *right = random.pick(alike);
    if (right == left)
      right = alike.front();
    OpKind kind = random.chance(75) ? OpKind::Add : OpKind::Mul;
    return add(kind, {left, right}, RoundingAttrs{options.rounding}, type());
  }

  /// An operand that broadcasts along some of the dimensions, of any rank.
  bool addScaled() {
    Value *left = image(), *right = nullptr;
    for (Value *mean : means)
      if (mean->type.dim(3) == left->type.dim(3) && random.chance(70))
        right = mean;
    if (!right) {
      Shape shape = left->type.shape;
      for (size_t d = 1; d < 4; ++d)
        if (random.chance(40))
          shape[d] = 1;
      shape.erase(shape.begin(), shape.begin() + random.between(0, 3));
      right = constant(type(shape));
    }
    if (random.chance(30))
      std::swap(left, right);
    return add(random.chance(60) ? OpKind::Mul : OpKind::Add, {left, right}, RoundingAttrs{options.rounding}, type());
  }

  //===-- Movement -----------------------------------------------------------------------------------------------===//

  bool addConcat() {
    Value *first = image();
    std::vector<Value *> parts{first};
    for (Value *value : images)
      if (value != first && value->type.element == first->type.element && value->type.quant == first->type.quant)
        parts.push_back(value);
    return add(OpKind::Concat, parts, AxisAttrs{random.between(1, 3)}, {first->type.element, {}, first->type.quant});
  }

  /// Rows of another size, which are the same memory.
  bool addView() {
    Value *input = image();
    Shape shape = input->type.shape;
    if (shape[1] % 2 == 0)
      shape = {1, shape[1] / 2, shape[2], shape[3] * 2};
    else
      std::swap(shape[1], shape[2]);
    return add(OpKind::Reshape, {input}, NoAttrs{}, {input->type.element, shape, input->type.quant});
  }
};

} // namespace

Graph mfc::randomImages(uint64_t seed, const RandomImagesOptions &options) { return ImageGrower(seed, options).grow(); }
