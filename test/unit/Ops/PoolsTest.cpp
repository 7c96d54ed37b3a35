// max_pool2d, avg_pool2d, reduce_mean.
#include "GraphText.h"

using namespace mfc;
using namespace mfc::test;

TEST_CASE("max_pool2d ignores padding", "[eval:max_pool2d]") {
  std::string body = R"(%x = input "x" : i8[1,2,3,1] q(1, 100)
    %0 = max_pool2d %x {kernel = [2, 2], stride = [1, 2], pad = [1, 0, 0, 1]} : i8[1,2,2,1] q(1, 100)
    output %0)";
  CHECK(run<int8_t>(body, I8{-128, -127, -5, 3, -2, -6}) == I8{-127, -5, 3, -5});
}

TEST_CASE("max_pool2d in float", "[eval:max_pool2d]") {
  std::string body = R"(%x = input "x" : f32[1,1,4,2]
    %0 = max_pool2d %x {kernel = [1, 2], dilation = [1, 2]} : f32[1,1,2,2]
    output %0)";
  CHECK(run<float>(body, F{-1, -2, -3, 4, -5, 6, -7, -8}) == F{-1, 6, -3, 4});
}

TEST_CASE("avg_pool2d divides by the elements inside or by the whole window", "[eval:avg_pool2d]") {
  auto body = [](std::string attrs) {
    return "%x = input \"x\" : f32[1,1,3,1]\n%0 = avg_pool2d %x {kernel = [1, 2], pad = [0, 1, 0, 1]" + attrs +
           "} : f32[1,1,4,1]\noutput %0";
  };
  CHECK(run<float>(body(""), F{2, 4, 8}) == F{2, 3, 6, 8});
  CHECK(run<float>(body(", count_include_pad = true"), F{2, 4, 8}) == F{1, 3, 6, 4});
}

TEST_CASE("avg_pool2d of TFLite rounds half away from zero", "[eval:avg_pool2d]") {
  std::string body = R"(%x = input "x" : i8[1,1,4,1] q(0.1, -3)
    %0 = avg_pool2d %x {kernel = [1, 2], stride = [1, 2]} : i8[1,1,2,1] q(0.1, -3)
    output %0)";
  CHECK(run<int8_t>(body, I8{1, 2, -1, -2}) == I8{2, -2});
  CHECK(run<int8_t>(body, I8{0, 1, 0, -1}) == I8{1, -1});
}

TEST_CASE("avg_pool2d half to even rescales; padding that counts is the zero point", "[eval:avg_pool2d]") {
  std::string body = R"(%x = input "x" : i8[1,1,2,1] q(1, 4)
    %0 = avg_pool2d %x {kernel = [1, 2], stride = [1, 2], pad = [0, 1, 0, 1], count_include_pad = true, rounding = half_even} : i8[1,1,2,1] q(2, -1)
    output %0)";
  // (x - 4) / 2 elements / 2 scale
  CHECK(run<int8_t>(body, I8{14, 10}) == I8{2 - 1, 2 - 1}); // 2.5 and 1.5, ties to even
  CHECK(run<int8_t>(body, I8{15, -6}) == I8{3 - 1, -2 - 1}); // 2.75 and -2.5
}

TEST_CASE("reduce_mean in float", "[eval:reduce_mean]") {
  std::string kept = R"(%x = input "x" : f32[2,2,2]
    %0 = reduce_mean %x {axes = [0, 2], keep_dims = true} : f32[1,2,1]
    output %0)";
  CHECK(run<float>(kept, F{1, 2, 3, 4, 5, 6, 7, 8}) == F{3.5f, 5.5f});
  std::string dropped = R"(%x = input "x" : f32[2,2,2]
    %0 = reduce_mean %x {axes = [1], keep_dims = false} : f32[2,2]
    output %0)";
  CHECK(run<float>(dropped, F{1, 2, 3, 4, 5, 6, 7, 8}) == F{2, 3, 6, 7});
}

TEST_CASE("quantized reduce_mean is within one step of the real mean", "[eval:reduce_mean]") {
  Random random(4);
  for (int64_t count : {1, 2, 3, 7, 25, 64, 125})
    for (std::string rounding : {"tflite_double", "half_even"}) {
      std::string body = "%x = input \"x\" : i8[1," + std::to_string(count) + ",3] q(0.2, 5)\n" +
                         "%0 = reduce_mean %x {axes = [1], keep_dims = false, rounding = " + rounding +
                         "} : i8[1,3] q(0.13, -20)\noutput %0";
      I8 x = random.list<int8_t>(static_cast<size_t>(count) * 3, -60, 90);
      I8 y = run<int8_t>(body, x);
      for (size_t c = 0; c < 3; ++c) {
        double mean = 0;
        for (size_t i = c; i < x.size(); i += 3)
          mean += x[i] - 5;
        double real = mean / double(count) * double(0.2f) / double(0.13f) - 20;
        INFO(rounding << " of " << count);
        CHECK(std::abs(y[c] - real) <= (rounding == "half_even" ? 0.501 : 1.01));
      }
    }
}
