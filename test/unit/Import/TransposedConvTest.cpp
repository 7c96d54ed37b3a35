// Transposed convolutions as convolutions over their phases, against the definition: input i adds w[k] * in[i] to output
// i * stride + k * dilation - before.
#include "TransposedConv.h"
#include "TFLiteBuilder.h"

#include "mfc/Interp/Interpreter.h"
#include "mfc/Ops/Ops.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace mfc;
using namespace mfc::test;

namespace {
int64_t pick(std::mt19937 &random, int64_t lo, int64_t hi) { return lo + static_cast<int64_t>(random() % static_cast<uint64_t>(hi - lo + 1)); }

TransposedWindow randomWindow(std::mt19937 &random) {
  TransposedWindow w{pick(random, 1, 5), pick(random, 1, 5), pick(random, 1, 4), pick(random, 1, 2), 0, 0};
  int64_t natural = (w.inputs - 1) * w.stride + (w.kernel - 1) * w.dilation + 1;
  w.before = pick(random, 0, std::min<int64_t>(natural - 1, 4));
  w.outputs = pick(random, 1, natural - w.before + 2);
  return w;
}

/// Small whole numbers: every sum is exact.
Tensor wholeNumbers(std::mt19937 &random, Shape shape) {
  Tensor tensor(TensorType{ElementType::F32, std::move(shape), {}});
  for (int64_t i = 0; i < tensor.type.count(); ++i)
    tensor.set<float>(i, static_cast<float>(pick(random, -9, 9)));
  return tensor;
}

/// Kernel [groups][channels][kh][kw][depth], input NHWC.
std::vector<float> direct(const TransposedConv &c, const Tensor &in, const Tensor &kernel, const Tensor &bias) {
  int64_t all = c.groups * c.channels, inputs = c.groups * c.depth;
  std::vector<float> out(static_cast<size_t>(c.y.outputs * c.x.outputs * all));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = bias.get<float>(static_cast<int64_t>(i) % all);
  auto add = [&](int64_t iy, int64_t ix, int64_t ky, int64_t kx) {
    int64_t oy = iy * c.y.stride + ky * c.y.dilation - c.y.before, ox = ix * c.x.stride + kx * c.x.dilation - c.x.before;
    if (oy < 0 || ox < 0 || oy >= c.y.outputs || ox >= c.x.outputs)
      return;
    for (int64_t o = 0; o < all; ++o)
      for (int64_t d = 0; d < c.depth; ++d)
        out[static_cast<size_t>((oy * c.x.outputs + ox) * all + o)] +=
            in.get<float>((iy * c.x.inputs + ix) * inputs + o / c.channels * c.depth + d) *
            kernel.get<float>(((o * c.y.kernel + ky) * c.x.kernel + kx) * c.depth + d);
  };
  for (int64_t iy = 0; iy < c.y.inputs; ++iy)
    for (int64_t ix = 0; ix < c.x.inputs; ++ix)
      for (int64_t ky = 0; ky < c.y.kernel; ++ky)
        for (int64_t kx = 0; kx < c.x.kernel; ++kx)
          add(iy, ix, ky, kx);
  return out;
}

class GraphMover {
public:
  explicit GraphMover(Graph &graph) : graph(graph) {}
  Value *reshape(Value *v, Shape shape) { return graph.add(OpKind::Reshape, {v}, NoAttrs{}, {v->type.element, std::move(shape), {}}, {}); }
  Value *transpose(Value *v, std::vector<int64_t> perm) {
    Shape shape;
    for (int64_t d : perm)
      shape.push_back(v->type.dim(d));
    return graph.add(OpKind::Transpose, {v}, TransposeAttrs{std::move(perm)}, {v->type.element, std::move(shape), {}}, {});
  }
  Value *slice(Value *v, SliceAttrs attrs, Shape shape) {
    return graph.add(OpKind::Slice, {v}, std::move(attrs), {v->type.element, std::move(shape), {}}, {});
  }

private:
  Graph &graph;
};

Graph phaseGraph(const TransposedConv &c, const Tensor &in, const Tensor &kernel, const Tensor &bias) {
  Graph graph;
  Value *x = graph.addInput(in.type, "x");
  Tensor weights = c.weights(kernel, [&](int64_t group, int64_t channel, int64_t ky, int64_t kx, int64_t d) {
    return (((group * c.channels + channel) * c.y.kernel + ky) * c.x.kernel + kx) * c.depth + d;
  });
  Tensor start = c.bias(bias);
  std::vector<Value *> operands{x, graph.addConstant(weights.type, weights.bytes, "w"), graph.addConstant(start.type, start.bytes, "b")};
  ConvAttrs attrs = c.attributes(Rounding::HalfEven);
  Shape shape{1, c.y.positions(), c.x.positions(), c.groups * c.phases() * c.channels};
  Value *y = graph.add(OpKind::Conv2D, operands, attrs, {ElementType::F32, shape, {}}, {});
  GraphMover to(graph);
  y = c.interleave(y, {[&](Value *v, Shape s) { return to.reshape(v, std::move(s)); },
                       [&](Value *v, std::vector<int64_t> p) { return to.transpose(v, std::move(p)); },
                       [&](Value *v, SliceAttrs a, Shape s) { return to.slice(v, std::move(a), std::move(s)); }});
  graph.addOutput(y, "y");
  return graph;
}
} // namespace

TEST_CASE("a transposed convolution is a convolution over its phases") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    TransposedConv c{randomWindow(random), randomWindow(random), pick(random, 1, 3), pick(random, 1, 3), pick(random, 1, 3)};
    Tensor in = wholeNumbers(random, {1, c.y.inputs, c.x.inputs, c.groups * c.depth});
    Tensor kernel = wholeNumbers(random, {c.groups * c.channels, c.y.kernel, c.x.kernel, c.depth});
    Tensor bias = wholeNumbers(random, {c.groups * c.channels});
    Graph graph = phaseGraph(c, in, kernel, bias);
    DiagnosticEngine diag;
    INFO("round " << round);
    REQUIRE(verifyGraph(graph, diag));
    auto outputs = interpret(graph, {in});
    REQUIRE(static_cast<bool>(outputs));
    std::vector<float> expected = direct(c, in, kernel, bias);
    REQUIRE((*outputs)[0].type.count() == static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i)
      REQUIRE((*outputs)[0].get<float>(static_cast<int64_t>(i)) == expected[i]);
  }
}

TEST_CASE("strides that blow the weights up are seen before anything is allocated") {
  TransposedWindow huge{1, 1, int64_t(1) << 24, 1, 0, 1};
  TransposedConv conv{huge, huge, 1, 1 << 20, 1 << 20};
  CHECK_FALSE(conv.weightCount(int64_t(1) << 24));
  CHECK(TransposedConv{{2, 3, 2, 1, 0, 5}, {2, 3, 2, 1, 0, 5}, 1, 2, 3}.weightCount(96) == 96);
}

/// Weights 1 to 9, input 1, 2, 3, 4 with zero point 5: stride 2, SAME, 2x2 to 4x4.
static TFLiteBuilder transposeModel() {
  TFLiteBuilder b;
  b.addConstant("shape", {4}, fb::TensorType::Int32, std::vector<int32_t>{1, 4, 4, 1});
  b.addConstant("w", {1, 3, 3, 1}, fb::TensorType::Int8, std::vector<int8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  b.quantize(1, {1}, {0});
  b.addInt8("in", {1, 2, 2, 1}, 1, 5);
  b.addConstant("bias", {1}, fb::TensorType::Int32, std::vector<int32_t>{10});
  b.addInt8("out", {1, 4, 4, 1}, 1, -3);
  fb::TransposeConvOptionsT options;
  options.padding = fb::Padding::Same;
  options.stride_h = options.stride_w = 2;
  b.addOp(fb::Builtin::TransposeConv, {0, 1, 2, 3}, {4}).builtin_options.Set(std::move(options));
  b.setInputs({2}), b.setOutputs({4});
  return b;
}

TEST_CASE("tflite: transpose_conv of int8") {
  TFLiteBuilder b = transposeModel();
  Graph graph = expectGraph(b);
  Tensor in(graph.inputs()[0]->type);
  for (int64_t i = 0; i < 4; ++i)
    in.setInteger(i, 5 + i + 1);
  auto outputs = interpret(graph, {in});
  REQUIRE(static_cast<bool>(outputs));
  // By hand: SAME cuts (1 * 2 + 3 - 4) / 2 = 0 rows in front; output 2i + k gets input i times weight k.
  const int expected[] = {1, 2, 5, 4, 4, 5, 14, 10, 10, 14, 36, 24, 12, 15, 34, 20};
  for (int64_t i = 0; i < 16; ++i)
    CHECK((*outputs)[0].getInteger(i) == expected[i] + 10 - 3);
}

TEST_CASE("tflite: transpose_conv that makes no sense") {
  TFLiteBuilder b = transposeModel();
  b.op(0).builtin_options.AsTransposeConvOptions()->stride_h = 0;
  expectError(b, ErrorClass::BadModel, "strides 0 and 2 cannot give 1x4x4x1");
  b.op(0).builtin_options.AsTransposeConvOptions()->stride_h = 1 << 24;
  b.op(0).builtin_options.AsTransposeConvOptions()->stride_w = 1 << 24;
  expectError(b, ErrorClass::Unsupported, "make the weights of all phases more than");
  b = transposeModel();
  b.tensor(2).shape = {1, 2, 2, 2};
  expectError(b, ErrorClass::BadModel, "cannot give 1x4x4x1");
}
