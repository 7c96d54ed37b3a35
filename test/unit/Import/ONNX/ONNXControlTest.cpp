// If with a constant condition, names in scopes, order of nodes.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

/// y = x * W + x in the branch, with an own W.
static onnxpb::GraphProto branch(float factor) {
  onnxpb::GraphProto graph;
  GraphMaker maker(&graph);
  maker.init("W", floats({}, {factor})).output("out");
  maker.node("Mul", {"x", "W"}, {"t"});
  maker.node("Add", {"t", "x"}, {"out"});
  return graph;
}

TEST_CASE("If takes the branch of a constant condition", "[onnx][control]") { // BL-17
  bool condition = GENERATE(true, false);
  Model m;
  m.input("x", {2})
      .output("y")
      .init("W", floats({}, {100}))
      .init("c", ints({}, {condition}, TensorProto::BOOL));
  m.node("If", {"c"}, {"b"}).set("then_branch", branch(1)).set("else_branch", branch(2));
  m.node("Add", {"b", "W"}, {"t"}); // the outer W, and a name that the branch has, too
  m.node("Neg", {"t"}, {"y"});
  float factor = condition ? 2 : 3;
  CHECK(m.runFloats({floatTensor({2}, {1, 2})}) ==
        std::vector<float>{-(factor + 100), -(2 * factor + 100)});
}

TEST_CASE("If with a computed constant condition", "[onnx][control]") {
  Model m;
  m.input("x", {2, 3}).output("y").init("i", ints({}, {1})).init("three", ints({}, {3}));
  m.node("Shape", {"x"}, {"s"});
  m.node("Gather", {"s", "i"}, {"n"});
  m.node("Equal", {"n", "three"}, {"c"});
  m.node("If", {"c"}, {"y"}).set("then_branch", branch(1)).set("else_branch", branch(2));
  CHECK(m.runFloats({floatTensor({2, 3}, ramp(6))})[5] == 10);
}

TEST_CASE("If that cannot be decided", "[onnx][control]") {
  Model m;
  m.input("x", {2}).input("c", {}, TensorProto::BOOL).output("y");
  onnxpb::GraphProto odd = branch(1);
  odd.mutable_node(0)->set_op_type("Whatever");
  m.node("If", {"c"}, {"y"}).name("choose").set("then_branch", branch(1)).set("else_branch", odd);
  std::string text = m.errors(ErrorClass::Unsupported);
  CHECK_THAT(text,
             Catch::Contains("node 0 'choose': tensor 'c': condition of If must be constant"));
  CHECK_THAT(text, Catch::Contains("operator 'Whatever'"));
}

TEST_CASE("the branch that is not taken may hold anything", "[onnx][control]") {
  Model m;
  m.input("x", {2}).output("y").init("c", ints({}, {1}, TensorProto::BOOL));
  onnxpb::GraphProto odd = branch(1);
  odd.mutable_node(0)->set_op_type("Whatever");
  m.node("If", {"c"}, {"y"}).set("then_branch", branch(1)).set("else_branch", odd);
  CHECK(m.runFloats({floatTensor({2}, {1, 2})}) == std::vector<float>{2, 4});
}

TEST_CASE("nodes in any order", "[onnx][order]") {
  Model m;
  m.input("x", {1}).output("y");
  m.node("Neg", {"b"}, {"y"});
  m.node("Abs", {"a"}, {"b"});
  m.node("Neg", {"x"}, {"a"});
  CHECK(m.runFloats({floatTensor({1}, {3})}) == std::vector<float>{-3});
}

TEST_CASE("a cycle is named", "[onnx][order]") {
  Model m;
  m.input("x", {1}).output("y");
  m.node("Neg", {"x"}, {"a"}).name("first");
  m.node("Add", {"a", "d"}, {"b"}).name("p");
  m.node("Neg", {"b"}, {"c"}).name("q");
  m.node("Neg", {"c"}, {"d"}).name("r");
  m.node("Neg", {"d"}, {"y"}).name("last");
  CHECK_THAT(m.errors(ErrorClass::BadModel),
             Catch::Contains("the graph has a cycle of 3 nodes: 'r' -> 'p' -> 'q' -> 'r'") ||
                 Catch::Contains("'p' -> 'q' -> 'r' -> 'p'") ||
                 Catch::Contains("'q' -> 'r' -> 'p' -> 'q'"));
}

TEST_CASE("a node that reads itself", "[onnx][order]") {
  Model m;
  m.input("x", {1}).output("y");
  m.node("Add", {"x", "y"}, {"y"}).name("loop");
  CHECK_THAT(m.errors(ErrorClass::BadModel),
             Catch::Contains("node 0 'loop': the graph has a cycle of 1 nodes"));
}

TEST_CASE("dead nodes are not looked at", "[onnx][order]") {
  Model m;
  m.input("x", {1}).output("y");
  m.node("Neg", {"x"}, {"y"});
  m.node("Whatever", {"x"}, {"unused"});
  CHECK(m.runFloats({floatTensor({1}, {3})}) == std::vector<float>{-3});
}
