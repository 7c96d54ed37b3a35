// Which operands a kernel may overwrite, rule by rule.
#include "PlanFixture.h"
#include "mfc/Memory/InPlace.h"

using namespace mfc;

static bool mayOverwriteInput(llvm::StringRef body, size_t kernel = 0, size_t input = 0) {
  PlanFixture f(body);
  return mayOverwrite(f.kernel(kernel), f.kernel(kernel).inputs[input]);
}

TEST_CASE("element-wise kernels overwrite operands of the same size") {
  CHECK(mayOverwriteInput("%a = input : f32[2,3]\n%0 = neg %a : f32[2,3]\noutput %0"));
  CHECK(mayOverwriteInput("%a = input : f32[2,3]\n%0 = add %a, %a : f32[2,3]\noutput %0"));
  llvm::StringRef two = "%a = input : f32[2,3]\n%b = input : f32[2,3]\n%0 = add %a, %b : f32[2,3]\noutput %0";
  CHECK(mayOverwriteInput(two, 0, 0));
  CHECK(mayOverwriteInput(two, 0, 1));
}

TEST_CASE("not with another element size") {
  CHECK_FALSE(mayOverwriteInput("%a = input : i8[4] q(1, 0)\n%0 = dequantize %a : f32[4]\noutput %0"));
  CHECK_FALSE(mayOverwriteInput("%a = input : f32[4]\n%0 = quantize %a : i8[4] q(1, 0)\noutput %0"));
  CHECK(mayOverwriteInput("%a = input : f32[4]\n%0 = cast %a : i32[4]\noutput %0"));
}

TEST_CASE("not an operand that is broadcast") {
  llvm::StringRef row = "%a = input : f32[2,3]\n%b = input : f32[1,3]\n%0 = add %a, %b : f32[2,3]\noutput %0";
  CHECK(mayOverwriteInput(row, 0, 0));
  CHECK_FALSE(mayOverwriteInput(row, 0, 1));
  // The sum of both: every operand is smaller than the result.
  llvm::StringRef outer = "%a = input : f32[2,1]\n%b = input : f32[1,3]\n%0 = add %a, %b : f32[2,3]\noutput %0";
  CHECK_FALSE(mayOverwriteInput(outer, 0, 0));
}

TEST_CASE("not an operand that is read in another order, even if an element-wise operation reads it too") {
  CHECK_FALSE(mayOverwriteInput("%a = input : f32[2,2]\n%0 = transpose %a {perm = [1, 0]} : f32[2,2]\noutput %0"));
  CHECK_FALSE(mayOverwriteInput("%a = input : f32[2,2]\n%0 = transpose %a {perm = [1, 0]} : f32[2,2]\n"
                                "%1 = add %0, %a : f32[2,2]\noutput %1"));
  CHECK_FALSE(mayOverwriteInput("%a = input : f32[1,4]\n%0 = softmax %a : f32[1,4]\noutput %0"));
}

TEST_CASE("the residual operand of a convolution, unless the convolution reads it") {
  llvm::StringRef weights = "%w = constant : f32[2,1,1,2] = [1, 2, 3, 4]\n";
  PlanFixture f((llvm::Twine(weights) + "%a = input : f32[1,2,2,2]\n%r = input : f32[1,2,2,2]\n"
                           "%0 = conv2d %a, %w : f32[1,2,2,2]\n%1 = add %0, %r : f32[1,2,2,2]\noutput %1").str());
  REQUIRE(f.kernel(0).ops.size() == 2);
  CHECK_FALSE(mayOverwrite(f.kernel(0), f.kernel(0).inputs[0]));
  CHECK(mayOverwrite(f.kernel(0), f.kernel(0).inputs[1]));
  PlanFixture own((llvm::Twine(weights) + "%a = input : f32[1,2,2,2]\n%0 = conv2d %a, %w : f32[1,2,2,2]\n"
                             "%1 = add %0, %a : f32[1,2,2,2]\noutput %1").str());
  REQUIRE(own.kernel(0).ops.size() == 2);
  CHECK_FALSE(mayOverwrite(own.kernel(0), own.kernel(0).inputs[0]));
}

TEST_CASE("a view of the same memory counts as the operand") {
  // The convolution reads %a; the tail reads a reshape of it. Overwriting either destroys the other.
  PlanFixture f("%w = constant : f32[2,1,1,2] = [1, 2, 3, 4]\n%a = input : f32[1,1,4,2]\n%v = reshape %a : f32[1,2,2,2]\n"
                "%c = conv2d %a, %w : f32[1,1,4,2]\n%d = reshape %c : f32[1,2,2,2]\n%0 = add %d, %v : f32[1,2,2,2]\noutput %0");
  REQUIRE(f.plan.kernels().size() == 1);
  REQUIRE(f.kernel(0).inputs.size() == 2);
  CHECK_FALSE(mayOverwrite(f.kernel(0), f.kernel(0).inputs[0]));
  CHECK_FALSE(mayOverwrite(f.kernel(0), f.kernel(0).inputs[1]));
}

TEST_CASE("only element-wise kernels store in order, so others take the very same place") {
  PlanFixture chain("%a = input : f32[1,4,4,8]\n%0 = neg %a : f32[1,4,4,8]\noutput %0");
  CHECK(storesInOrder(chain.kernel(0)));
  Lifetimes lifetimes = computeLifetimes(chain.graph, chain.plan, {});
  REQUIRE(lifetimes.overlaps.size() == 1);
  CHECK(lifetimes.overlaps[0].distance == 0);

  std::string ones = "1";
  for (int i = 1; i < 72; ++i)
    ones += ", 1";
  FuseOptions options;
  options.canFuseTail = [](const Operation &, const Operation &, const TargetInfo *) { return true; };
  PlanFixture tail("%a = input : f32[1,4,4,8]\n%b = input : f32[1,4,4,8]\n%w = constant : f32[1,3,3,8] = [" + ones + "]\n"
                   "%0 = depthwise_conv2d %a, %w {pad = [1, 1, 1, 1]} : f32[1,4,4,8]\n%1 = add %0, %b : f32[1,4,4,8]\noutput %1",
                   options);
  REQUIRE(tail.plan.kernels().size() == 1);
  CHECK_FALSE(storesInOrder(tail.kernel(0)));
  lifetimes = computeLifetimes(tail.graph, tail.plan, {});
  REQUIRE(lifetimes.overlaps.size() == 2);
  CHECK_FALSE(lifetimes.overlaps[0].samePlace); // the window's operand: rows of 128 bytes, two of them behind
  CHECK(lifetimes.overlaps[0].distance == 256);
  CHECK(lifetimes.overlaps[1].samePlace); // or a row behind
  CHECK(lifetimes.overlaps[1].distance == 128);
}

TEST_CASE("not from a kernel that stores in another order than it reads") {
  FuseOptions options;
  options.canFuseTail = [](const Operation &, const Operation &, const TargetInfo *) { return true; };
  PlanFixture f("%a = input : f32[2,3]\n%0 = neg %a : f32[2,3]\n%1 = transpose %0 {perm = [1, 0]} : f32[3,2]\noutput %1", options);
  REQUIRE(f.kernel(0).ops.size() == 2);
  CHECK_FALSE(mayOverwrite(f.kernel(0), f.kernel(0).inputs[0]));
}
