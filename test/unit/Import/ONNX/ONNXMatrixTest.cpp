// Gemm and MatMul.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("Gemm forms", "[onnx][matrix]") {
  Model m;
  Tensor x = floatTensor({1, 2}, {1, 2});
  m.input("x", {1, 2}).output("y");
  SECTION("plain, no bias") {
    m.init("w", floats({2, 3}, {1, 2, 3, 4, 5, 6}));
    m.node("Gemm", {"x", "w"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{9, 12, 15});
  }
  SECTION("transB and a bias vector") {
    m.init("w", floats({3, 2}, {1, 4, 2, 5, 3, 6})).init("c", floats({3}, {10, 20, 30}));
    m.node("Gemm", {"x", "w", "c"}, {"y"}).set("transB", 1);
    CHECK(m.runFloats({x}) == std::vector<float>{19, 32, 45});
    std::optional<Graph> graph = m.import();
    CHECK(graph->opCount() == 1);
    CHECK(findOp(*graph, OpKind::Dense)->operands().size() == 3);
  }
  SECTION("alpha and beta") {
    m.init("w", floats({2, 1}, {1, 1})).init("c", floats({1, 1}, {10}));
    m.node("Gemm", {"x", "w", "c"}, {"y"}).set("alpha", 2.0f).set("beta", 0.5f);
    CHECK(m.runFloats({x}) == std::vector<float>{11});
  }
  SECTION("one bias for all") {
    m.init("w", floats({2, 2}, {1, 0, 0, 1})).init("c", floats({}, {5}));
    m.node("Gemm", {"x", "w", "c"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{6, 7});
    CHECK(m.import()->opCount() == 1);
  }
}

TEST_CASE("Gemm with transA and a bias column", "[onnx][matrix]") {
  Model m;
  m.input("x", {1, 2})
      .output("y")
      .init("w", floats({1, 2}, {10, 100}))
      .init("c", floats({2, 1}, {1, 2}));
  m.node("Gemm", {"x", "w", "c"}, {"y"}).set("transA", 1);
  CHECK(m.runFloats({floatTensor({1, 2}, {3, 4})}) == std::vector<float>{31, 301, 42, 402});
}

TEST_CASE("MatMul forms", "[onnx][matrix]") {
  Model m;
  m.output("y");
  SECTION("batch of rows") {
    m.input("x", {1, 2, 2}).init("w", floats({2, 1}, {1, 10}));
    m.node("MatMul", {"x", "w"}, {"y"});
    std::vector<Tensor> y = m.run({floatTensor({1, 2, 2}, {1, 2, 3, 4})});
    CHECK(y[0].type.shape == Shape{1, 2, 1});
    CHECK(floatsOf(y[0]) == std::vector<float>{21, 43});
  }
  SECTION("weight vector") {
    m.input("x", {2, 2}).init("w", floats({2}, {1, 10}));
    m.node("MatMul", {"x", "w"}, {"y"});
    CHECK(m.run({floatTensor({2, 2}, {1, 2, 3, 4})})[0].type.shape == Shape{2});
  }
  SECTION("input vector") {
    m.input("x", {2}).init("w", floats({2, 3}, {1, 2, 3, 4, 5, 6}));
    m.node("MatMul", {"x", "w"}, {"y"});
    std::vector<Tensor> y = m.run({floatTensor({2}, {1, 2})});
    CHECK(y[0].type.shape == Shape{3});
    CHECK(floatsOf(y[0]) == std::vector<float>{9, 12, 15});
  }
  SECTION("weights with leading ones") {
    m.input("x", {2, 2}).init("w", floats({1, 1, 2, 1}, {1, 10}));
    m.node("MatMul", {"x", "w"}, {"y"});
    CHECK(m.run({floatTensor({2, 2}, {1, 2, 3, 4})})[0].type.shape == Shape{1, 1, 2, 1});
  }
  SECTION("constant on the left") {
    m.input("x", {2, 1}).init("w", floats({3, 2}, {1, 2, 3, 4, 5, 6}));
    m.node("MatMul", {"w", "x"}, {"y"});
    CHECK(floatsOf(m.run({floatTensor({2, 1}, {1, 10})})[0]) == std::vector<float>{21, 43, 65});
  }
}

TEST_CASE("matrix errors", "[onnx][matrix]") {
  Model m;
  m.input("x", {1, 2}).output("y");
  SECTION("inner sizes") {
    m.init("w", floats({3, 1}, {1, 2, 3}));
    m.node("Gemm", {"x", "w"}, {"y"}).name("fc");
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("node 0 'fc': Gemm of 2 columns with 3 rows"));
  }
  SECTION("bias") {
    m.init("w", floats({2, 3}, ramp(6))).init("c", floats({2}, {1, 2}));
    m.node("Gemm", {"x", "w", "c"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("do not broadcast"));
  }
  SECTION("run-time weights") {
    m.input("v", {2, 2});
    m.node("MatMul", {"x", "v"}, {"y"}).name("mm");
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains(
                   "node 0 'mm': tensor 'v': weights must be constant, but 'v' is a graph input"));
  }
}
