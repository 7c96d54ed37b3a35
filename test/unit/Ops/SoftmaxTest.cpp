// softmax: float by formula, integers against the float function for the corner cases that other tools abort on.
#include "GraphText.h"
#include "mfc/Ops/QuantizedForms.h"

#include <cmath>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("softmax in float along any axis", "[eval:softmax]") {
  std::string last = "%x = input \"x\" : f32[1,3]\n%0 = softmax %x : f32[1,3]\noutput %0";
  F y = run<float>(last, F{0, std::log(2.f), std::log(5.f)});
  CHECK(y[0] == Approx(1 / 8.));
  CHECK(y[1] == Approx(2 / 8.));
  CHECK(y[2] == Approx(5 / 8.));
  std::string first = "%x = input \"x\" : f32[2,2]\n%0 = softmax %x {axis = 0, beta = 2} : f32[2,2]\noutput %0";
  F z = run<float>(first, F{1, 1000, 1, 999});
  CHECK((z[0] == 0.5f && z[2] == 0.5f));
  CHECK(z[1] == Approx(1 / (1 + std::exp(-2.))));
  CHECK(z[3] == Approx(1 / (1 + std::exp(2.))));
}

/// Softmax of a row in double, in steps of 1/256.
static std::vector<double> exactRow(const I8 &x, double scale) {
  std::vector<double> y(x.size());
  double sum = 0, largest = *std::max_element(x.begin(), x.end());
  for (size_t i = 0; i < x.size(); ++i)
    sum += y[i] = std::exp((x[i] - largest) * scale);
  for (double &p : y)
    p = p / sum * 256;
  return y;
}

TEST_CASE("quantized softmax near the float one for all zero points and scales", "[eval:softmax]") {
  Random random(5);
  std::vector<I8> rows{I8(10, 33), {-128, -128, -128, 127, -128, -128, -128, -128, -128, -128}};
  for (int i = 0; i < 20; ++i)
    rows.push_back(random.list<int8_t>(10, -128, 127));
  for (std::string rounding : {"tflite_double", "half_even"})
    for (std::string zeroPoint : {"-128", "-3", "0", "90"})
      for (std::string scale : {"0.0001", "0.02", "0.1", "8", "1e-30", "1e30"}) {
        std::string body = "%x = input \"x\" : i8[1,10] q(" + scale + ", " + zeroPoint + ")\n%0 = softmax %x {rounding = " +
                           rounding + "} : i8[1,10] q(0.00390625, -128)\noutput %0";
        for (const I8 &x : rows) {
          I8 y = run<int8_t>(body, x);
          std::vector<double> real = exactRow(x, std::stod(scale));
          double sum = 0;
          INFO(body << "\n" << listText(x) << "\n" << listText(y));
          for (size_t i = 0; i < x.size(); ++i) {
            sum += y[i] + 128;
            CHECK(std::abs(y[i] + 128 - std::min(real[i], 255.)) <= 0.51);
          }
          CHECK(std::abs(sum - 256) <= 5);
        }
      }
}

TEST_CASE("softmax with another output quantization", "[eval:softmax]") {
  std::string body = R"(%x = input "x" : u8[1,4] q(0.05, 7)
    %0 = softmax %x {rounding = half_even} : u8[1,4] q(0.01, 10)
    output %0)";
  U8 y = run<uint8_t>(body, U8{0, 20, 40, 60});
  double sum = 1 + std::exp(1.) + std::exp(2.) + std::exp(3.);
  for (int i = 0; i < 4; ++i)
    CHECK(std::abs(y[size_t(i)] - 10 - std::exp(double(i)) / sum / 0.01) <= 0.51);
}

TEST_CASE("softmax over thousands of equal values gives zero, not an abort", "[eval:softmax]") {
  std::string body = R"(%x = input "x" : i8[1,4000] q(0.1, 0)
    %0 = softmax %x : i8[1,4000] q(0.00390625, -128)
    output %0)";
  CHECK(run<int8_t>(body, I8(4000, 5)) == I8(4000, -128));
}

TEST_CASE("the table of exponentials starts at one and falls") {
  for (std::string rounding : {"tflite_double", "half_even"}) {
    Graph graph = parsed("%x = input \"x\" : i8[1,4] q(0.1, 0)\n%0 = softmax %x {rounding = " + rounding +
                         "} : i8[1,4] q(0.00390625, -128)\noutput %0");
    SoftmaxForm form = softmaxForm(*graph.ops()[0]);
    CHECK(form.tfliteOutput == (rounding == "tflite_double"));
    CHECK(form.expTable[0] == INT32_MAX);
    for (size_t d = 1; d < 256; ++d) {
      CHECK(form.expTable[d] <= form.expTable[d - 1]);
      CHECK(std::abs(form.expTable[d] - std::ldexp(std::exp(-double(d) * double(0.1f)), 31)) <= 2000); // 1e-6 of one
    }
  }
}
