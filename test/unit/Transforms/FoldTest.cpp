// The smaller passes: constants, common subexpressions, identities, padding, batch norm, arithmetic.
#include "PassTest.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("infer-shapes resolves unknown dimensions and refuses contradictions") {
  checkPass("infer-shapes", R"(graph @g {
  %in = input : f32[1,5,5,2]
  %w = constant : f32[3,3,3,2] = splat 1
  %0 = conv2d %in, %w {stride = [2, 2], pad = [1, 1, 1, 1]} : f32[1,?,?,3]
  %1 = clamp %0 {max = 6} : f32[1,?,?,3]
  output %1
})",
            R"(graph @g {
  %in = input : f32[1,5,5,2]
  %w = constant : f32[3,3,3,2] = splat 1
  %0 = conv2d %in, %w {stride = [2, 2], pad = [1, 1, 1, 1]} : f32[1,3,3,3]
  %1 = clamp %0 {max = 6} : f32[1,3,3,3]
  output %1
})",
            -1);
}

TEST_CASE("fold-constants evaluates chains, keeps dequantize and respects the growth limit") {
  checkPass("fold-constants", R"(graph @g {
  %in = input : f32[2,2]
  %c = constant : f32[4] = [1, 2, 3, 4]
  %0 = reshape %c : f32[2,2]
  %1 = transpose %0 {perm = [1, 0]} : f32[2,2]
  %2 = add %in, %1 : f32[2,2]
  output %2
})",
            R"(graph @g {
  %in = input : f32[2,2]
  %c = constant : f32[2,2] = [1, 3, 2, 4]
  %2 = add %in, %c : f32[2,2]
  output %2
})");
  checkUnchanged("fold-constants", R"(graph @g {
  %in = input : f32[2]
  %c = constant : i8[2] q(0.5, 1) = [1, 2]
  %0 = dequantize %c : f32[2]
  %1 = add %in, %0 : f32[2]
  output %1
})");
  PassOptions options;
  options.foldBytes = 64;
  const char *grows = R"(graph @g {
  %in = input : f32[40,40]
  %c = constant : f32[40,1] = splat 1
  %d = constant : f32[1,40] = splat 2
  %0 = add %c, %d : f32[40,40]
  %1 = add %in, %0 : f32[40,40]
  output %1
})";
  checkUnchanged("fold-constants", grows, options);
  CHECK(runPasses(parsed(grows), "fold-constants", options).hasRemark("fold-constants", "too-big"));
}

TEST_CASE("fold-dequantized-constants gives float operators float weights") {
  checkPass("fold-dequantized-constants", R"(graph @g {
  %in = input : f32[2]
  %c = constant : i8[2] q(0.5, 1) = [1, 3]
  %0 = dequantize %c : f32[2]
  %1 = add %in, %0 : f32[2]
  output %1
})",
            R"(graph @g {
  %in = input : f32[2]
  %c = constant : f32[2] = [0, 1]
  %1 = add %in, %c : f32[2]
  output %1
})");
}

TEST_CASE("common-subexpressions merges equal operations and constants, not outputs") {
  checkPass("common-subexpressions", R"(graph @g {
  %a = input : f32[2]
  %b = input : f32[2]
  %c = constant : f32[2] = [1, 2]
  %d = constant : f32[2] = [1, 2]
  %0 = add %a, %c : f32[2]
  %1 = add %d, %a : f32[2]
  %2 = sub %a, %b : f32[2]
  %3 = sub %b, %a : f32[2]
  %4 = mul %0, %1 : f32[2]
  %5 = mul %2, %3 : f32[2]
  %6 = add %4, %5 : f32[2]
  %7 = add %5, %4 : f32[2]
  output %6
  output %7
})",
            R"(graph @g {
  %a = input : f32[2]
  %b = input : f32[2]
  %c = constant : f32[2] = [1, 2]
  %0 = add %a, %c : f32[2]
  %2 = sub %a, %b : f32[2]
  %3 = sub %b, %a : f32[2]
  %4 = mul %0, %0 : f32[2]
  %5 = mul %2, %3 : f32[2]
  %6 = add %4, %5 : f32[2]
  %7 = add %5, %4 : f32[2]
  output %6
  output %7
})");
  checkUnchanged("common-subexpressions", R"(graph @g {
  %a = input : f32[2]
  %0 = clamp %a {max = 1} : f32[2]
  %1 = clamp %a {max = 2} : f32[2]
  %2 = quantize %a : i8[2] q(0.5, 0)
  %3 = quantize %a : i8[2] q(0.5, 1)
  output %0
  output %1
  output %2
  output %3
})");
}

TEST_CASE("fold-identities removes what changes nothing") {
  checkPass("fold-identities", R"(graph @g {
  %in = input : f32[2,3]
  %zero = constant : f32[3] = splat 0
  %one = constant : f32[] = [1]
  %0 = identity %in : f32[2,3]
  %1 = reshape %0 : f32[6]
  %2 = reshape %1 : f32[2,3]
  %3 = transpose %2 {perm = [0, 1]} : f32[2,3]
  %4 = slice %3 {begin = [0, 0], stride = [1, 1]} : f32[2,3]
  %5 = pad %4 {before = [0, 0], after = [0, 0], value = 7} : f32[2,3]
  %6 = concat %5 {axis = 1} : f32[2,3]
  %7 = add %6, %zero : f32[2,3]
  %8 = mul %one, %7 : f32[2,3]
  %9 = cast %8 : f32[2,3]
  %10 = clamp %9 {min = -inf, max = inf} : f32[2,3]
  %11 = tanh %10 : f32[2,3]
  output %11
})",
            R"(graph @g {
  %in = input : f32[2,3]
  %11 = tanh %in : f32[2,3]
  output %11
})");
}

TEST_CASE("fold-identities merges clamps and removes those that cover the stored range") {
  checkPass("fold-identities", R"(graph @g {
  %in = input : f32[4]
  %0 = clamp %in {max = inf} : f32[4]
  %1 = clamp %0 {min = -1, max = 3} : f32[4]
  output %1
})",
            R"(graph @g {
  %in = input : f32[4]
  %1 = clamp %in {max = 3} : f32[4]
  output %1
})");
  checkPass("fold-identities", R"(graph @g {
  %in = input : i8[4] q(0.5, -128)
  %0 = clamp %in {min = -128, max = 127} : i8[4] q(0.5, -128)
  %1 = clamp %0 {min = -128, max = 20} : i8[4] q(0.5, -128)
  output %1
})",
            R"(graph @g {
  %in = input : i8[4] q(0.5, -128)
  %1 = clamp %in {min = -128, max = 20} : i8[4] q(0.5, -128)
  output %1
})");
}

TEST_CASE("fold-identities spells maximum, minimum and means of one element simply") {
  checkPass("fold-identities", R"(graph @g {
  %in = input : f32[2,1,3]
  %zero = constant : f32[1] = [0]
  %six = constant : f32[] = [6]
  %0 = maximum %in, %zero : f32[2,1,3]
  %1 = minimum %six, %0 : f32[2,1,3]
  %2 = reduce_mean %1 {axes = [1], keep_dims = false} : f32[2,3]
  output %2
})",
            R"(graph @g {
  %in = input : f32[2,1,3]
  %1 = clamp %in {max = 6} : f32[2,1,3]
  %2 = reshape %1 : f32[2,3]
  output %2
})");
}

TEST_CASE("fold-identities keeps an identity between input and output") {
  checkUnchanged("fold-identities", R"(graph @g {
  %in = input : f32[2]
  %0 = identity %in : f32[2]
  output %0
})");
}

TEST_CASE("fold-pad into convolutions and pools") {
  checkPass("fold-pad", R"(graph @g {
  %in = input : f32[1,3,3,1]
  %w = constant : f32[1,3,3,1] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  %0 = pad %in {before = [0, 1, 0, 0], after = [0, 0, 2, 0], value = 0} : f32[1,4,5,1]
  %1 = conv2d %0, %w {pad = [0, 1, 0, 0]} : f32[1,2,4,1]
  output %1
})",
            R"(graph @g {
  %in = input : f32[1,3,3,1]
  %w = constant : f32[1,3,3,1] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  %1 = conv2d %in, %w {pad = [1, 1, 0, 2]} : f32[1,2,4,1]
  output %1
})",
            1e-6);
  checkPass("fold-pad", R"(graph @g {
  %in = input : f32[1,3,3,1]
  %0 = pad %in {before = [0, 1, 1, 0], after = [0, 1, 1, 0], value = 0} : f32[1,5,5,1]
  %1 = avg_pool2d %0 {kernel = [3, 3]} : f32[1,3,3,1]
  output %1
})",
            R"(graph @g {
  %in = input : f32[1,3,3,1]
  %1 = avg_pool2d %in {kernel = [3, 3], pad = [1, 1, 1, 1], count_include_pad = true} : f32[1,3,3,1]
  output %1
})",
            1e-6);
  checkPass("fold-pad", R"(graph @g {
  %in = input : i8[1,3,3,1] q(0.5, 4)
  %0 = pad %in {before = [0, 1, 1, 0], after = [0, 1, 1, 0], value = -128} : i8[1,5,5,1] q(0.5, 4)
  %1 = max_pool2d %0 {kernel = [3, 3]} : i8[1,3,3,1] q(0.5, 4)
  output %1
})",
            R"(graph @g {
  %in = input : i8[1,3,3,1] q(0.5, 4)
  %1 = max_pool2d %in {kernel = [3, 3], pad = [1, 1, 1, 1]} : i8[1,3,3,1] q(0.5, 4)
  output %1
})");
}

TEST_CASE("fold-pad refuses what would change the meaning") {
  checkUnchanged("fold-pad", R"(graph @g {
  %in = input : f32[1,3,3,1]
  %w = constant : f32[1,3,3,1] = splat 1
  %0 = pad %in {before = [0, 1, 1, 0], after = [0, 1, 1, 0], value = 1} : f32[1,5,5,1]
  %1 = conv2d %0, %w : f32[1,3,3,1]
  %2 = pad %in {before = [0, 0, 0, 1], after = [0, 0, 0, 0], value = 0} : f32[1,3,3,2]
  %3 = avg_pool2d %2 {kernel = [3, 3]} : f32[1,1,1,2]
  %4 = pad %in {before = [0, 1, 1, 0], after = [0, 1, 1, 0], value = 0} : f32[1,5,5,1]
  %5 = max_pool2d %4 {kernel = [3, 3]} : f32[1,3,3,1]
  output %1
  output %3
  output %5
})");
}

TEST_CASE("fold-batch-norm into the producer, the consumer, or mul and add") {
  checkPass("fold-batch-norm", R"(graph @g {
  %in = input : f32[1,2,2,1]
  %w = constant : f32[2,1,1,1] = [1, 2]
  %scale = constant : f32[2] = [2, 3]
  %bias = constant : f32[2] = [10, 20]
  %mean = constant : f32[2] = [1, -1]
  %var = constant : f32[2] = [4, 9]
  %0 = conv2d %in, %w : f32[1,2,2,2]
  %1 = batch_norm %0, %scale, %bias, %mean, %var {epsilon = 0} : f32[1,2,2,2]
  output %1
})",
            R"(graph @g {
  %in = input : f32[1,2,2,1]
  %w = constant : f32[2,1,1,1] = [1, 2]
  %b = constant : f32[2] = [9, 21]
  %1 = conv2d %in, %w, %b : f32[1,2,2,2]
  output %1
})",
            1e-6);
  checkPass("fold-batch-norm", R"(graph @g {
  %in = input : f32[1,2,2,2]
  %w = constant : f32[1,1,1,2] = [1, 2]
  %scale = constant : f32[2] = [2, 3]
  %bias = constant : f32[2] = [10, 20]
  %mean = constant : f32[2] = [1, -1]
  %var = constant : f32[2] = [4, 9]
  %0 = batch_norm %in, %scale, %bias, %mean, %var {epsilon = 0} : f32[1,2,2,2]
  %1 = conv2d %0, %w : f32[1,2,2,1]
  output %1
})",
            R"(graph @g {
  %in = input : f32[1,2,2,2]
  %w = constant : f32[1,1,1,2] = [1, 2]
  %b = constant : f32[1] = [51]
  %1 = conv2d %in, %w, %b : f32[1,2,2,1]
  output %1
})",
            1e-6);
  checkPass("fold-batch-norm", R"(graph @g {
  %in = input : f32[1,2,2,2]
  %w = constant : f32[1,3,3,2] = splat 1
  %scale = constant : f32[2] = [2, 3]
  %bias = constant : f32[2] = [10, 20]
  %mean = constant : f32[2] = [1, -1]
  %var = constant : f32[2] = [4, 9]
  %0 = batch_norm %in, %scale, %bias, %mean, %var {epsilon = 0, axis = 1} : f32[1,2,2,2]
  %1 = batch_norm %0, %scale, %bias, %mean, %var {epsilon = 0} : f32[1,2,2,2]
  %2 = conv2d %1, %w {pad = [1, 1, 1, 1]} : f32[1,2,2,1]
  output %2
})",
            R"(graph @g {
  %in = input : f32[1,2,2,2]
  %w = constant : f32[1,3,3,2] = splat 1
  %s = constant : f32[2,1,1] = [1, 1]
  %t = constant : f32[2,1,1] = [9, 21]
  %s2 = constant : f32[2] = [1, 1]
  %t2 = constant : f32[2] = [9, 21]
  %0 = mul %in, %s : f32[1,2,2,2]
  %1 = add %0, %t : f32[1,2,2,2]
  %2 = mul %1, %s2 : f32[1,2,2,2]
  %3 = add %2, %t2 : f32[1,2,2,2]
  %4 = conv2d %3, %w {pad = [1, 1, 1, 1]} : f32[1,2,2,1]
  output %4
})",
            1e-5);
}

TEST_CASE("fold-batch-norm handles depthwise with a multiplier and grouped convolutions in front and behind") {
  const char *depthwise = R"(graph @g {
  %in = input : f32[1,3,3,2]
  %w = constant : f32[1,2,2,4] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
  %v = constant : f32[4,1,1,2] = [1, 2, 3, 4, 5, 6, 7, 8]
  %s2 = constant : f32[2] = [2, 3]
  %t2 = constant : f32[2] = [0.5, -0.25]
  %s4 = constant : f32[4] = [1, 2, 3, -4]
  %t4 = constant : f32[4] = [1, 0, 2, 3]
  %v2 = constant : f32[2] = splat 1
  %v4 = constant : f32[4] = splat 2
  %0 = batch_norm %in, %s2, %t2, %t2, %v2 {epsilon = 0} : f32[1,3,3,2]
  %1 = depthwise_conv2d %0, %w : f32[1,2,2,4]
  %2 = clamp %1 {max = inf} : f32[1,2,2,4]
  %3 = batch_norm %2, %s4, %t4, %t4, %v4 : f32[1,2,2,4]
  %4 = conv2d %3, %v {groups = 2} : f32[1,2,2,4]
  %5 = batch_norm %4, %s4, %t4, %t4, %v4 : f32[1,2,2,4]
  output %5
})";
  Outcome outcome = runPasses(parsed(depthwise), "fold-batch-norm");
  REQUIRE(outcome.ok);
  CHECK(outcome.graph.opCount() == 3);
  checkSameAnswers(parsed(depthwise), outcome.graph, 1e-5);
}

TEST_CASE("fold-batch-norm keeps the convolution of a shared result") {
  Outcome outcome = runPasses(parsed(R"(graph @g {
  %in = input : f32[1,2,2,1]
  %w = constant : f32[2,1,1,1] = [1, 2]
  %p = constant : f32[2] = [2, 3]
  %0 = conv2d %in, %w : f32[1,2,2,2]
  %1 = batch_norm %0, %p, %p, %p, %p : f32[1,2,2,2]
  output %0
  output %1
})"),
                              "fold-batch-norm");
  CHECK(outcome.ok);
  CHECK(outcome.graph.opCount() == 3);
  CHECK(outcome.hasRemark("fold-batch-norm", "mul-add"));
}

TEST_CASE("fold-arithmetic folds constants behind a dense") {
  checkPass("fold-arithmetic", R"(graph @g {
  %in = input : f32[1,2]
  %w = constant : f32[2,2] = [1, 2, 3, 4]
  %b = constant : f32[2] = [1, -1]
  %s = constant : f32[1,2] = [2, 4]
  %h = constant : f32[] = [2]
  %0 = dense %in, %w : f32[1,2]
  %1 = add %b, %0 : f32[1,2]
  %2 = mul %1, %s : f32[1,2]
  %3 = sub %h, %2 : f32[1,2]
  %4 = div %3, %h : f32[1,2]
  output %4
})",
            R"(graph @g {
  %in = input : f32[1,2]
  %w = constant : f32[2,2] = [-1, -2, -6, -8]
  %b = constant : f32[2] = [0, 3]
  %4 = dense %in, %w, %b : f32[1,2]
  output %4
})",
            1e-6);
  checkUnchanged("fold-arithmetic", R"(graph @g {
  %in = input : f32[2,2]
  %w = constant : f32[2,2] = [1, 2, 3, 4]
  %b = constant : f32[2,1] = [1, -1]
  %0 = dense %in, %w : f32[2,2]
  %1 = add %b, %0 : f32[2,2]
  %2 = dense %in, %w : f32[2,2]
  %3 = mul %2, %2 : f32[2,2]
  output %1
  output %3
})");
}

TEST_CASE("fold-arithmetic makes a quantized vector behind a dense its bias") {
  checkPass("fold-arithmetic", R"(graph @g {
  %in = input : f32[1,2]
  %w = constant : i8[2,2] q(0.5, 0) = [1, 2, 3, 4]
  %b = constant : i32[2] q(0.25, 0) = [4, -8]
  %0 = dequantize %w : f32[2,2]
  %1 = dequantize %b : f32[2]
  %2 = dense %in, %0 : f32[1,2]
  %3 = add %1, %2 : f32[1,2]
  output %3
})",
            R"(graph @g {
  %in = input : f32[1,2]
  %w = constant : i8[2,2] q(0.5, 0) = [1, 2, 3, 4]
  %b = constant : i32[2] q(0.25, 0) = [4, -8]
  %0 = dequantize %w : f32[2,2]
  %1 = dequantize %b : f32[2]
  %3 = dense %in, %0, %1 : f32[1,2]
  output %3
})",
            1e-6);
}
