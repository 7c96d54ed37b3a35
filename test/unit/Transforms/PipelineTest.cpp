// The whole order, on graphs as importers make them.
#include "PassTest.h"
#include "mfc/Transforms/Pipeline.h"

#include "llvm/ADT/STLExtras.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

namespace {
Outcome runWhole(llvm::StringRef text, const PassOptions &options = {}) {
  Outcome outcome;
  outcome.graph = parsed(text);
  PassContext ctx{.diag = outcome.diag, .remarks = outcome.remarks, .options = options};
  outcome.ok = runPipeline(outcome.graph, ctx);
  INFO(outcome.errors());
  REQUIRE(outcome.ok);
  return outcome;
}

/// A convolution, relu, pool, flatten and dense in QDQ form, NCHW outside, u8 or i8.
const char *kQDQ = R"(graph @g {
  %in = input "x" : f32[1,2,4,4]
  %w = constant : u8[2,2,3,3] q(0.02, 120) = [130, 110, 120, 121, 119, 118, 125, 128, 100, 140, 120, 121, 119, 118, 125, 128, 100, 140, 130, 110, 120, 121, 119, 118, 125, 128, 100, 140, 120, 121, 119, 118, 125, 128, 100, 140]
  %b = constant : i32[2] q(0.001, 0) = [100, -200]
  %fw = constant : i8[2,8] q(axis 0: 0.01:0, 0.02:0) = [1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8]
  %0 = quantize %in {rounding = half_even} : u8[1,2,4,4] q(0.05, 128)
  %1 = dequantize %0 : f32[1,2,4,4]
  %2 = dequantize %w : f32[2,2,3,3]
  %3 = dequantize %b : f32[2]
  %4 = transpose %1 {perm = [0, 2, 3, 1]} : f32[1,4,4,2]
  %5 = transpose %2 {perm = [0, 2, 3, 1]} : f32[2,3,3,2]
  %6 = conv2d %4, %5, %3 {pad = [1, 1, 1, 1]} : f32[1,4,4,2]
  %7 = transpose %6 {perm = [0, 3, 1, 2]} : f32[1,2,4,4]
  %8 = clamp %7 {max = inf} : f32[1,2,4,4]
  %9 = quantize %8 {rounding = half_even} : u8[1,2,4,4] q(0.01, 0)
  %10 = dequantize %9 : f32[1,2,4,4]
  %11 = transpose %10 {perm = [0, 2, 3, 1]} : f32[1,4,4,2]
  %12 = max_pool2d %11 {kernel = [2, 2], stride = [2, 2]} : f32[1,2,2,2]
  %13 = transpose %12 {perm = [0, 3, 1, 2]} : f32[1,2,2,2]
  %14 = quantize %13 {rounding = half_even} : u8[1,2,2,2] q(0.01, 0)
  %15 = dequantize %14 : f32[1,2,2,2]
  %16 = reshape %15 : f32[1,8]
  %17 = quantize %16 {rounding = half_even} : u8[1,8] q(0.01, 0)
  %18 = dequantize %17 : f32[1,8]
  %19 = dequantize %fw : f32[2,8]
  %20 = dense %18, %19 : f32[1,2]
  %21 = quantize %20 {rounding = half_even} : u8[1,2] q(0.005, 128)
  %22 = dequantize %21 : f32[1,2]
  %23 = softmax %22 : f32[1,2]
  %24 = quantize %23 {rounding = half_even} : u8[1,2] q(0.00390625, 0)
  %25 = dequantize %24 : f32[1,2]
  output %25 "y"
})";

std::vector<OpKind> kindsOf(const Graph &graph) {
  std::vector<OpKind> kinds;
  for (const Operation *op : graph.ops())
    kinds.push_back(op->kind());
  return kinds;
}
} // namespace

TEST_CASE("a QDQ network in NCHW becomes integer operators in NHWC") {
  Outcome outcome = runWhole(kQDQ);
  using enum OpKind;
  CHECK(kindsOf(outcome.graph) ==
        std::vector<OpKind>{Quantize, Transpose, Conv2D, MaxPool2D, Reshape, Dense, Softmax, Dequantize});
  for (const Operation *op : outcome.graph.ops())
    CHECK(op->result()->type.element == (op->kind() == Dequantize ? ElementType::F32 : ElementType::I8));
  checkSameAnswers(parsed(kQDQ), outcome.graph, 0.005); // a step of the output
}

TEST_CASE("--io=quantized removes the float border") {
  Outcome outcome = runWhole(kQDQ, {.quantizedIO = true});
  using enum OpKind;
  CHECK(kindsOf(outcome.graph) == std::vector<OpKind>{Transpose, Conv2D, MaxPool2D, Reshape, Dense, Softmax});
  CHECK(outcome.graph.inputs()[0]->type == quantizedType(ElementType::I8, {1, 2, 4, 4}, 0.05f, 0));
  CHECK(outcome.graph.outputs()[0].value->type == quantizedType(ElementType::I8, {1, 2}, 0.00390625f, -128));
}

TEST_CASE("the pipeline changes nothing the second time") {
  Outcome outcome = runWhole(kQDQ);
  std::string once = plainText(outcome.graph);
  PassContext ctx{.diag = outcome.diag, .remarks = outcome.remarks};
  REQUIRE(runPipeline(outcome.graph, ctx));
  CHECK(plainText(outcome.graph) == once);
}

TEST_CASE("a pass list from the command line is checked") {
  PassManager manager;
  llvm::Error error = manager.addList("fold-pad,no-such-pass");
  REQUIRE(static_cast<bool>(error));
  CHECK(llvm::toString(std::move(error)).find("unknown pass 'no-such-pass', expected one of infer-shapes") == 0);
}

TEST_CASE("the manager stops, prints and times") {
  Outcome outcome;
  outcome.graph = parsed(kQDQ);
  PassContext ctx{.diag = outcome.diag, .remarks = outcome.remarks};
  PassManager manager = buildPipeline({});
  std::vector<std::string> printed;
  manager.printAfter = {"all"};
  manager.printChangedOnly = true;
  manager.print = [&](const PassInfo &pass, const Graph &) { printed.push_back(pass.name.str()); };
  manager.stopAfter = "fold-layout";
  REQUIRE(manager.run(outcome.graph, ctx));
  CHECK(llvm::is_contained(printed, "shift-u8-to-i8"));
  CHECK_FALSE(llvm::is_contained(printed, "fold-pad"));
  CHECK(manager.timings().back().name == "fold-layout");
}

TEST_CASE("every pass is in the table once, with a summary") {
  for (const PassInfo &pass : allPasses()) {
    CHECK(findPass(pass.name) == &pass);
    CHECK_FALSE(pass.summary.empty());
  }
}
