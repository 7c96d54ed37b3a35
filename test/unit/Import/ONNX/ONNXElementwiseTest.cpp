// Arithmetic and activations against their formulas.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace mfc;
using namespace mfc::test;

static const std::vector<float> samples = {-3, -0.5f, 0, 0.5f, 2, 4};

/// One operator on the samples; `configure` sets its attributes.
template <typename F>
static std::vector<float> apply(const char *op, F configure, int64_t opset = 13) {
  Model m(opset);
  m.input("x", {1, 6}).output("y");
  NodeRef node = m.node(op, {"x"}, {"y"});
  configure(node);
  return m.runFloats({floatTensor({1, 6}, samples)});
}

static std::vector<float> applyPlain(const char *op, int64_t opset = 13) {
  return apply(
      op, [](NodeRef &) {}, opset);
}

template <typename F> static void checkSamples(const std::vector<float> &found, F formula) {
  REQUIRE(found.size() == samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    INFO("x = " << samples[i]);
    CHECK(found[i] == Approx(formula(static_cast<double>(samples[i]))).margin(1e-6));
  }
}

TEST_CASE("unary operators", "[onnx][elementwise]") {
  checkSamples(applyPlain("Relu"), [](double x) { return std::max(x, 0.0); });
  checkSamples(applyPlain("Abs"), [](double x) { return std::fabs(x); });
  checkSamples(applyPlain("Neg"), [](double x) { return -x; });
  checkSamples(applyPlain("Exp"), [](double x) { return std::exp(x); });
  checkSamples(applyPlain("Sigmoid"), [](double x) { return 1 / (1 + std::exp(-x)); });
  checkSamples(applyPlain("Tanh"), [](double x) { return std::tanh(x); });
  checkSamples(applyPlain("Softsign"), [](double x) { return x / (1 + std::fabs(x)); });
  checkSamples(applyPlain("HardSwish", 14),
               [](double x) { return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0); });
  checkSamples(applyPlain("Elu"), [](double x) { return x > 0 ? x : std::expm1(x); });
  checkSamples(applyPlain("Selu"), [](double x) {
    return 1.05070102214813232421875 * (x > 0 ? x : 1.67326319217681884765625 * std::expm1(x));
  });
}

TEST_CASE("unary operators with attributes", "[onnx][elementwise]") {
  checkSamples(applyPlain("LeakyRelu"), [](double x) { return x >= 0 ? x : 0.01 * x; });
  checkSamples(apply("LeakyRelu", [](NodeRef &n) { n.set("alpha", 0.3f); }),
               [](double x) { return x >= 0 ? x : 0.3 * x; });
  checkSamples(apply("HardSigmoid", [](NodeRef &n) { n.set("alpha", 0.25f).set("beta", 0.4f); }),
               [](double x) { return std::min(std::max(0.25 * x + 0.4, 0.0), 1.0); });
  checkSamples(apply("Celu", [](NodeRef &n) { n.set("alpha", 2.0f); }),
               [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); });
  checkSamples(apply(
                   "Clip", [](NodeRef &n) { n.set("min", -1.0f).set("max", 3.0f); }, 9),
               [](double x) { return std::min(std::max(x, -1.0), 3.0); });
  checkSamples(apply(
                   "Clip", [](NodeRef &n) { n.set("max", 3.0f); }, 6 + 1),
               [](double x) { return std::min(x, 3.0); });
}

TEST_CASE("Clip with operands", "[onnx][elementwise]") {
  Model m;
  m.input("x", {1, 6}).output("y").init("lo", floats({}, {-1})).init("hi", floats({1}, {3}));
  SECTION("both") {
    m.node("Clip", {"x", "lo", "hi"}, {"y"});
    checkSamples(m.runFloats({floatTensor({1, 6}, samples)}),
                 [](double x) { return std::min(std::max(x, -1.0), 3.0); });
  }
  SECTION("upper only") {
    m.node("Clip", {"x", "", "hi"}, {"y"});
    checkSamples(m.runFloats({floatTensor({1, 6}, samples)}),
                 [](double x) { return std::min(x, 3.0); });
  }
  SECTION("run-time bound") {
    m.input("b", {});
    m.node("Clip", {"x", "b"}, {"y"}).name("clip_3");
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("node 0 'clip_3': tensor 'b': lower bound must be constant"));
  }
}

TEST_CASE("PRelu and Reciprocal and Pow", "[onnx][elementwise]") {
  Model m;
  m.input("x", {1, 6}).output("y");
  Tensor x = floatTensor({1, 6}, samples);
  SECTION("PRelu") {
    m.init("s", floats({6}, {0.5f, 2, 1, 1, 1, 1})).node("PRelu", {"x", "s"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{-1.5f, -1, 0, 0.5f, 2, 4});
  }
  SECTION("Reciprocal") {
    m.node("Abs", {"x"}, {"a"});
    m.node("Reciprocal", {"a"}, {"y"});
    CHECK(m.runFloats({floatTensor({1, 6}, {1, 2, 4, 8, 0.5f, -2})}) ==
          std::vector<float>{1, 0.5f, 0.25f, 0.125f, 2, 0.5f});
  }
  SECTION("Pow 2") {
    m.init("e", floats({}, {2})).node("Pow", {"x", "e"}, {"y"});
    checkSamples(m.runFloats({x}), [](double v) { return v * v; });
  }
  SECTION("Pow 1.7") {
    m.init("e", floats({}, {1.75f})).node("Pow", {"x", "e"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::Unsupported), Catch::Contains("Pow with exponent 1.75"));
  }
}

TEST_CASE("binary and n-ary operators broadcast", "[onnx][elementwise]") {
  auto run = [](const char *op, std::vector<std::string> inputs) {
    Model m;
    m.input("a", {2, 1}).input("b", {3}).output("y").init("c", floats({1, 3}, {2, 2, 2}));
    m.node(op, std::move(inputs), {"y"});
    return m.runFloats({floatTensor({2, 1}, {6, 12}), floatTensor({3}, {1, 2, 3})});
  };
  CHECK(run("Add", {"a", "b"}) == std::vector<float>{7, 8, 9, 13, 14, 15});
  CHECK(run("Sub", {"a", "b"}) == std::vector<float>{5, 4, 3, 11, 10, 9});
  CHECK(run("Mul", {"a", "b"}) == std::vector<float>{6, 12, 18, 12, 24, 36});
  CHECK(run("Div", {"a", "b"}) == std::vector<float>{6, 3, 2, 12, 6, 4});
  CHECK(run("Sum", {"a", "b", "c"}) == std::vector<float>{9, 10, 11, 15, 16, 17});
  CHECK(run("Max", {"b", "c", "a"}) == std::vector<float>{6, 6, 6, 12, 12, 12});
  CHECK(run("Min", {"a", "c", "b"}) == std::vector<float>{1, 2, 2, 1, 2, 2});
  CHECK(run("Mean", {"b", "c", "a"})[0] == 3);
}

TEST_CASE("reductions", "[onnx][reduce]") {
  Model m;
  m.input("x", {2, 3}).output("y");
  Tensor x = floatTensor({2, 3}, {1, 2, 3, 4, 5, 6});
  SECTION("ReduceMean") {
    m.node("ReduceMean", {"x"}, {"y"}).set("axes", {-1});
    CHECK(m.runFloats({x}) == std::vector<float>{2, 5});
  }
  SECTION("ReduceMean of everything") {
    m.node("ReduceMean", {"x"}, {"y"}).set("keepdims", 0);
    CHECK(m.run({x})[0].type.shape.empty());
  }
  SECTION("ReduceSum with an operand") {
    m.init("a", ints({1}, {0})).node("ReduceSum", {"x", "a"}, {"y"}).set("keepdims", 0);
    CHECK(m.runFloats({x}) == std::vector<float>{5, 7, 9});
  }
  SECTION("ReduceSum without axes that does nothing") {
    m.node("ReduceSum", {"x"}, {"s"}).set("noop_with_empty_axes", 1);
    m.node("Neg", {"s"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{-1, -2, -3, -4, -5, -6});
  }
  SECTION("ReduceL2") {
    m.node("ReduceL2", {"x"}, {"y"}).set("axes", {0});
    CHECK(m.runFloats({x})[2] == Approx(std::sqrt(45.0)));
  }
}

TEST_CASE("type errors name node and types", "[onnx][elementwise]") {
  Model m;
  m.input("x", {1, 6}).output("y");
  SECTION("two types") {
    m.input("i", {1, 6}, TensorProto::INT32).node("Add", {"x", "i"}, {"y"}).name("sum");
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("node 0 'sum': Add of float32 and int32, wanted the same type"));
  }
  SECTION("integers where floats belong") {
    m.input("i", {1, 6}, TensorProto::UINT8).node("Sigmoid", {"i"}, {"y"}).name("act");
    CHECK_THAT(
        m.errors(ErrorClass::BadModel),
        Catch::Contains("node 0 'act': tensor 'i': operand 0 of Sigmoid is uint8, wanted float32"));
  }
  SECTION("attribute of another kind") {
    m.node("LeakyRelu", {"x"}, {"y"}).set("alpha", 1);
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("attribute 'alpha' of LeakyRelu is of kind int, wanted float"));
  }
  SECTION("attribute that the operator does not have") {
    m.node("Relu", {"x"}, {"y"}).set("alpha", 1.0f);
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("Relu of opset 13 has no attribute 'alpha'"));
  }
  SECTION("missing operand") {
    m.node("Add", {"x"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("Add has 1 operands, wanted 2"));
  }
}
