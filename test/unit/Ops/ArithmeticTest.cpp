// Element-wise operators with two operands.
#include "GraphText.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>

using namespace mfc;
using namespace mfc::test;

/// Two inputs of one type without quantization.
static std::string plain(const std::string &op, const std::string &element, const std::string &shapeA = "3",
                         const std::string &shapeB = "3", const std::string &shapeR = "3") {
  return "%a = input \"a\" : " + element + "[" + shapeA + "]\n%b = input \"b\" : " + element + "[" + shapeB +
         "]\n%0 = " + op + " %a, %b : " + element + "[" + shapeR + "]\noutput %0";
}

TEST_CASE("add, sub and mul of floats and integers", "[eval:add][eval:sub][eval:mul]") {
  CHECK(run<float>(plain("add", "f32"), F{1, 2, 3}, F{0.5f, -2, 1e9f}) == F{1.5f, 0, 1e9f});
  CHECK(run<float>(plain("sub", "f32"), F{1, 2, 3}, F{0.5f, -2, 3}) == F{0.5f, 4, 0});
  CHECK(run<float>(plain("mul", "f32"), F{1, 2, 3}, F{0.5f, -2, 3}) == F{0.5f, -4, 9});
  CHECK(run<int32_t>(plain("add", "i32"), I32{INT32_MAX, 1, -5}, I32{1, 2, 5}) == I32{INT32_MIN, 3, 0});
  CHECK(run<int64_t>(plain("sub", "i64"), I64{INT64_MIN, 1, -5}, I64{1, 2, 5}) == I64{INT64_MAX, -1, -10});
  CHECK(run<int64_t>(plain("mul", "i64"), I64{int64_t(1) << 62, 3, -5}, I64{4, 2, 5}) == I64{0, 6, -25});
}

TEST_CASE("div truncates and never traps", "[eval:div]") {
  CHECK(run<float>(plain("div", "f32"), F{1, -2, 3}, F{4, 0, 3}) == F{0.25f, -INFINITY, 1});
  CHECK(run<int32_t>(plain("div", "i32"), I32{-7, 7, INT32_MIN}, I32{2, -2, -1}) == I32{-3, -3, INT32_MIN});
  CHECK(run<int64_t>(plain("div", "i64"), I64{-7, 7, INT64_MIN}, I64{0, -2, -1}) == I64{0, -3, INT64_MIN});
}

TEST_CASE("maximum and minimum", "[eval:maximum][eval:minimum]") {
  CHECK(run<float>(plain("maximum", "f32"), F{1, -2, NAN}, F{4, -3, 3}) == F{4, -2, 3});
  CHECK(run<int32_t>(plain("minimum", "i32"), I32{1, -2, 3}, I32{4, -3, 3}) == I32{1, -3, 3});
  std::string quantized = R"(%a = input "a" : i8[2] q(0.5, 3)
    %b = constant : i8[] q(0.5, 3) = [-4]
    %0 = maximum %a, %b : i8[2] q(0.5, 3)
    output %0)";
  CHECK(run<int8_t>(quantized, I8{-100, 100}) == I8{-4, 100});
}

TEST_CASE("operands broadcast", "[eval:add]") {
  CHECK(run<float>(plain("add", "f32", "2,1,3", "2,1", "2,2,3"), F{1, 2, 3, 4, 5, 6}, F{10, 20}) ==
        F{11, 12, 13, 21, 22, 23, 14, 15, 16, 24, 25, 26});
  CHECK(run<float>(plain("sub", "f32", "", "2,2", "2,2"), F{1}, F{1, 2, 3, 4}) == F{0, -1, -2, -3});
}

static std::string quantizedText(const std::string &op, const std::string &element, const std::string &a,
                                 const std::string &b, const std::string &out, const std::string &rounding) {
  return "%a = input \"a\" : " + element + "[256] q(" + a + ")\n%b = input \"b\" : " + element + "[256] q(" + b +
         ")\n%0 = " + op + " %a, %b {rounding = " + rounding + "} : " + element + "[256] q(" + out + ")\noutput %0";
}

/// Largest distance between the stored result and the exact real result, over all a and a sample of b.
template <typename Real>
static double worstError(const std::string &op, double sa, int za, double sb, int zb, double so, int zo,
                         const std::string &rounding, Real real) {
  auto q = [](double s, int z) { return std::to_string(s) + ", " + std::to_string(z); };
  std::string body = quantizedText(op, "i8", q(sa, za), q(sb, zb), q(so, zo), rounding);
  I8 a = everyValue<int8_t>();
  double worst = 0;
  for (int b = -128; b <= 127; b += 15) {
    I8 y = run<int8_t>(body, a, I8(256, static_cast<int8_t>(b)));
    for (size_t i = 0; i < 256; ++i) {
      double x = real(double(float(sa)) * (a[i] - za), double(float(sb)) * (b - zb)) / double(float(so)) + zo;
      worst = std::max(worst, std::abs(std::clamp(x, -128., 127.) - y[i]));
    }
  }
  return worst;
}

TEST_CASE("quantized add, sub and mul are the nearest stored value", "[eval:add][eval:sub][eval:mul]") {
  for (std::string rounding : {"tflite_double", "tflite_single", "half_even"}) {
    double bound = rounding == "tflite_double" ? 0.52 : 0.502; // two roundings cost a little more
    INFO(rounding);
    auto sum = [](double a, double b) { return a + b; };
    auto difference = [](double a, double b) { return a - b; };
    auto product = [](double a, double b) { return a * b; };
    CHECK(worstError("add", 0.05, -3, 0.11, 40, 0.13, -12, rounding, sum) < bound);
    CHECK(worstError("add", 0.5, 0, 0.001, 0, 0.4, 7, rounding, sum) < bound);
    CHECK(worstError("sub", 0.05, -3, 0.11, 40, 0.13, -12, rounding, difference) < bound);
    CHECK(worstError("sub", 0.02, -128, 0.02, -128, 0.02, 0, rounding, difference) < bound);
    CHECK(worstError("mul", 0.05, -3, 0.11, 40, 0.3, -12, rounding, product) < bound);
    CHECK(worstError("mul", 0.01, 127, 0.01, -128, 0.02, 0, rounding, product) < bound);
  }
}

TEST_CASE("ties of half-even addition go to even", "[eval:add]") {
  std::string body = R"(%a = input "a" : i8[4] q(0.5, 0)
    %b = input "b" : i8[4] q(0.5, 0)
    %0 = add %a, %b {rounding = half_even} : i8[4] q(1, 0)
    output %0)";
  CHECK(run<int8_t>(body, I8{1, 3, -1, -3}, I8{0, 0, 0, 0}) == I8{0, 2, 0, -2});
}

TEST_CASE("16-bit addition", "[eval:add]") {
  for (std::string rounding : {"tflite_double", "half_even"}) {
    std::string body = quantizedText("add", "i16", "0.001, 0", "0.0025, 0", "0.002, 0", rounding);
    Random random(6);
    I16 a = random.list<int16_t>(256, -32768, 32767), b = random.list<int16_t>(256, -20000, 20000);
    I16 y = run<int16_t>(body, a, b);
    for (size_t i = 0; i < 256; ++i) {
      double x = (double(0.001f) * a[i] + double(0.0025f) * b[i]) / double(0.002f);
      CHECK(std::abs(std::clamp(x, -32768., 32767.) - y[i]) < (rounding == "half_even" ? 0.501 : 1.51));
    }
  }
}

TEST_CASE("half-even factors use the room of 32 bits") {
  Graph graph = parsed(quantizedText("add", "i8", "0.05, -128", "0.1, 127", "0.12, 0", "half_even"));
  AddForm form = addForm(*graph.ops()[0]);
  double largest = 255. * form.factor1 + 255. * form.factor2 + std::ldexp(1., form.shift - 1);
  CHECK_FALSE(form.wide);
  CHECK(largest <= 2147483647.);
  CHECK(largest > 1e9); // one more bit would not fit
  CHECK(form.shift >= 20);
}

TEST_CASE("half-even addition in 32-bit parts, as compiled code does it", "[eval:add][eval:sub]") {
  Random random(8);
  for (std::string op : {"add", "sub"})
    for (int round = 0; round < 50; ++round) {
      auto q = [&] {
        return std::to_string(0.001 * double(random.between(1, 400))) + ", " + std::to_string(random.between(-128, 127));
      };
      Graph graph = parsed(quantizedText(op, "i8", q(), q(), q(), "half_even"));
      AddForm form = addForm(*graph.ops()[0]);
      for (int i = 0; i < 500; ++i) {
        auto a = static_cast<int32_t>(random.between(-128, 127)), b = static_cast<int32_t>(random.between(-128, 127));
        int32_t x = a - form.zeroPoint1, y = b - form.zeroPoint2;
        int64_t high = int64_t(x) * form.factor1 + int64_t(y) * form.factor2;
        int32_t low = x * form.low1 + y * form.low2, mask = (1 << form.lowBits) - 1;
        int64_t t = high + (low >> form.lowBits), halfway = int64_t(1) << (form.shift - 1);
        REQUIRE((std::abs(high) <= INT32_MAX && std::abs(t) + halfway <= INT32_MAX));
        int64_t up = ((t >> form.shift) & 1) | ((low & mask) != 0 ? 1 : 0);
        CHECK(form.apply(a, b) == form.out.store((t + halfway - 1 + up) >> form.shift));
      }
    }
}

TEST_CASE("half-even addition decides near ties by the exact sum", "[eval:add]") {
  // 90.499999 result steps: 20 bits of the ratios are not enough to see on which side of the tie it is
  std::string body = R"(%a = input "a" : i8[1] q(0.005277400836348534, -128)
    %b = input "b" : i8[1] q(0.010436401702463627, 21)
    %0 = add %a, %b {rounding = half_even} : i8[1] q(0.006316957995295525, -128)
    output %0)";
  CHECK(run<int8_t>(body, I8{-79}, I8{51}) == I8{-38});
}
