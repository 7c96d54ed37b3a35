// Element-wise operators with one operand, and batch_norm.
#include "GraphText.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>

using namespace mfc;
using namespace mfc::test;

static std::string unary(const std::string &op, const std::string &in, const std::string &out,
                         const std::string &attrs = "") {
  return "%x = input \"x\" : " + in + "\n%0 = " + op + " %x " + (attrs.empty() ? "" : "{" + attrs + "} ") + ": " + out +
         "\noutput %0";
}

TEST_CASE("clamp", "[eval:clamp]") {
  F y = run<float>(unary("clamp", "f32[4]", "f32[4]", "min = 0, max = 6"), F{-1, 3, 7, NAN});
  CHECK((y[0] == 0 && y[1] == 3 && y[2] == 6 && std::isnan(y[3])));
  CHECK(run<int8_t>(unary("clamp", "i8[3] q(0.1, -5)", "i8[3] q(0.1, -5)", "min = -5, max = 55"), I8{-128, 20, 127}) ==
        I8{-5, 20, 55});
  CHECK(run<int64_t>(unary("clamp", "i64[2]", "i64[2]", "min = -1, max = 1"), I64{-9, 9}) == I64{-1, 1});
  CHECK(run<int64_t>(unary("clamp", "i64[2]", "i64[2]", "min = 0, max = 9223372036854775807"), I64{-9, INT64_MAX}) ==
        I64{0, INT64_MAX});
}

TEST_CASE("leaky_relu", "[eval:leaky_relu]") {
  CHECK(run<float>(unary("leaky_relu", "f32[3]", "f32[3]", "alpha = 0.5"), F{-2, 0, 3}) == F{-1, 0, 3});
  CHECK(run<float>(unary("leaky_relu", "f32[2]", "f32[2]", "alpha = -0.5"), F{-2, 3}) == F{1, 3});
}

TEST_CASE("exp and sqrt", "[eval:exp][eval:sqrt]") {
  CHECK(run<float>(unary("exp", "f32[3]", "f32[3]"), F{0, 1, -200}) == F{1, static_cast<float>(std::exp(1.)), 0});
  F y = run<float>(unary("sqrt", "f32[3]", "f32[3]"), F{0, 2, -1});
  CHECK((y[0] == 0 && y[1] == std::sqrt(2.f) && std::isnan(y[2])));
}

TEST_CASE("logistic and tanh in float", "[eval:logistic][eval:tanh]") {
  CHECK(run<float>(unary("logistic", "f32[3]", "f32[3]"), F{0, 100, -100}) ==
        F{0.5f, 1, static_cast<float>(1 / (1 + std::exp(100.)))});
  CHECK(run<float>(unary("tanh", "f32[3]", "f32[3]"), F{0, 1, -100}) == F{0, static_cast<float>(std::tanh(1.)), -1});
}

TEST_CASE("neg and abs", "[eval:neg][eval:abs]") {
  CHECK(run<float>(unary("neg", "f32[2]", "f32[2]"), F{1, -2}) == F{-1, 2});
  CHECK(run<float>(unary("abs", "f32[2]", "f32[2]"), F{1, -2}) == F{1, 2});
  CHECK(run<int32_t>(unary("neg", "i32[2]", "i32[2]"), I32{INT32_MIN, 5}) == I32{INT32_MIN, -5});
  CHECK(run<int64_t>(unary("abs", "i64[2]", "i64[2]"), I64{-3, INT64_MIN}) == I64{3, INT64_MIN});
  CHECK(run<int16_t>(unary("abs", "i16[2] q(0.5, 0)", "i16[2] q(1, 10)"), I16{-32768, 7}) == I16{16394, 14});
}

/// Real function behind a quantized unary operator.
static double realOf(const std::string &op, double x) {
  if (op == "leaky_relu")
    return x >= 0 ? x : 0.3 * x;
  if (op == "logistic")
    return 1 / (1 + std::exp(-x));
  if (op == "tanh")
    return std::tanh(x);
  if (op == "neg")
    return -x;
  return op == "abs" ? std::abs(x) : x;
}

TEST_CASE("quantized unary operators are the nearest stored value",
          "[eval:leaky_relu][eval:logistic][eval:tanh][eval:neg][eval:abs][eval:requantize]") {
  for (std::string op : {"leaky_relu", "logistic", "tanh", "neg", "abs", "requantize"})
    for (std::string rounding : {"tflite_double", "tflite_single", "half_even"})
      for (double scale : {0.007, 0.06, 0.9}) {
        bool fixed = op == "logistic" || op == "tanh"; // TFLite has one output quantization for these
        double outScale = op == "logistic" ? 1 / 256. : op == "tanh" ? 1 / 128. : scale * 1.7;
        int outZero = op == "logistic" ? -128 : op == "tanh" ? 0 : 11;
        std::string attrs = (op == "leaky_relu" ? "alpha = 0.3, " : "") + ("rounding = " + rounding);
        std::string body = unary(op, "i8[256] q(" + std::to_string(scale) + ", -20)",
                                 "i8[256] q(" + std::to_string(outScale) + ", " + std::to_string(outZero) + ")", attrs);
        I8 x = everyValue<int8_t>(), y = run<int8_t>(body, x);
        for (size_t i = 0; i < 256; ++i) {
          double real = realOf(op, double(float(scale)) * (x[i] + 20)) / double(std::stof(std::to_string(outScale))) + outZero;
          double bound = rounding == "half_even" ? 0.50001 : fixed ? 0.51 : 0.75;
          INFO(body << " at " << int(x[i]));
          CHECK(std::abs(std::clamp(real, -128., 127.) - y[i]) < bound);
        }
      }
}

TEST_CASE("unaryTable agrees with evaluation and is indexed by bits", "[eval:requantize]") {
  Graph graph = parsed(unary("requantize", "u8[256] q(0.5, 128)", "i8[256] q(0.5, 0)"));
  REQUIRE(hasUnaryTable(*graph.ops()[0]));
  std::array<int8_t, 256> table = unaryTable(*graph.ops()[0]);
  for (int q = 0; q < 256; ++q)
    CHECK(table[size_t(q)] == static_cast<int8_t>(q ^ 0x80)); // equal scales: flipping the top bit
  CHECK(run<int8_t>(unary("requantize", "u8[256] q(0.5, 128)", "i8[256] q(0.5, 0)"), everyValue<uint8_t>()) ==
        I8(table.begin(), table.end()));
}

TEST_CASE("requantize between widths", "[eval:requantize]") {
  CHECK(run<int8_t>(unary("requantize", "i16[3] q(0.001, 0)", "i8[3] q(0.1, 0)"), I16{-32768, 150, 1234}) ==
        I8{-128, 2, 12});
  CHECK(run<int16_t>(unary("requantize", "i8[2] q(1, 0)", "i16[2] q(0.001, 0)", "rounding = half_even"), I8{3, -50}) ==
        I16{3000, -32768});
}

TEST_CASE("quantize", "[eval:quantize]") {
  F x{0.25f, -0.25f, 0.75f, 1e9f, -INFINITY, NAN};
  CHECK(run<int8_t>(unary("quantize", "f32[6]", "i8[6] q(0.5, 3)", "rounding = half_even"), x) ==
        I8{3, 3, 5, 127, -128, 3});
  CHECK(run<int8_t>(unary("quantize", "f32[6]", "i8[6] q(0.5, 3)"), x) == I8{4, 2, 5, 127, -128, 3});
  CHECK(run<uint8_t>(unary("quantize", "f32[6]", "u8[6] q(0.5, 3)"), x) == U8{4, 2, 5, 255, 0, 3});
  CHECK(run<int8_t>(unary("quantize", "f32[2,2]", "i8[2,2] q(axis 0: 1:0, 2:0)"), F{4, 6, 4, 6}) == I8{4, 6, 2, 3});
}

TEST_CASE("dequantize", "[eval:dequantize]") {
  CHECK(run<float>(unary("dequantize", "i8[3] q(0.5, 3)", "f32[3]"), I8{-128, 3, 4}) == F{-65.5f, 0, 0.5f});
  CHECK(run<float>(unary("dequantize", "u8[2] q(0.5, 200)", "f32[2]"), U8{0, 255}) == F{-100, 27.5f});
  CHECK(run<float>(unary("dequantize", "i8[2,2] q(axis 1: 1:0, 2:1)", "f32[2,2]"), I8{1, 1, 2, 2}) == F{1, 0, 2, 2});
  CHECK(run<float>(unary("dequantize", "i32[1] q(3, 0)", "f32[1]"), I32{16777217}) == F{50331652.f});
}

TEST_CASE("cast", "[eval:cast]") {
  CHECK(run<int32_t>(unary("cast", "f32[5]", "i32[5]"), F{1.9f, -1.9f, 1e20f, -1e20f, NAN}) ==
        I32{1, -1, INT32_MAX, INT32_MIN, 0});
  CHECK(run<int8_t>(unary("cast", "i32[3]", "i8[3]"), I32{127, 128, -129}) == I8{127, -128, 127});
  CHECK(run<float>(unary("cast", "i64[2]", "f32[2]"), I64{-3, 1}) == F{-3, 1});
  CHECK(run<uint8_t>(unary("cast", "f32[4]", "bool[4]"), F{0, -0.f, 0.5f, NAN}) == U8{0, 0, 1, 1});
  CHECK(run<int64_t>(unary("cast", "f32[2]", "i64[2]"), F{1e30f, -2.5f}) == I64{INT64_MAX, -2});
}

TEST_CASE("batch_norm", "[eval:batch_norm]") {
  std::string body = R"(%x = input "x" : f32[1,2,2]
    %s = constant : f32[2] = [2, 1]
    %b = constant : f32[2] = [1, 0]
    %m = constant : f32[2] = [1, -1]
    %v = constant : f32[2] = [3, 0]
    %0 = batch_norm %x, %s, %b, %m, %v {epsilon = 1} : f32[1,2,2]
    output %0)";
  CHECK(run<float>(body, F{1, 1, 3, 4}) == F{1, 2, 3, 5});
}
