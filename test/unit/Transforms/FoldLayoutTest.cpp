#include "PassTest.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("fold-layout cancels transposes around element-wise operators between convolutions") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[1,4,4,2]
  %w = constant : f32[3,1,1,2] = [1, 2, 3, 4, 5, 6]
  %v = constant : f32[2,1,1,3] = [1, -2, 3, 4, 5, -6]
  %0 = conv2d %in, %w : f32[1,4,4,3]
  %1 = transpose %0 {perm = [0, 3, 1, 2]} : f32[1,3,4,4]
  %2 = clamp %1 {max = inf} : f32[1,3,4,4]
  %3 = transpose %2 {perm = [0, 2, 3, 1]} : f32[1,4,4,3]
  %4 = conv2d %3, %v : f32[1,4,4,2]
  output %4
})",
            R"(graph @g {
  %in = input : f32[1,4,4,2]
  %w = constant : f32[3,1,1,2] = [1, 2, 3, 4, 5, 6]
  %v = constant : f32[2,1,1,3] = [1, -2, 3, 4, 5, -6]
  %0 = conv2d %in, %w : f32[1,4,4,3]
  %2 = clamp %0 {max = inf} : f32[1,4,4,3]
  %4 = conv2d %2, %v : f32[1,4,4,2]
  output %4
})");
}

TEST_CASE("fold-layout keeps the model's layout at the border, on the narrow side of quantize") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[1,2,4,4]
  %w = constant : i8[3,1,1,2] q(0.5, 0) = [1, 2, 3, 4, 5, 6]
  %0 = quantize %in {rounding = half_even} : i8[1,2,4,4] q(0.25, 3)
  %1 = transpose %0 {perm = [0, 2, 3, 1]} : i8[1,4,4,2] q(0.25, 3)
  %2 = conv2d %1, %w {rounding = half_even} : i8[1,4,4,3] q(1, 0)
  %3 = dequantize %2 : f32[1,4,4,3]
  %4 = transpose %3 {perm = [0, 3, 1, 2]} : f32[1,3,4,4]
  output %4
})",
            R"(graph @g {
  %in = input : f32[1,2,4,4]
  %w = constant : i8[3,1,1,2] q(0.5, 0) = [1, 2, 3, 4, 5, 6]
  %0 = quantize %in {rounding = half_even} : i8[1,2,4,4] q(0.25, 3)
  %1 = transpose %0 {perm = [0, 2, 3, 1]} : i8[1,4,4,2] q(0.25, 3)
  %2 = conv2d %1, %w {rounding = half_even} : i8[1,4,4,3] q(1, 0)
  %3 = transpose %2 {perm = [0, 3, 1, 2]} : i8[1,3,4,4] q(1, 0)
  %4 = dequantize %3 : f32[1,3,4,4]
  output %4
})");
}

TEST_CASE("fold-layout turns transposes of size-1 dimensions into reshapes") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[1,1,5,7]
  %0 = transpose %in {perm = [0, 2, 3, 1]} : f32[1,5,7,1]
  %1 = clamp %0 {max = 6} : f32[1,5,7,1]
  output %1
})",
            R"(graph @g {
  %in = input : f32[1,1,5,7]
  %0 = clamp %in {max = 6} : f32[1,1,5,7]
  %1 = reshape %0 : f32[1,5,7,1]
  output %1
})");
}

TEST_CASE("fold-layout merges a residual: two transposed operands") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[1,4,5,3]
  %0 = tanh %in : f32[1,4,5,3]
  %1 = transpose %0 {perm = [0, 3, 1, 2]} : f32[1,3,4,5]
  %2 = clamp %1 {max = inf} : f32[1,3,4,5]
  %3 = add %2, %1 : f32[1,3,4,5]
  %4 = transpose %3 {perm = [0, 2, 3, 1]} : f32[1,4,5,3]
  output %4
})",
            R"(graph @g {
  %in = input : f32[1,4,5,3]
  %0 = tanh %in : f32[1,4,5,3]
  %2 = clamp %0 {max = inf} : f32[1,4,5,3]
  %3 = add %2, %0 : f32[1,4,5,3]
  output %3
})");
}

TEST_CASE("fold-layout transposes constants of element-wise operators") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[1,2,2,3]
  %c = constant : f32[3,1,1] = [1, 2, 3]
  %d = constant : f32[1,3,2,2] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
  %s = constant : f32[] = [0.5]
  %1 = transpose %in {perm = [0, 3, 1, 2]} : f32[1,3,2,2]
  %2 = mul %1, %c : f32[1,3,2,2]
  %3 = add %d, %2 : f32[1,3,2,2]
  %4 = sub %s, %3 : f32[1,3,2,2]
  %5 = transpose %4 {perm = [0, 2, 3, 1]} : f32[1,2,2,3]
  output %5
})",
            R"(graph @g {
  %in = input : f32[1,2,2,3]
  %c = constant : f32[1,1,1,3] = [1, 2, 3]
  %d = constant : f32[1,2,2,3] = [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
  %s = constant : f32[] = [0.5]
  %2 = mul %in, %c : f32[1,2,2,3]
  %3 = add %d, %2 : f32[1,2,2,3]
  %4 = sub %s, %3 : f32[1,2,2,3]
  output %4
})");
}

TEST_CASE("fold-layout renames the axes of concat, slice, pad, mean and softmax") {
  checkPass("fold-layout", R"(graph @g {
  %a = input : f32[1,4,5,3]
  %b = input : f32[1,4,5,2]
  %0 = transpose %a {perm = [0, 3, 1, 2]} : f32[1,3,4,5]
  %1 = transpose %b {perm = [0, 3, 1, 2]} : f32[1,2,4,5]
  %2 = concat %0, %1 {axis = 1} : f32[1,5,4,5]
  %3 = slice %2 {begin = [0, 1, 0, 4], stride = [1, 2, 1, -1]} : f32[1,2,4,3]
  %4 = pad %3 {before = [0, 1, 2, 0], after = [0, 0, 0, 3], value = 1} : f32[1,3,6,6]
  %5 = softmax %4 {axis = 1} : f32[1,3,6,6]
  %6 = reduce_mean %5 {axes = [2, 3], keep_dims = false} : f32[1,3]
  output %6
})",
            R"(graph @g {
  %a = input : f32[1,4,5,3]
  %b = input : f32[1,4,5,2]
  %2 = concat %a, %b {axis = 3} : f32[1,4,5,5]
  %3 = slice %2 {begin = [0, 0, 4, 1], stride = [1, 1, -1, 2]} : f32[1,4,3,2]
  %4 = pad %3 {before = [0, 2, 0, 1], after = [0, 0, 3, 0], value = 1} : f32[1,6,6,3]
  %5 = softmax %4 {axis = 3} : f32[1,6,6,3]
  %6 = reduce_mean %5 {axes = [1, 2], keep_dims = false} : f32[1,3]
  output %6
})",
            1e-6);
}

TEST_CASE("fold-layout permutes dense weights behind a flatten") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[2,1,2,3]
  %w = constant : f32[1,6] = [1, 2, 3, 4, 5, 6]
  %0 = transpose %in {perm = [0, 3, 1, 2]} : f32[2,3,1,2]
  %1 = reshape %0 : f32[2,6]
  %2 = clamp %1 {max = inf} : f32[2,6]
  %3 = dense %2, %w : f32[2,1]
  output %3
})",
            R"(graph @g {
  %in = input : f32[2,1,2,3]
  %w = constant : f32[1,6] = [1, 3, 5, 2, 4, 6]
  %0 = clamp %in {max = inf} : f32[2,1,2,3]
  %1 = reshape %0 : f32[2,6]
  %3 = dense %1, %w : f32[2,1]
  output %3
})",
            1e-6);
}

TEST_CASE("fold-layout permutes quantized weights under their dequantize") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[1,2,2,2]
  %w = constant : i8[2,8] q(axis 0: 0.5:0, 0.25:0) = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
  %0 = transpose %in {perm = [0, 3, 1, 2]} : f32[1,2,2,2]
  %1 = reshape %0 : f32[1,8]
  %2 = dequantize %w : f32[2,8]
  %3 = dense %1, %2 : f32[1,2]
  output %3
})",
            R"(graph @g {
  %in = input : f32[1,2,2,2]
  %w = constant : i8[2,8] q(axis 0: 0.5:0, 0.25:0) = [1, 5, 2, 6, 3, 7, 4, 8, 9, 13, 10, 14, 11, 15, 12, 16]
  %2 = dequantize %w : f32[2,8]
  %1 = reshape %in : f32[1,8]
  %3 = dense %1, %2 : f32[1,2]
  output %3
})",
            1e-6);
}

TEST_CASE("fold-layout follows reshapes that squeeze or merge dimensions in order") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[1,1,6,4]
  %0 = transpose %in {perm = [0, 3, 1, 2]} : f32[1,4,1,6]
  %1 = reshape %0 : f32[1,4,6]
  %2 = clamp %1 {max = inf} : f32[1,4,6]
  %3 = reshape %2 : f32[1,4,1,6]
  %4 = transpose %3 {perm = [0, 2, 3, 1]} : f32[1,1,6,4]
  output %4
})",
            R"(graph @g {
  %in = input : f32[1,1,6,4]
  %2 = clamp %in {max = inf} : f32[1,1,6,4]
  output %2
})");
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[1,2,3,4]
  %0 = transpose %in {perm = [0, 3, 1, 2]} : f32[1,4,2,3]
  %1 = reshape %0 : f32[1,4,6]
  %2 = transpose %1 {perm = [0, 2, 1]} : f32[1,6,4]
  %3 = tanh %2 : f32[1,6,4]
  output %3
})",
            R"(graph @g {
  %in = input : f32[1,2,3,4]
  %2 = tanh %in : f32[1,2,3,4]
  %3 = reshape %2 : f32[1,6,4]
  output %3
})");
}

TEST_CASE("fold-layout does not copy a transpose that several outputs read") {
  checkUnchanged("fold-layout", R"(graph @g {
  %in = input : f32[1,2,3,4]
  %w = constant : f32[4,1,1,4] = splat 1
  %0 = conv2d %in, %w : f32[1,2,3,4]
  %1 = transpose %0 {perm = [0, 3, 1, 2]} : f32[1,4,2,3]
  %2 = clamp %1 {max = inf} : f32[1,4,2,3]
  %3 = tanh %1 : f32[1,4,2,3]
  output %2
  output %3
})");
}

TEST_CASE("fold-layout keeps outputs apart from inputs") {
  checkPass("fold-layout", R"(graph @g {
  %in = input : f32[2,3]
  %0 = transpose %in {perm = [1, 0]} : f32[3,2]
  %1 = transpose %0 {perm = [1, 0]} : f32[2,3]
  output %1
})",
            R"(graph @g {
  %in = input : f32[2,3]
  %1 = identity %in : f32[2,3]
  output %1
})");
}

TEST_CASE("fold-layout ends where a transpose and its own operand meet") {
  checkUnchanged("fold-layout", R"(graph @g {
  %in = input : f32[1,5,2,2]
  %0 = transpose %in {perm = [0, 1, 3, 2]} : f32[1,5,2,2]
  %1 = maximum %0, %in : f32[1,5,2,2]
  output %1
})");
}
