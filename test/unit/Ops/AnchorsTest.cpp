// conv2d, depthwise_conv2d, dense: small cases by hand, and identities between them on random data.
#include "GraphText.h"

#include <cmath>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("conv2d in float, by hand", "[eval:conv2d]") {
  // 2x2 kernel over 3x3 with padding 1 on the left only
  std::string body = R"(%x = input "x" : f32[1,3,3,1]
    %w = constant : f32[1,2,2,1] = [1, 2, 3, 4]
    %b = constant : f32[1] = [0.5]
    %0 = conv2d %x, %w, %b {pad = [0, 1, 0, 0]} : f32[1,2,3,1]
    output %0)";
  CHECK(run<float>(body, F{1, 2, 3, 4, 5, 6, 7, 8, 9}) == F{18.5f, 37.5f, 47.5f, 36.5f, 67.5f, 77.5f});
}

TEST_CASE("conv2d in float with groups, stride and dilation", "[eval:conv2d]") {
  std::string body = R"(%x = input "x" : f32[1,3,3,2]
    %w = constant : f32[2,2,2,1] = [1, 1, 1, 1, 10, 0, 0, 1]
    %0 = conv2d %x, %w {dilation = [2, 2], stride = [3, 3], groups = 2} : f32[1,1,1,2]
    output %0)";
  F x(18);
  std::iota(x.begin(), x.end(), 0.f); // channel 0 is 0 2 4 .. 16, channel 1 is 1 3 .. 17
  CHECK(run<float>(body, x) == F{0 + 4 + 12 + 16, 10 * 1 + 17});
}

TEST_CASE("quantized conv2d: padding is the zero point", "[eval:conv2d]") {
  std::string body = R"(%x = input "x" : i8[1,1,3,1] q(0.5, 10)
    %w = constant : i8[1,1,3,1] q(0.25, 0) = [1, 2, 3]
    %b = constant : i32[1] q(0.125, 0) = [8]
    %0 = conv2d %x, %w, %b {pad = [0, 1, 0, 1]} : i8[1,1,3,1] q(0.125, -5)
    output %0)";
  // x - 10 = 1, -2, 4; scales cancel: the accumulator is the result before the zero point
  CHECK(run<int8_t>(body, I8{11, 8, 14}) == I8{(2 - 6) + 8 - 5, (1 - 4 + 12) + 8 - 5, (-2 + 8) + 8 - 5});
}

TEST_CASE("quantized conv2d saturates and has one multiplier a channel", "[eval:conv2d]") {
  std::string body = R"(%x = input "x" : i8[1,1,1,1] q(1, 0)
    %w = constant : i8[3,1,1,1] q(axis 0: 1:0, 0.5:0, 4:0) = [3, 3, 3]
    %0 = conv2d %x, %w {rounding = half_even} : i8[1,1,1,3] q(1, 0)
    output %0)";
  CHECK(run<int8_t>(body, I8{15}) == I8{45, 22, 127}); // 22.5 goes to the even neighbour
  CHECK(run<int8_t>(body, I8{-15}) == I8{-45, -22, -128});
}

/// Random conv2d in int8 as text; weights and geometry are parameters.
static std::string convText(const std::string &op, const std::string &xType, const std::string &wType, const I8 &w,
                            const std::string &attrs, const std::string &yType) {
  return "%x = input \"x\" : " + xType + "\n%w = constant : " + wType + " = " + listText(w) + "\n%0 = " + op +
         " %x, %w {" + attrs + "} : " + yType + "\noutput %0";
}

TEST_CASE("depthwise_conv2d is conv2d with a group a channel", "[eval:depthwise_conv2d]") {
  Random random(1);
  I8 w = random.list<int8_t>(3 * 2 * 6, -127, 127); // [1,3,2,6], multiplier 2 on 3 channels
  I8 grouped(w.size());
  for (size_t k = 0; k < 6; ++k)
    for (size_t c = 0; c < 6; ++c)
      grouped[c * 6 + k] = w[k * 6 + c];
  I8 x = random.list<int8_t>(7 * 5 * 3, -128, 127);
  std::string in = "i8[1,7,5,3] q(0.5, -7)", out = "i8[1,4,4,6] q(300, 3)", attrs = "stride = [2, 1], pad = [1, 0, 1, 0]";
  I8 a = run<int8_t>(convText("depthwise_conv2d", in, "i8[1,3,2,6] q(0.5, 0)", w, attrs, out), x);
  I8 b = run<int8_t>(convText("conv2d", in, "i8[6,3,2,1] q(0.5, 0)", grouped, attrs + ", groups = 3", out), x);
  CHECK(a == b);
  CHECK(std::set<int8_t>(a.begin(), a.end()).size() > 20); // neither saturated nor constant
}

TEST_CASE("dense is a 1x1 conv2d", "[eval:dense]") {
  Random random(2);
  I8 w = random.list<int8_t>(5 * 11, -127, 127), x = random.list<int8_t>(3 * 11, -128, 127);
  for (std::string rounding : {"tflite_double", "tflite_single", "half_even"}) {
    std::string attrs = "rounding = " + rounding;
    // powers of two, so that the product of scales is the same in float and double
    I8 a = run<int8_t>(convText("dense", "i8[3,11] q(0.5, 9)", "i8[5,11] q(0.25, 0)", w, attrs, "i8[3,5] q(70, 1)"), x);
    I8 b = run<int8_t>(
        convText("conv2d", "i8[3,1,1,11] q(0.5, 9)", "i8[5,1,1,11] q(0.25, 0)", w, attrs, "i8[3,1,1,5] q(70, 1)"), x);
    CHECK(a == b);
    CHECK(std::set<int8_t>(a.begin(), a.end()).size() > 5);
  }
}

TEST_CASE("dense in float, by hand", "[eval:dense]") {
  std::string body = R"(%x = input "x" : f32[2,1,3]
    %w = constant : f32[2,3] = [1, 2, 3, -1, 0, 1]
    %b = constant : f32[2] = [0.25, -0.25]
    %0 = dense %x, %w, %b : f32[2,1,2]
    output %0)";
  CHECK(run<float>(body, F{1, 1, 1, 2, 0, -1}) == F{6.25f, -0.25f, -0.75f, -3.25f});
}

TEST_CASE("16-bit weights and results", "[eval:dense]") {
  std::string body = R"(%x = input "x" : i8[1,2] q(0.5, -128)
    %w = constant : i16[1,2] q(0.01, 0) = [200, -255]
    %0 = dense %x, %w {rounding = half_even} : i16[1,1] q(0.005, 100)
    output %0)";
  CHECK(run<int16_t>(body, I8{127, -128}) == I16{32767});    // 255 * 200 + 100 saturates
  CHECK(run<int16_t>(body, I8{-28, -27}) == I16{100 * 200 - 101 * 255 + 100});
}

TEST_CASE("a dilated convolution is one with zeros between its weights", "[eval:conv2d]") {
  Random random(3);
  I8 w = random.list<int8_t>(2 * 2 * 3, -127, 127), wide(3 * 3 * 3);
  for (size_t y = 0; y < 2; ++y)
    for (size_t x = 0; x < 2; ++x)
      for (size_t c = 0; c < 3; ++c)
        wide[(y * 2 * 3 + x * 2) * 3 + c] = w[(y * 2 + x) * 3 + c];
  I8 x = random.list<int8_t>(6 * 6 * 3, -128, 127);
  std::string in = "i8[1,6,6,3] q(0.5, 17)", out = "i8[1,6,6,1] q(100, 0)", pad = "pad = [1, 1, 1, 1]";
  I8 a = run<int8_t>(convText("conv2d", in, "i8[1,2,2,3] q(0.5, 0)", w, pad + ", dilation = [2, 2]", out), x);
  I8 b = run<int8_t>(convText("conv2d", in, "i8[1,3,3,3] q(0.5, 0)", wide, pad, out), x);
  CHECK(a == b);
  // the same with the padding as an operation of its own, filled with the zero point
  std::string padded = R"(%x = input "x" : i8[1,6,6,3] q(0.5, 17)
    %p = pad %x {before = [0, 1, 1, 0], after = [0, 1, 1, 0], value = 17} : i8[1,8,8,3] q(0.5, 17)
    %w = constant : i8[1,2,2,3] q(0.5, 0) = )" +
                       listText(w) + "\n%0 = conv2d %p, %w {dilation = [2, 2]} : " + out + "\noutput %0";
  CHECK(run<int8_t>(padded, x) == a);
}

TEST_CASE("multiply-accumulates count every tap") {
  Graph graph = parsed(R"(%x = input "x" : i8[1,49,10,4] q(1, 0)
    %w = constant : i8[8,10,4,2] q(1, 0) = splat 0
    %v = constant : i8[1,3,3,8] q(1, 0) = splat 0
    %u = constant : i8[12,8] q(1, 0) = splat 0
    %0 = conv2d %x, %w {stride = [2, 2], pad = [4, 1, 5, 1], groups = 2} : i8[1,25,5,8] q(1, 0)
    %1 = depthwise_conv2d %0, %v {pad = [1, 1, 1, 1]} : i8[1,25,5,8] q(1, 0)
    %2 = dense %1, %u : i8[1,25,5,12] q(1, 0)
    %3 = reshape %2 : i8[1500] q(1, 0)
    output %3)");
  std::vector<int64_t> counts;
  for (const Operation *op : graph.ops())
    counts.push_back(macCount(*op));
  CHECK(counts == std::vector<int64_t>{25 * 5 * 8 * 10 * 4 * 2, 25 * 5 * 8 * 9, 25 * 5 * 12 * 8, 0});
}
