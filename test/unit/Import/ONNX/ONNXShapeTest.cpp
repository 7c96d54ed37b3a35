// Operators on shapes, and shape arithmetic that must fold away.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

/// Shape of the only output of one operator on a 2x3x4 tensor.
template <typename F>
static Shape shapeOf(const char *op, std::vector<std::string> more, F configure,
                     int64_t opset = 13) {
  Model m(opset);
  m.input("x", {2, 3, 4}).output("y");
  m.init("axes", ints({2}, {0, -1}))
      .init("shape", ints({3}, {0, -1, 2}))
      .init("flat", ints({1}, {-1}));
  more.insert(more.begin(), "x");
  NodeRef node = m.node(op, more, {"y"});
  configure(node);
  std::vector<Tensor> y = m.run({floatTensor({2, 3, 4}, ramp(24))});
  CHECK(floatsOf(y[0]) == ramp(24)); // none of them moves elements
  return y[0].type.shape;
}

TEST_CASE("shapes", "[onnx][shape]") {
  auto none = [](NodeRef &) {};
  CHECK(shapeOf("Flatten", {}, none) == Shape{2, 12});
  CHECK(shapeOf("Flatten", {}, [](NodeRef &n) { n.set("axis", 0); }) == Shape{1, 24});
  CHECK(shapeOf("Flatten", {}, [](NodeRef &n) { n.set("axis", -1); }) == Shape{6, 4});
  CHECK(shapeOf("Flatten", {}, [](NodeRef &n) { n.set("axis", 3); }) == Shape{24, 1});
  CHECK(shapeOf("Reshape", {"shape"}, none) == Shape{2, 6, 2});
  CHECK(shapeOf("Reshape", {"flat"}, none) == Shape{24});
  CHECK(shapeOf("Unsqueeze", {"axes"}, none) == Shape{1, 2, 3, 4, 1});
  CHECK(shapeOf(
            "Unsqueeze", {},
            [](NodeRef &n) {
              n.set("axes", {1, 2});
            },
            11) == Shape{2, 1, 1, 3, 4});
}

TEST_CASE("Squeeze", "[onnx][shape]") {
  auto squeezed = [](int64_t opset, bool withAxes) {
    Model m(opset);
    m.input("x", {1, 2, 1}).output("y").init("axes", ints({1}, {-1}));
    NodeRef node = m.node("Squeeze", {"x"}, {"y"});
    if (withAxes && opset >= 13)
      node.node->add_input("axes");
    else if (withAxes)
      node.set("axes", {2});
    return m.run({floatTensor({1, 2, 1}, {1, 2})})[0].type.shape;
  };
  CHECK(squeezed(11, true) == Shape{1, 2});
  CHECK(squeezed(13, true) == Shape{1, 2});
  CHECK(squeezed(13, false) == Shape{2});
}

TEST_CASE("Reshape with a computed shape folds away", "[onnx][shape]") {
  Model m;
  m.input("x", {"N", 3, 4}).output("y");
  m.init("zero", ints({}, {0})).init("axes", ints({1}, {0})).init("rest", ints({1}, {-1}));
  m.node("Shape", {"x"}, {"s"});
  m.node("Gather", {"s", "zero"}, {"n"});
  m.node("Unsqueeze", {"n", "axes"}, {"n1"});
  m.node("Concat", {"n1", "rest"}, {"target"}).set("axis", 0);
  m.node("Reshape", {"x", "target"}, {"y"});
  CHECK(m.run({floatTensor({1, 3, 4}, ramp(12))})[0].type.shape == Shape{1, 12});
  CHECK(m.import()->opCount() == 1);
}

TEST_CASE("shape arithmetic with operators that the graph does not have", "[onnx][shape]") {
  Model m(15);
  m.input("x", {2, 6}).output("y");
  m.init("two", ints({}, {2}))
      .init("one", ints({1}, {1}))
      .init("minus", ints({1}, {-1}))
      .init("four", ints({1}, {4}));
  m.node("Shape", {"x"}, {"last"}).set("start", -1);
  m.node("Mod", {"last", "four"}, {"rest"});          // 2
  m.node("Equal", {"rest", "one"}, {"isOne"});        // false
  m.node("Where", {"isOne", "minus", "rest"}, {"a"}); // 2
  m.node("Size", {"x"}, {"size"});                    // 12
  m.node("Div", {"size", "two"}, {"half"});           // 6
  m.node("Cast", {"half"}, {"half32"}).set("to", TensorProto::INT32);
  m.node("Cast", {"half32"}, {"half64"}).set("to", TensorProto::INT64);
  m.node("Unsqueeze", {"half64", "axes"}, {"b"});
  m.init("axes", ints({1}, {0}));
  m.node("Concat", {"a", "b", "empty"}, {"target"}).set("axis", 0);
  m.init("empty", ints({0}, {}));
  m.node("Reshape", {"x", "target"}, {"r"});
  m.node("Neg", {"r"}, {"y"});
  CHECK(m.run({floatTensor({2, 6}, ramp(12))})[0].type.shape == Shape{2, 6});
}

TEST_CASE("all forms of Constant", "[onnx][shape]") {
  Model m;
  m.input("x", {1}).output("y");
  auto sum = [&](const char *attribute, auto value) {
    Model n;
    n.input("x", {1}).output("y");
    n.node("Constant", {}, {"c"}).set(attribute, value);
    n.node("Cast", {"c"}, {"f"}).set("to", TensorProto::FLOAT);
    n.node("Add", {"x", "f"}, {"y"});
    return n.runFloats({floatTensor({1}, {1})});
  };
  CHECK(sum("value", floats({1}, {2})) == std::vector<float>{3});
  CHECK(sum("value_float", 2.5f) == std::vector<float>{3.5f});
  CHECK(sum("value_int", 4) == std::vector<float>{5});
  CHECK(sum("value_ints", std::vector<int64_t>{4, 5}) == std::vector<float>{5, 6});
  m.node("Constant", {}, {"c"}).setFloats("value_floats", {1, 2});
  m.node("Add", {"x", "c"}, {"y"});
  CHECK(m.runFloats({floatTensor({1}, {1})}) == std::vector<float>{2, 3});
  m.graph->clear_node();
  m.node("Constant", {}, {"c"}).set("value_string", "a");
  m.node("Add", {"x", "c"}, {"y"});
  CHECK_THAT(m.errors(ErrorClass::Unsupported),
             Catch::Contains("node 0 'Constant': Constant with a sparse or string value"));
}

TEST_CASE("ConstantOfShape and Expand", "[onnx][shape]") {
  Model m;
  m.input("x", {1, 2}).output("y").init("s", ints({2}, {3, 2}));
  SECTION("added") {
    m.node("ConstantOfShape", {"s"}, {"c"}).set("value", floats({1}, {7}));
    m.node("Add", {"x", "c"}, {"y"});
    CHECK(m.runFloats({floatTensor({1, 2}, {1, 2})}) == std::vector<float>{8, 9, 8, 9, 8, 9});
  }
  SECTION("Expand") {
    m.node("Expand", {"x", "s"}, {"y"});
    CHECK(m.runFloats({floatTensor({1, 2}, {1, 2})}) == std::vector<float>{1, 2, 1, 2, 1, 2});
  }
  SECTION("too big") {
    m.init("huge", ints({2}, {1 << 20, 1 << 20})).node("ConstantOfShape", {"huge"}, {"c"});
    m.node("Add", {"x", "c"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("ConstantOfShape of shape 1048576x1048576"));
  }
}

TEST_CASE("Identity and Dropout leave nothing behind", "[onnx][shape]") {
  int64_t opset = GENERATE(11, 13);
  Model m(opset);
  m.input("x", {1, 2})
      .output("y")
      .init("ratio", floats({}, {0.5f}))
      .init("off", ints({}, {0}, TensorProto::BOOL));
  m.node("Identity", {"x"}, {"a"});
  if (opset == 11)
    m.node("Dropout", {"a"}, {"b", "mask"}).set("ratio", 0.5f);
  else
    m.node("Dropout", {"a", "ratio", "off"}, {"b", "mask"});
  m.node("Neg", {"b"}, {"y"});
  CHECK(m.runFloats({floatTensor({1, 2}, {1, 2})}) == std::vector<float>{-1, -2});
  CHECK(m.import()->opCount() == 1);
}

TEST_CASE("shape errors", "[onnx][shape]") {
  Model m;
  m.input("x", {2, 3}).output("y");
  SECTION("Reshape to another number of elements") {
    m.init("s", ints({2}, {4, -1})).node("Reshape", {"x", "s"}, {"y"}).name("r");
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("node 0 'r': Reshape from 2x3 to 4x? does not keep"));
  }
  SECTION("two rests") {
    m.init("s", ints({2}, {-1, -1})).node("Reshape", {"x", "s"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("one -1 at most"));
  }
  SECTION("overflowing product") {
    m.init("s", ints({3}, {int64_t(1) << 40, int64_t(1) << 40, 1}))
        .node("Reshape", {"x", "s"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("does not keep"));
  }
  SECTION("run-time shape") {
    m.input("s", {2}, TensorProto::INT64).node("Reshape", {"x", "s"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("tensor 's': shape must be constant, but 's' is a graph input"));
  }
  SECTION("Squeeze of a long dimension") {
    m.init("a", ints({1}, {1})).node("Squeeze", {"x", "a"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("Squeeze of dimension 1 of shape 2x3, wanted size 1"));
  }
  SECTION("axis outside") {
    m.node("Flatten", {"x"}, {"y"}).set("axis", 5);
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("axis 5 of Flatten is outside a tensor of rank 2"));
  }
}
