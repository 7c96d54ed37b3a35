// Output counts, padding and taps of sliding windows.
#include "mfc/Ops/Window.h"

#include <catch2/catch.hpp>
#include <set>

using namespace mfc;

TEST_CASE("number of outputs") {
  CHECK(windowOutputs(10, {3, 1, 1, 0, 0}) == 8);
  CHECK(windowOutputs(10, {3, 2, 1, 0, 0}) == 4);
  CHECK(windowOutputs(10, {3, 2, 1, 0, 1}) == 5);
  CHECK(windowOutputs(10, {3, 1, 4, 0, 0}) == 2); // spans 9
  CHECK(windowOutputs(3, {3, 7, 1, 0, 0}) == 1);
  CHECK(windowOutputs(2, {3, 1, 1, 0, 0}) == std::nullopt);
  CHECK(windowOutputs(1, {3, 1, 1, 1, 1}) == 1);
}

TEST_CASE("same padding gives ceil(input / stride) outputs") {
  for (int64_t input = 1; input <= 20; ++input)
    for (int64_t kernel = 1; kernel <= 7; ++kernel)
      for (int64_t stride = 1; stride <= 4; ++stride)
        for (int64_t dilation = 1; dilation <= 3; ++dilation) {
          Window w{kernel, stride, dilation, 0, 0};
          auto [before, after] = samePadding(input, w);
          CHECK((after == before || after == before + 1));
          w.before = before, w.after = after;
          CHECK(windowOutputs(input, w) == (input + stride - 1) / stride);
          CHECK(samePadding(input, {kernel, stride, dilation, 0, 0}, true) == std::pair(after, before));
        }
}

TEST_CASE("taps inside the input are those that a plain search finds") {
  for (int64_t input = 1; input <= 9; ++input)
    for (int64_t kernel = 1; kernel <= 5; ++kernel)
      for (int64_t dilation = 1; dilation <= 3; ++dilation)
        for (int64_t before = 0; before <= 6; ++before) {
          Window w{kernel, 2, dilation, before, 6};
          int64_t outputs = windowOutputs(input, w).value_or(0);
          std::set<int64_t> all, kinds;
          for (int64_t o = 0; o < outputs; ++o) {
            TapRange range = tapsInside(o, input, w);
            int64_t found = 0;
            for (int64_t k = 0; k < kernel; ++k) {
              int64_t i = o * 2 - before + k * dilation;
              bool inside = i >= 0 && i < input;
              found += inside;
              CHECK(inside == (k >= range.begin && k < range.end));
            }
            CHECK(range.size() == found);
            all.insert(found);
          }
          forEachWindowKind(input, w, [&](int64_t o) {
            CHECK((o >= 0 && o < outputs));
            kinds.insert(tapsInside(o, input, w).size());
          });
          CHECK(kinds == all);
        }
}
