// Grows a graph operation by operation: draws an operator, operands and attributes, lets inferShape() and verifyOp()
// decide whether they fit, and draws again if they do not.
#include "RandomGraph.h"

#include "mfc/Ops/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace mfc;

uint64_t RandomNumbers::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int64_t RandomNumbers::between(int64_t min, int64_t max) {
  return min + static_cast<int64_t>(next() % static_cast<uint64_t>(max - min + 1));
}

std::vector<uint8_t> mfc::randomContents(const TensorType &type, RandomNumbers &random) {
  Tensor tensor(type);
  for (int64_t i = 0, count = type.count(); i < count; ++i) {
    if (isFloat(type.element))
      tensor.set<float>(i, static_cast<float>(random.between(-4096, 4096)) / 1024);
    else
      tensor.setInteger(i, random.between(elementMin(type.element), elementMax(type.element)));
  }
  return std::move(tensor.bytes);
}

Tensor mfc::randomTensor(const TensorType &type, uint64_t seed) {
  RandomNumbers random(seed);
  return Tensor(type, randomContents(type, random));
}

namespace {

constexpr int64_t kMostElements = 2048; ///< of a result; keeps the interpreter fast

class GraphGrower {
public:
  GraphGrower(uint64_t seed, const RandomGraphOptions &options) : random(seed), options(options) {}

  Graph grow() {
    graph.name = "random";
    for (int64_t i = random.between(1, 3); i > 0; --i)
      values.push_back(graph.addInput(inputType(), "in" + std::to_string(i)));
    for (unsigned attempts = 0; graph.opCount() < options.operations && attempts < 50 * options.operations; ++attempts)
      addOperation(random.pick(kinds()));
    if (graph.opCount() == 0)
      addUnary(OpKind::Neg, values[0]);
    for (const Operation *op : graph.ops())
      if (op->result()->users().empty() || random.chance(5))
        graph.addOutput(op->result(), "out" + std::to_string(graph.outputs().size()));
    graph.eraseDead(); // constants of refused operations
    return std::move(graph);
  }

private:
  RandomNumbers random;
  const RandomGraphOptions &options;
  Graph graph;
  std::vector<Value *> values; ///< inputs and results

  static const std::vector<OpKind> &kinds() {
    static const std::vector<OpKind> list = [] {
      std::vector<OpKind> all;
      for (const OpInfo &info : allOps())
        all.push_back(info.kind);
      return all;
    }();
    return list;
  }

  //===-- Types --------------------------------------------------------------------------------------------------===//

  Quantization someScale() { return {{static_cast<float>(random.between(1, 64)) / 256}, {static_cast<int32_t>(random.between(-128, 127))}, -1}; }

  TensorType inputType() {
    Shape shape = random.chance(75) ? Shape{1, random.between(1, 7), random.between(1, 7), random.between(1, 6)}
                                    : Shape{random.between(1, 3), random.between(1, 12)};
    if (random.chance(options.quantizedPercent))
      return {ElementType::I8, shape, someScale()};
    return {ElementType::F32, shape, {}};
  }

  /// The operand's element type; if quantized, the same scale or a new one.
  TensorType likeElement(const TensorType &type, bool sameScale) {
    TensorType result = {type.element, {}, type.quant};
    if (type.quant && !sameScale)
      result.quant = someScale();
    return result;
  }

  Value *someValue() { return random.pick(values); }

  Value *someImage() {
    std::vector<Value *> images;
    for (Value *value : values)
      if (value->type.rank() == 4)
        images.push_back(value);
    return images.empty() ? nullptr : random.pick(images);
  }

  std::vector<int64_t> list(int64_t rank, int64_t min, int64_t max) {
    std::vector<int64_t> numbers(static_cast<size_t>(rank));
    for (int64_t &n : numbers)
      n = random.between(min, max);
    return numbers;
  }

  //===-- Adding -------------------------------------------------------------------------------------------------===//

  /// The shape of `type` is what the operator wants to know (reshape, slice), else it is filled in.
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
    Location loc;
    loc.node = "n" + std::to_string(graph.opCount());
    loc.nodeIndex = static_cast<int>(graph.opCount());
    Value *result = graph.add(kind, operands, std::move(attributes), std::move(type), loc,
                              random.chance(50) ? "t" + std::to_string(graph.opCount()) : "");
    DiagnosticEngine refusals;
    if (!verifyOp(*result->producer(), refusals)) {
      graph.erase(result->producer());
      return false;
    }
    values.push_back(result);
    return true;
  }

  Value *constant(TensorType type) {
    std::vector<uint8_t> contents = randomContents(type, random);
    return graph.addConstant(std::move(type), std::move(contents), "");
  }

  bool addOperation(OpKind kind) {
    if (kind == OpKind::Conv2D || kind == OpKind::DepthwiseConv2D)
      return addConvolution(kind);
    if (kind == OpKind::Dense)
      return addDense();
    if (kind == OpKind::MaxPool2D || kind == OpKind::AvgPool2D)
      return addPool(kind);
    if (kind == OpKind::ReduceMean)
      return addReduce(someValue());
    if (kind == OpKind::BatchNorm)
      return addBatchNorm(someValue());
    // The rest by traits, so that a new operator is tried without a change here.
    bool elementwise = hasTrait(kind, OpTrait::Elementwise);
    if (elementwise && opInfo(kind).minOperands == 2)
      return addBinary(kind, someValue());
    if (elementwise || kind == OpKind::Softmax)
      return addUnary(kind, someValue());
    return addMovement(kind, someValue());
  }

  //===-- Anchors ------------------------------------------------------------------------------------------------===//

  /// Weights and, half of the time, a bias; scales per channel half of the time.
  std::vector<Value *> anchorOperands(Value *input, Shape weightShape, int channelAxis) {
    int64_t channels = weightShape[static_cast<size_t>(channelAxis)];
    if (!input->type.quant) {
      std::vector<Value *> operands = {input, constant({ElementType::F32, weightShape, {}})};
      if (random.chance(50))
        operands.push_back(constant({ElementType::F32, {channels}, {}}));
      return operands;
    }
    Quantization weightScale, biasScale;
    bool perChannel = random.chance(50);
    for (int64_t i = 0; i < (perChannel ? channels : 1); ++i) {
      weightScale.scales.push_back(static_cast<float>(random.between(1, 32)) / 1024);
      biasScale.scales.push_back(weightScale.scales.back() * input->type.quant->scale());
    }
    weightScale.zeroPoints = biasScale.zeroPoints = std::vector<int32_t>(weightScale.scales.size(), 0);
    if (perChannel) {
      weightScale.axis = channelAxis;
      biasScale.axis = 0;
    }
    std::vector<Value *> operands = {input, constant({ElementType::I8, weightShape, weightScale})};
    if (random.chance(50)) {
      Tensor bias(TensorType{ElementType::I32, {channels}, biasScale});
      for (int64_t i = 0; i < channels; ++i)
        bias.setInteger(i, random.between(-3000, 3000));
      operands.push_back(graph.addConstant(bias.type, bias.bytes, ""));
    }
    return operands;
  }

  bool addConvolution(OpKind kind) {
    Value *input = someImage();
    if (!input)
      return false;
    int64_t channels = input->type.dim(3);
    ConvAttrs attrs;
    attrs.stride = {random.between(1, 2), random.between(1, 2)};
    attrs.dilation = {random.between(1, 2), random.between(1, 2)};
    for (int64_t &p : attrs.pad)
      p = random.between(0, 2);
    attrs.rounding = options.rounding;
    int64_t kh = random.between(1, 3), kw = random.between(1, 3), multiplier = random.between(1, 2);
    bool depthwise = kind == OpKind::DepthwiseConv2D;
    if (!depthwise && random.chance(25))
      attrs.groups = channels;
    Shape weights = depthwise ? Shape{1, kh, kw, channels * multiplier}
                              : Shape{attrs.groups * random.between(1, 3), kh, kw, channels / attrs.groups};
    return add(kind, anchorOperands(input, weights, depthwise ? 3 : 0), attrs, likeElement(input->type, false));
  }

  bool addDense() {
    Value *input = someValue();
    if (input->type.rank() == 0)
      return false;
    Shape weights = {random.between(1, 8), input->type.dim(-1)};
    return add(OpKind::Dense, anchorOperands(input, weights, 0), RoundingAttrs{options.rounding},
               likeElement(input->type, false));
  }

  bool addPool(OpKind kind) {
    Value *input = someImage();
    if (!input)
      return false;
    PoolAttrs attrs;
    attrs.kernel = {random.between(1, 3), random.between(1, 3)};
    attrs.stride = {random.between(1, 3), random.between(1, 3)};
    for (int64_t &p : attrs.pad)
      p = random.between(0, 1);
    attrs.rounding = options.rounding;
    bool sameScale = kind == OpKind::MaxPool2D || options.rounding != Rounding::HalfEven;
    attrs.countIncludePad = kind == OpKind::AvgPool2D && random.chance(30);
    return add(kind, {input}, attrs, likeElement(input->type, sameScale));
  }

  bool addReduce(Value *input) {
    ReduceAttrs attrs;
    for (int64_t axis = 0; axis < input->type.rank(); ++axis)
      if (random.chance(50))
        attrs.axes.push_back(axis);
    attrs.keepDims = random.chance(50);
    attrs.rounding = options.rounding;
    return add(OpKind::ReduceMean, {input}, attrs, likeElement(input->type, false));
  }

  //===-- Element-wise -------------------------------------------------------------------------------------------===//

  bool addBatchNorm(Value *input) {
    if (input->type.rank() == 0 || input->type.quant)
      return false;
    TensorType type = {ElementType::F32, {input->type.dim(-1)}, {}};
    Tensor variance(type);
    for (int64_t i = 0; i < type.count(); ++i)
      variance.set<float>(i, static_cast<float>(random.between(1, 100)) / 32);
    Value *scale = constant(type), *bias = constant(type), *mean = constant(type);
    return add(OpKind::BatchNorm, {input, scale, bias, mean, graph.addConstant(type, variance.bytes, "")},
               BatchNormAttrs{}, {ElementType::F32, {}, {}});
  }

  bool addBinary(OpKind kind, Value *left) {
    std::vector<Value *> alike; // the same shape, or one that broadcasts; verifyOp() has the last word
    for (Value *value : values)
      if (value->type.element == left->type.element && value->type.shape == left->type.shape)
        alike.push_back(value);
    Value *right = random.pick(alike);
    if (random.chance(25))
      right = someValue();
    bool picks = kind == OpKind::Maximum || kind == OpKind::Minimum; // one type throughout
    if (random.chance(30) || (picks && right->type.quant != left->type.quant)) {
      TensorType type = likeElement(left->type, picks);
      if (left->type.rank() > 0 && random.chance(70))
        type.shape = {left->type.dim(-1)};
      right = constant(type);
    }
    if (random.chance(30))
      std::swap(left, right);
    return add(kind, {left, right}, RoundingAttrs{options.rounding}, likeElement(left->type, picks));
  }

  /// The type that a unary operator of this kind gives.
  TensorType unaryType(OpKind kind, const TensorType &operand) {
    if (kind == OpKind::Quantize)
      return {ElementType::I8, {}, someScale()};
    if (kind == OpKind::Dequantize)
      return {ElementType::F32, {}, {}};
    if (kind == OpKind::Cast)
      return {ElementType::I32, {}, {}};
    TensorType type = likeElement(operand, kind == OpKind::Clamp);
    // TFLite fixes the scale of these results.
    if (type.quant && (kind == OpKind::Softmax || kind == OpKind::Logistic))
      type.quant = Quantization{{1.0f / 256}, {-128}, -1};
    if (type.quant && kind == OpKind::Tanh)
      type.quant = Quantization{{1.0f / 128}, {0}, -1};
    return type;
  }

  Attributes unaryAttributes(OpKind kind) {
    Attributes attributes = opInfo(kind).defaultAttrs;
    if (auto *rounding = std::get_if<RoundingAttrs>(&attributes))
      rounding->rounding = options.rounding;
    if (auto *clamp = std::get_if<ClampAttrs>(&attributes))
      *clamp = {double(random.between(-100, 0)), double(random.between(0, 100))};
    if (auto *leaky = std::get_if<LeakyReluAttrs>(&attributes))
      *leaky = {0.125f, options.rounding};
    if (auto *softmax = std::get_if<SoftmaxAttrs>(&attributes))
      softmax->rounding = options.rounding;
    return attributes;
  }

  bool addUnary(OpKind kind, Value *input) { return add(kind, {input}, unaryAttributes(kind), unaryType(kind, input->type)); }

  //===-- Movement -----------------------------------------------------------------------------------------------===//

  bool addMovement(OpKind kind, Value *input) {
    int64_t rank = input->type.rank();
    TensorType type = likeElement(input->type, true);
    Attributes attributes = opInfo(kind).defaultAttrs;
    std::vector<Value *> operands = {input};
    if (kind == OpKind::Reshape)
      type.shape = random.chance(50) ? Shape{1, input->type.count()} : Shape(input->type.shape.rbegin(), input->type.shape.rend());
    else if (rank == 0)
      return false;
    if (auto *transpose = std::get_if<TransposeAttrs>(&attributes)) {
      for (int64_t i = 0; i < rank; ++i)
        transpose->perm.insert(transpose->perm.begin() + random.between(0, i), i);
    } else if (auto *axis = std::get_if<AxisAttrs>(&attributes)) {
      axis->axis = random.between(0, rank - 1);
      if (kind == OpKind::Gather) {
        Tensor indices(TensorType{ElementType::I32, {random.between(1, 4)}, {}});
        for (int64_t i = 0; i < indices.type.count(); ++i)
          indices.setInteger(i, random.between(0, input->type.dim(axis->axis) - 1));
        operands.push_back(graph.addConstant(indices.type, indices.bytes, ""));
      } else {
        for (Value *value : values)
          if (value->type == input->type && random.chance(50))
            operands.push_back(value);
      }
    } else if (auto *pad = std::get_if<PadAttrs>(&attributes)) {
      *pad = {list(rank, 0, 2), list(rank, 0, 2), 0};
    } else if (auto *slice = std::get_if<SliceAttrs>(&attributes)) {
      for (int64_t d : input->type.shape) {
        int64_t begin = random.between(0, d - 1), step = random.chance(70) ? 1 : random.between(1, 2);
        slice->begin.push_back(begin);
        slice->stride.push_back(step);
        type.shape.push_back(random.between(1, (d - begin + step - 1) / step));
      }
    }
    return add(kind, operands, attributes, type);
  }
};

} // namespace

Graph mfc::randomGraph(uint64_t seed, const RandomGraphOptions &options) { return GraphGrower(seed, options).grow(); }
