// Quantization: sinking dequantize, integer operators, u8, zero points of weights, the quantized border.
#include "PassTest.h"
#include "RandomGraph.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

namespace {
/// Stored results may differ from the float form by one step, at ties.
void checkWithinOneStep(const Graph &before, const Graph &after) {
  for (uint64_t round = 0; round < 4; ++round) {
    std::vector<Tensor> inputs;
    for (const Value *input : before.inputs())
      inputs.push_back(randomTensor(input->type, 16 * round + inputs.size()));
    std::vector<Tensor> wanted = evaluate(before, inputs), found = evaluate(after, inputs);
    REQUIRE(wanted.size() == found.size());
    for (size_t o = 0; o < wanted.size(); ++o)
      for (int64_t i = 0; i < wanted[o].type.count(); ++i)
        CHECK(std::abs(wanted[o].getInteger(i) - found[o].getInteger(i)) <= 1);
  }
}

/// fold-qdq gives this text, and answers within a step.
void checkFold(llvm::StringRef before, llvm::StringRef after) {
  checkPass("fold-qdq", before, after, -1);
  checkWithinOneStep(parsed(before), parsed(after));
}
} // namespace

TEST_CASE("fold-qdq makes an integer convolution, bias in accumulator units, clamp in stored units") {
  checkFold(R"(graph @g {
  %in = input : i8[1,3,3,2] q(0.5, 3)
  %w = constant : i8[2,2,2,2] q(axis 0: 0.25:0, 0.125:0) = [1, -2, 3, -4, 5, -6, 7, -8, 9, 10, 11, 12, 13, 14, 15, 16]
  %b = constant : i32[2] q(axis 0: 0.125:0, 0.0625:0) = [8, -16]
  %0 = dequantize %in : f32[1,3,3,2]
  %1 = dequantize %w : f32[2,2,2,2]
  %2 = dequantize %b : f32[2]
  %3 = conv2d %0, %1, %2 {pad = [1, 1, 0, 0]} : f32[1,3,3,2]
  %4 = clamp %3 {max = 6} : f32[1,3,3,2]
  %5 = quantize %4 {rounding = half_even} : i8[1,3,3,2] q(0.1, -128)
  output %5
})",
            R"(graph @g {
  %in = input : i8[1,3,3,2] q(0.5, 3)
  %w = constant : i8[2,2,2,2] q(axis 0: 0.25:0, 0.125:0) = [1, -2, 3, -4, 5, -6, 7, -8, 9, 10, 11, 12, 13, 14, 15, 16]
  %b = constant : i32[2] q(axis 0: 0.125:0, 0.0625:0) = [8, -16]
  %3 = conv2d %in, %w, %b {pad = [1, 1, 0, 0], rounding = half_even} : i8[1,3,3,2] q(0.1, -128)
  %4 = clamp %3 {min = -128, max = -68} : i8[1,3,3,2] q(0.1, -128)
  output %4
})");
}

TEST_CASE("fold-qdq quantizes a float bias, and takes one of another scale") {
  checkFold(R"(graph @g {
  %in = input : i8[1,2] q(0.5, 3)
  %w = constant : i8[2,2] q(0.25, 0) = [1, -2, 3, -4]
  %b = constant : f32[2] = [1, -2.06]
  %0 = dequantize %in : f32[1,2]
  %1 = dequantize %w : f32[2,2]
  %2 = dense %0, %1, %b : f32[1,2]
  %3 = quantize %2 {rounding = half_even} : i8[1,2] q(0.5, 0)
  output %3
})",
            R"(graph @g {
  %in = input : i8[1,2] q(0.5, 3)
  %w = constant : i8[2,2] q(0.25, 0) = [1, -2, 3, -4]
  %b = constant : i32[2] q(0.125, 0) = [8, -16]
  %2 = dense %in, %w, %b {rounding = half_even} : i8[1,2] q(0.5, 0)
  output %2
})");
}

TEST_CASE("fold-qdq of add, sub and mul, with scalars exact") {
  checkFold(R"(graph @g {
  %a = input : i8[2,3] q(0.5, 3)
  %b = input : i8[2,3] q(0.25, -7)
  %half = constant : f32[] = [-1.5]
  %0 = dequantize %a : f32[2,3]
  %1 = dequantize %b : f32[2,3]
  %2 = add %0, %1 : f32[2,3]
  %3 = quantize %2 {rounding = half_even} : i8[2,3] q(0.75, 1)
  %4 = sub %0, %1 : f32[2,3]
  %5 = quantize %4 {rounding = half_even} : i8[2,3] q(0.75, 1)
  %6 = mul %0, %1 : f32[2,3]
  %7 = quantize %6 {rounding = half_even} : i8[2,3] q(8, 1)
  %8 = mul %0, %half : f32[2,3]
  %9 = quantize %8 {rounding = half_even} : i8[2,3] q(1, 1)
  output %3
  output %5
  output %7
  output %9
})",
            R"(graph @g {
  %a = input : i8[2,3] q(0.5, 3)
  %b = input : i8[2,3] q(0.25, -7)
  %half = constant : i8[] q(0.0234375, 0) = [-64]
  %2 = add %a, %b {rounding = half_even} : i8[2,3] q(0.75, 1)
  %4 = sub %a, %b {rounding = half_even} : i8[2,3] q(0.75, 1)
  %6 = mul %a, %b {rounding = half_even} : i8[2,3] q(8, 1)
  %8 = mul %a, %half {rounding = half_even} : i8[2,3] q(1, 1)
  output %2
  output %4
  output %6
  output %8
})");
}

TEST_CASE("fold-qdq of pools, means, softmax and curves") {
  const char *before = R"(graph @g {
  %in = input : i8[1,4,4,3] q(0.0625, 3)
  %0 = dequantize %in : f32[1,4,4,3]
  %1 = avg_pool2d %0 {kernel = [2, 2], stride = [2, 2]} : f32[1,2,2,3]
  %2 = quantize %1 {rounding = half_even} : i8[1,2,2,3] q(0.05, 1)
  %3 = reduce_mean %0 {axes = [1, 2], keep_dims = false} : f32[1,3]
  %4 = quantize %3 {rounding = half_even} : i8[1,3] q(0.03, -4)
  %5 = softmax %0 : f32[1,4,4,3]
  %6 = quantize %5 {rounding = half_even} : i8[1,4,4,3] q(0.00390625, -128)
  %7 = leaky_relu %0 {alpha = 0.1} : f32[1,4,4,3]
  %8 = quantize %7 {rounding = half_even} : i8[1,4,4,3] q(0.0625, -100)
  %9 = logistic %0 : f32[1,4,4,3]
  %10 = quantize %9 {rounding = half_even} : i8[1,4,4,3] q(0.00390625, -128)
  %11 = tanh %0 : f32[1,4,4,3]
  %12 = quantize %11 {rounding = half_even} : i8[1,4,4,3] q(0.0078125, 0)
  output %2
  output %4
  output %6
  output %8
  output %10
  output %12
})";
  checkFold(before, R"(graph @g {
  %in = input : i8[1,4,4,3] q(0.0625, 3)
  %1 = avg_pool2d %in {kernel = [2, 2], stride = [2, 2], rounding = half_even} : i8[1,2,2,3] q(0.05, 1)
  %3 = reduce_mean %in {axes = [1, 2], keep_dims = false, rounding = half_even} : i8[1,3] q(0.03, -4)
  %5 = softmax %in {rounding = half_even} : i8[1,4,4,3] q(0.00390625, -128)
  %7 = leaky_relu %in {alpha = 0.1, rounding = half_even} : i8[1,4,4,3] q(0.0625, -100)
  %9 = logistic %in {rounding = half_even} : i8[1,4,4,3] q(0.00390625, -128)
  %11 = tanh %in {rounding = half_even} : i8[1,4,4,3] q(0.0078125, 0)
  output %1
  output %3
  output %5
  output %7
  output %9
  output %11
})");
}

TEST_CASE("fold-qdq moves quantize up through movement, concat with unequal scales becomes requantize") {
  checkFold(R"(graph @g {
  %a = input : i8[1,2,2,2] q(0.5, 3)
  %b = input : i8[1,2,2,2] q(0.25, 0)
  %0 = dequantize %a : f32[1,2,2,2]
  %1 = dequantize %b : f32[1,2,2,2]
  %2 = concat %0, %1 {axis = 3} : f32[1,2,2,4]
  %3 = pad %2 {before = [0, 1, 0, 0], after = [0, 0, 0, 0], value = 0} : f32[1,3,2,4]
  %4 = transpose %3 {perm = [0, 3, 1, 2]} : f32[1,4,3,2]
  %5 = quantize %4 {rounding = half_even} : i8[1,4,3,2] q(0.5, 3)
  output %5
})",
            R"(graph @g {
  %a = input : i8[1,2,2,2] q(0.5, 3)
  %b = input : i8[1,2,2,2] q(0.25, 0)
  %1 = requantize %b {rounding = half_even} : i8[1,2,2,2] q(0.5, 3)
  %2 = concat %a, %1 {axis = 3} : i8[1,2,2,4] q(0.5, 3)
  %3 = pad %2 {before = [0, 1, 0, 0], after = [0, 0, 0, 0], value = 3} : i8[1,3,2,4] q(0.5, 3)
  %4 = transpose %3 {perm = [0, 3, 1, 2]} : i8[1,4,3,2] q(0.5, 3)
  output %4
})");
}

TEST_CASE("fold-qdq removes a pair with equal parameters") {
  checkPass("fold-qdq", R"(graph @g {
  %in = input : f32[4]
  %0 = quantize %in {rounding = half_even} : i8[4] q(0.5, 3)
  %1 = dequantize %0 : f32[4]
  %2 = quantize %1 {rounding = half_even} : i8[4] q(0.5, 3)
  %3 = dequantize %2 : f32[4]
  output %3
})",
            R"(graph @g {
  %in = input : f32[4]
  %0 = quantize %in {rounding = half_even} : i8[4] q(0.5, 3)
  %3 = dequantize %0 : f32[4]
  output %3
})");
}

TEST_CASE("fold-qdq leaves alone what the float is needed for, and what has no integer form") {
  checkUnchanged("fold-qdq", R"(graph @g {
  %in = input : i8[1,2] q(0.5, 3)
  %w = constant : i8[2,2] q(0.25, 0) = [1, -2, 3, -4]
  %v = constant : f32[2] = [1, 3]
  %0 = dequantize %in : f32[1,2]
  %1 = dequantize %w : f32[2,2]
  %2 = dense %0, %1 : f32[1,2]
  %3 = quantize %2 {rounding = half_even} : i8[1,2] q(0.5, 0)
  %4 = exp %0 : f32[1,2]
  %5 = quantize %4 {rounding = half_even} : i8[1,2] q(0.5, 0)
  %6 = mul %0, %v : f32[1,2]
  %7 = quantize %6 {rounding = half_even} : i8[1,2] q(0.5, 0)
  output %2
  output %3
  output %5
  output %7
})");
}

TEST_CASE("fold-qdq says why an operator stays float") {
  Outcome outcome = runPasses(parsed(R"(graph @g {
  %in = input : i8[1,1] q(0.5, 3)
  %w = constant : i8[1,1] q(0.25, 0) = [1]
  %b = constant : f32[1] = [1e30]
  %0 = dequantize %in : f32[1,1]
  %1 = dequantize %w : f32[1,1]
  %2 = dense %0, %1, %b : f32[1,1]
  %3 = quantize %2 {rounding = half_even} : i8[1,1] q(0.5, 0)
  output %3
})"),
                              "fold-qdq");
  CHECK(outcome.ok);
  CHECK_FALSE(outcome.changed);
  REQUIRE(outcome.hasRemark("fold-qdq", "dense"));
  CHECK(outcome.remarks[0].message.find("accumulator") != std::string::npos);
}

TEST_CASE("sink-dequantize moves stored values, with the quantization axis") {
  checkPass("sink-dequantize", R"(graph @g {
  %in = input : f32[2,4]
  %w = constant : i8[2,2,1,2] q(axis 0: 0.5:0, 0.25:0) = [1, 2, 3, 4, 5, 6, 7, 8]
  %0 = dequantize %w : f32[2,2,1,2]
  %1 = transpose %0 {perm = [1, 2, 3, 0]} : f32[2,1,2,2]
  %2 = reshape %1 : f32[4,2]
  %3 = transpose %2 {perm = [1, 0]} : f32[2,4]
  %4 = add %in, %3 : f32[2,4]
  output %4
})",
            R"(graph @g {
  %in = input : f32[2,4]
  %w = constant : i8[2,2,1,2] q(axis 0: 0.5:0, 0.25:0) = [1, 2, 3, 4, 5, 6, 7, 8]
  %0 = transpose %w {perm = [1, 2, 3, 0]} : i8[2,1,2,2] q(axis 3: 0.5:0, 0.25:0)
  %1 = reshape %0 : i8[4,2] q(axis 1: 0.5:0, 0.25:0)
  %2 = transpose %1 {perm = [1, 0]} : i8[2,4] q(axis 0: 0.5:0, 0.25:0)
  %3 = dequantize %2 : f32[2,4]
  %4 = add %in, %3 : f32[2,4]
  output %4
})");
}

TEST_CASE("sink-dequantize through pools, pads and relu, not through inexact bounds") {
  checkPass("sink-dequantize", R"(graph @g {
  %in = input : i8[1,4,4,1] q(0.3, 5)
  %0 = dequantize %in : f32[1,4,4,1]
  %1 = max_pool2d %0 {kernel = [2, 2], stride = [2, 2]} : f32[1,2,2,1]
  %2 = pad %1 {before = [0, 1, 0, 0], after = [0, 0, 0, 0], value = 0} : f32[1,3,2,1]
  %3 = clamp %2 {max = 1000} : f32[1,3,2,1]
  %4 = clamp %3 {max = 1} : f32[1,3,2,1]
  output %4
})",
            R"(graph @g {
  %in = input : i8[1,4,4,1] q(0.3, 5)
  %1 = max_pool2d %in {kernel = [2, 2], stride = [2, 2]} : i8[1,2,2,1] q(0.3, 5)
  %2 = pad %1 {before = [0, 1, 0, 0], after = [0, 0, 0, 0], value = 5} : i8[1,3,2,1] q(0.3, 5)
  %3 = clamp %2 {min = 5, max = 127} : i8[1,3,2,1] q(0.3, 5)
  %4 = dequantize %3 : f32[1,3,2,1]
  %5 = clamp %4 {max = 1} : f32[1,3,2,1]
  output %5
})");
}

TEST_CASE("shift-u8-to-i8 renames the inside and keeps the border") {
  checkPass("shift-u8-to-i8", R"(graph @g {
  %in = input : u8[1,2,2,1] q(0.5, 100)
  %c = constant : u8[1] q(0.5, 100) = [200]
  %0 = clamp %in {min = 100, max = 255} : u8[1,2,2,1] q(0.5, 100)
  %1 = pad %0 {before = [0, 1, 0, 0], after = [0, 0, 0, 0], value = 100} : u8[1,3,2,1] q(0.5, 100)
  %2 = add %1, %c {rounding = half_even} : u8[1,3,2,1] q(0.75, 90)
  output %2
})",
            R"(graph @g {
  %in = input : u8[1,2,2,1] q(0.5, 100)
  %c = constant : i8[1] q(0.5, -28) = [72]
  %i = requantize %in {rounding = half_even} : i8[1,2,2,1] q(0.5, -28)
  %0 = clamp %i {min = -28, max = 127} : i8[1,2,2,1] q(0.5, -28)
  %1 = pad %0 {before = [0, 1, 0, 0], after = [0, 0, 0, 0], value = -28} : i8[1,3,2,1] q(0.5, -28)
  %2 = add %1, %c {rounding = half_even} : i8[1,3,2,1] q(0.75, -38)
  %3 = requantize %2 {rounding = half_even} : u8[1,3,2,1] q(0.75, 90)
  output %3
})");
}

TEST_CASE("fold-weight-zero-points stores i8 where it fits, else i16") {
  checkPass("fold-weight-zero-points", R"(graph @g {
  %in = input : f32[1,2]
  %w = constant : i8[2,2] q(0.25, -3) = [1, -2, 3, -4]
  %v = constant : u8[2,2] q(axis 0: 0.5:3, 0.25:0) = [255, 0, 9, 200]
  %0 = dequantize %w : f32[2,2]
  %1 = dense %in, %0 : f32[1,2]
  %2 = dequantize %v : f32[2,2]
  %3 = dense %1, %2 : f32[1,2]
  output %3
})",
            R"(graph @g {
  %in = input : f32[1,2]
  %w = constant : i8[2,2] q(0.25, 0) = [4, 1, 6, -1]
  %v = constant : i16[2,2] q(axis 0: 0.5:0, 0.25:0) = [252, -3, 9, 200]
  %0 = dequantize %w : f32[2,2]
  %1 = dense %in, %0 : f32[1,2]
  %2 = dequantize %v : f32[2,2]
  %3 = dense %1, %2 : f32[1,2]
  output %3
})",
            1e-6);
}

TEST_CASE("fold-io-quantize moves the stored values to the border") {
  checkPass("fold-io-quantize", R"(graph @g {
  %in = input "x" : f32[1,1,2,2]
  %w = constant : i8[1,1,1,1] q(0.25, 0) = [3]
  %0 = reshape %in : f32[1,2,2,1]
  %1 = quantize %0 {rounding = half_even} : i8[1,2,2,1] q(0.5, 3)
  %2 = conv2d %1, %w {rounding = half_even} : i8[1,2,2,1] q(0.5, 4)
  %3 = dequantize %2 : f32[1,2,2,1]
  output %3 "y"
})",
            R"(graph @g {
  %in = input "x" : i8[1,1,2,2] q(0.5, 3)
  %w = constant : i8[1,1,1,1] q(0.25, 0) = [3]
  %0 = reshape %in : i8[1,2,2,1] q(0.5, 3)
  %2 = conv2d %0, %w {rounding = half_even} : i8[1,2,2,1] q(0.5, 4)
  output %2 "y"
})",
            -1);
}

TEST_CASE("fold-io-quantize keeps a float border where the float is used") {
  Outcome outcome = runPasses(parsed(R"(graph @g {
  %in = input "x" : f32[2]
  %0 = quantize %in {rounding = half_even} : i8[2] q(0.5, 3)
  %1 = exp %in : f32[2]
  output %0
  output %1
})"),
                              "fold-io-quantize");
  CHECK(outcome.ok);
  CHECK_FALSE(outcome.changed);
  CHECK(outcome.hasRemark("fold-io-quantize", "input"));
  CHECK(outcome.hasRemark("fold-io-quantize", "output"));
}

TEST_CASE("check-lowerable wants constant weights and names the tensor") {
  Outcome outcome = runPasses(parsed(R"(graph @g {
  %in = input : f32[1,2]
  %w = input "weights_in" : f32[2,2]
  %0 = dense %in, %w : f32[1,2] loc("fc_1", 0)
  output %0
})"),
                              "check-lowerable");
  CHECK_FALSE(outcome.ok);
  CHECK(outcome.diag.exitCode() == 3);
  CHECK(outcome.errors().find("weights must be constant") != std::string::npos);
  CHECK(outcome.errors().find("weights_in") != std::string::npos);
  CHECK(outcome.errors().find("fc_1") != std::string::npos);
}

TEST_CASE("check-lowerable reports float fallbacks of a quantized model") {
  const char *text = R"(graph @g {
  %in = input : i8[1,2] q(0.5, 0)
  %v = constant : f32[2] = [1, 3]
  %0 = dequantize %in : f32[1,2]
  %1 = mul %0, %v : f32[1,2] loc("Mul_3", 3)
  %2 = quantize %1 {rounding = half_even} : i8[1,2] q(0.5, 0)
  output %2
})";
  Outcome relaxed = runPasses(parsed(text), "check-lowerable");
  CHECK(relaxed.ok);
  REQUIRE(relaxed.hasRemark("check-lowerable", "float-fallback"));
  CHECK(relaxed.remarks[0].message == "float fallback: Mul_3");
  Outcome strict = runPasses(parsed(text), "check-lowerable", {.strictInt8 = true});
  CHECK_FALSE(strict.ok);
  CHECK(strict.diag.exitCode() == 3);
}
