// Conv and the pools: values against a direct loop in ONNX layout, and the graph operators that
// they become.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace mfc;
using namespace mfc::test;

namespace {
struct ConvCase {
  int channels = 1, outputs = 1, groups = 1;
  int height = 5, width = 5, kernel = 3, stride = 1, dilation = 1;
  int top = 0, left = 0, bottom = 0, right = 0;
};
} // namespace

/// NCHW convolution by the formula of the ONNX operator text.
static std::vector<float> directConv(const ConvCase &c, const std::vector<float> &x,
                                     const std::vector<float> &w, const std::vector<float> &bias) {
  int span = (c.kernel - 1) * c.dilation + 1, perGroup = c.channels / c.groups,
      outPerGroup = c.outputs / c.groups;
  int rows = (c.height + c.top + c.bottom - span) / c.stride + 1;
  int columns = (c.width + c.left + c.right - span) / c.stride + 1;
  std::vector<float> y;
  for (int o = 0; o < c.outputs; ++o)
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < columns; ++q) {
        float sum = bias[static_cast<size_t>(o)];
        for (int i = 0; i < perGroup; ++i)
          for (int a = 0; a < c.kernel; ++a)
            for (int b = 0; b < c.kernel; ++b) {
              int yy = r * c.stride - c.top + a * c.dilation,
                  xx = q * c.stride - c.left + b * c.dilation;
              if (yy < 0 || xx < 0 || yy >= c.height || xx >= c.width)
                continue;
              int channel = o / outPerGroup * perGroup + i;
              sum += x[static_cast<size_t>((channel * c.height + yy) * c.width + xx)] *
                     w[static_cast<size_t>(((o * perGroup + i) * c.kernel + a) * c.kernel + b)];
            }
        y.push_back(sum);
      }
  return y;
}

static std::vector<float> wave(size_t n, float f) {
  std::vector<float> list(n);
  for (size_t i = 0; i < n; ++i)
    list[i] = std::round(std::sin(f * static_cast<float>(i)) * 64) /
              16; // exact sums, whatever their order
  return list;
}

static void addConv(Model &m, const ConvCase &c, const std::vector<float> &w,
                    const std::vector<float> &bias) {
  m.input("x", {1, c.channels, c.height, c.width}).output("y");
  m.init("w", floats({c.outputs, c.channels / c.groups, c.kernel, c.kernel}, w));
  m.init("b", floats({c.outputs}, bias));
  m.node("Conv", {"x", "w", "b"}, {"y"})
      .set("group", c.groups)
      .set("kernel_shape", {c.kernel, c.kernel})
      .set("strides", {c.stride, c.stride})
      .set("dilations", {c.dilation, c.dilation})
      .set("pads", {c.top, c.left, c.bottom, c.right});
}

TEST_CASE("Conv equals the direct loop", "[onnx][conv]") {
  ConvCase c;
  OpKind kind = OpKind::Conv2D;
  SECTION("plain") { c = {.channels = 3, .outputs = 4}; }
  SECTION("strides, dilations and uneven pads") {
    c = {.channels = 2,
         .outputs = 3,
         .height = 9,
         .width = 8,
         .stride = 2,
         .dilation = 2,
         .top = 1,
         .left = 0,
         .bottom = 2,
         .right = 3};
  }
  SECTION("groups") { c = {.channels = 4, .outputs = 6, .groups = 2}; }
  SECTION("depthwise") {
    c = {.channels = 3, .outputs = 3, .groups = 3, .top = 1, .left = 1, .bottom = 1, .right = 1};
    kind = OpKind::DepthwiseConv2D;
  }
  SECTION("depthwise with a multiplier") {
    c = {.channels = 2, .outputs = 6, .groups = 2};
    kind = OpKind::DepthwiseConv2D;
  }
  SECTION("one channel is not depthwise") { c = {.channels = 1, .outputs = 4}; }
  auto count = [](int n) { return static_cast<size_t>(n); };
  std::vector<float> x = wave(count(c.channels * c.height * c.width), 0.7f);
  std::vector<float> w = wave(count(c.outputs * c.channels / c.groups * c.kernel * c.kernel), 1.3f);
  std::vector<float> bias = wave(count(c.outputs), 2.1f);
  Model m;
  addConv(m, c, w, bias);
  CHECK(m.runFloats({floatTensor({1, c.channels, c.height, c.width}, x)}) ==
        directConv(c, x, w, bias));
  std::optional<Graph> graph = m.import();
  CHECK(countOps(*graph, kind) == 1);
  CHECK(countOps(*graph, OpKind::Transpose) == 2); // x and y; weights are folded
}

TEST_CASE("Conv without bias, attributes left out", "[onnx][conv]") {
  Model m;
  m.input("x", {1, 1, 2, 2}).output("y").init("w", floats({1, 1, 2, 2}, {1, 2, 3, 4}));
  m.node("Conv", {"x", "w"}, {"y"});
  CHECK(m.runFloats({floatTensor({1, 1, 2, 2}, {1, 1, 1, 2})}) == std::vector<float>{14});
}

TEST_CASE("Conv in one dimension is a conv2d of height 1", "[onnx][conv]") {
  Model m;
  m.input("x", {1, 2, 5}).output("y").init("w", floats({1, 2, 3}, {1, 0, -1, 2, 0, 0}));
  m.node("Conv", {"x", "w"}, {"y"}).set("pads", {2, 0}).set("dilations", {2}).set("strides", {2});
  // causal: taps at -2, 0, 2 from output position 2 i
  std::vector<float> x = ramp(10);
  CHECK(m.runFloats({floatTensor({1, 2, 5}, x)}) == std::vector<float>{-2, 10 - 4});
}

TEST_CASE("auto_pad puts the odd element where it says", "[onnx][conv]") {
  const char *mode = nullptr;
  std::vector<float> expected;
  SECTION("SAME_UPPER") {
    mode = "SAME_UPPER";
    expected = {1 + 2, 3 + 4, 5};
  }
  SECTION("SAME_LOWER") {
    mode = "SAME_LOWER";
    expected = {1, 2 + 3, 4 + 5};
  }
  SECTION("VALID") {
    mode = "VALID";
    expected = {1 + 2, 3 + 4};
  }
  Model m;
  m.input("x", {1, 1, 5}).output("y").init("w", floats({1, 1, 2}, {1, 1}));
  m.node("Conv", {"x", "w"}, {"y"}).set("auto_pad", mode).set("strides", {2});
  CHECK(m.runFloats({floatTensor({1, 1, 5}, {1, 2, 3, 4, 5})}) == expected);
}

TEST_CASE("a bias that is computed is added after the convolution", "[onnx][conv]") {
  Model m;
  m.input("x", {1, 1, 1, 2}).input("b", {2}).output("y").init("w", floats({2, 1, 1, 1}, {1, 10}));
  m.node("Conv", {"x", "w", "b"}, {"y"});
  CHECK(m.runFloats({floatTensor({1, 1, 1, 2}, {1, 2}), floatTensor({2}, {100, 200})}) ==
        std::vector<float>{101, 102, 210, 220});
}

TEST_CASE("pools", "[onnx][pool]") {
  Model m(11);
  m.input("x", {1, 1, 4, 4}).output("y");
  Tensor x = floatTensor({1, 1, 4, 4}, ramp(16));
  SECTION("MaxPool") {
    m.node("MaxPool", {"x"}, {"y"}).set("kernel_shape", {2, 2}).set("strides", {2, 2});
    CHECK(m.runFloats({x}) == std::vector<float>{5, 7, 13, 15});
  }
  SECTION("MaxPool, ceil_mode keeps the last row") {
    m.node("MaxPool", {"x"}, {"y"})
        .set("kernel_shape", {3, 3})
        .set("strides", {2, 2})
        .set("ceil_mode", 1);
    CHECK(m.runFloats({x}) == std::vector<float>{10, 11, 14, 15});
  }
  SECTION("MaxPool, ceil_mode drops a window that starts in the padding") {
    m.node("MaxPool", {"x"}, {"y"})
        .set("kernel_shape", {1, 1})
        .set("strides", {4, 4})
        .set("pads", {0, 0, 1, 1})
        .set("ceil_mode", 1);
    CHECK(m.runFloats({x}) == std::vector<float>{0});
  }
  SECTION("AveragePool leaves padding out") {
    m.node("AveragePool", {"x"}, {"y"})
        .set("kernel_shape", {2, 2})
        .set("strides", {4, 4})
        .set("pads", {1, 1, 0, 0});
    CHECK(m.runFloats({floatTensor({1, 1, 4, 4}, ramp(16, 1, 4))}) == std::vector<float>{4});
  }
  SECTION("AveragePool counts padding") {
    m.node("AveragePool", {"x"}, {"y"})
        .set("kernel_shape", {2, 2})
        .set("strides", {2, 2})
        .set("pads", {1, 1, 1, 1})
        .set("count_include_pad", 1);
    CHECK(m.runFloats({x}) == std::vector<float>{0, 0.75f, 0.75f, 3, 7.5f, 4.5f, 3, 6.75f, 3.75f});
  }
  SECTION("AveragePool counts padding, but not what ceil_mode adds") {
    m.node("AveragePool", {"x"}, {"y"})
        .set("kernel_shape", {3, 3})
        .set("strides", {3, 3})
        .set("pads", {0, 0, 1, 1})
        .set("count_include_pad", 1)
        .set("ceil_mode", 1);
    // bottom right window: element 15 and three zeros inside the padding; two by two of it counts
    CHECK(m.runFloats({x}) ==
          std::vector<float>{5, (3 + 7 + 11) / 6.0f, (12 + 13 + 14) / 6.0f, 15 / 4.0f});
  }
  SECTION("GlobalAveragePool") {
    m.node("GlobalAveragePool", {"x"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{7.5f});
  }
  SECTION("GlobalMaxPool") {
    m.node("GlobalMaxPool", {"x"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{15});
  }
  SECTION("ReduceMean over height and width") {
    m.node("ReduceMean", {"x"}, {"y"}).set("axes", {2, 3}).set("keepdims", 0);
    CHECK(m.runFloats({x}) == std::vector<float>{7.5f});
  }
  SECTION("ReduceMax over height and width") {
    m.node("ReduceMax", {"x"}, {"y"}).set("axes", {-1, -2});
    CHECK(m.runFloats({x}) == std::vector<float>{15});
  }
}

TEST_CASE("pools in one dimension", "[onnx][pool]") {
  Model m;
  m.input("x", {1, 2, 4}).output("y");
  m.node("MaxPool", {"x"}, {"y"}).set("kernel_shape", {2}).set("strides", {2});
  CHECK(m.runFloats({floatTensor({1, 2, 4}, {1, 5, 2, 3, 8, 7, 6, 9})}) ==
        std::vector<float>{5, 3, 8, 9});
}

TEST_CASE("BatchNormalization", "[onnx][norm]") {
  Model m(9);
  m.input("x", {1, 2, 1, 2}).output("y");
  m.init("s", floats({2}, {2, 1}))
      .init("b", floats({2}, {1, 0}))
      .init("m", floats({2}, {1, 2}))
      .init("v", floats({2}, {4, 1}));
  m.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"})
      .set("epsilon", 0.0f)
      .set("momentum", 0.9f);
  CHECK(m.runFloats({floatTensor({1, 2, 1, 2}, {1, 3, 2, 5})}) == std::vector<float>{1, 3, 0, 3});
}

TEST_CASE("Softmax rows", "[onnx][norm]") {
  int64_t opset = GENERATE(11, 13);
  Model m(opset);
  m.input("x", {1, 2, 2}).output("y");
  m.node("Softmax", {"x"}, {"y"}).set("axis", 1);
  std::vector<float> y = m.runFloats({floatTensor({1, 2, 2}, {0, 1, 2, 3})});
  // before opset 13 dimensions 1 and 2 are one row, after it dimension 1 alone
  CHECK(y[0] + y[2] == Approx(opset == 13 ? 1.0
                                          : (1 + std::exp(2.0)) / (1 + std::exp(1.0) +
                                                                   std::exp(2.0) + std::exp(3.0))));
}
