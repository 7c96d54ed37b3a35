// QuantizeLinear, DequantizeLinear and the operators of the QOperator format.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("QuantizeLinear rounds to even and saturates", "[onnx][quantize]") {
  Model m;
  m.input("x", {6})
      .output("y", TensorProto::INT8)
      .init("s", floats({}, {0.5f}))
      .init("z", ints({}, {3}, TensorProto::INT8));
  m.node("QuantizeLinear", {"x", "s", "z"}, {"y"});
  std::vector<Tensor> y = m.run({floatTensor({6}, {0.25f, 0.75f, -0.25f, 1, 1000, -1000})});
  CHECK(integersOf(y[0]) == std::vector<int64_t>{3, 5, 3, 5, 127, -128});
  CHECK(y[0].type.quant->scale() == 0.5f);
}

TEST_CASE("a missing zero point means uint8 zero", "[onnx][quantize]") {
  Model m;
  m.input("x", {2}).output("y", TensorProto::UINT8).init("s", floats({}, {1}));
  m.node("QuantizeLinear", {"x", "s"}, {"y"});
  CHECK(integersOf(m.run({floatTensor({2}, {-1, 200})})[0]) == std::vector<int64_t>{0, 200});
}

TEST_CASE("output_dtype of opset 21", "[onnx][quantize]") {
  Model m(21);
  m.input("x", {1}).output("y", TensorProto::INT16).init("s", floats({}, {1}));
  m.node("QuantizeLinear", {"x", "s"}, {"y"}).set("output_dtype", TensorProto::INT16);
  CHECK(integersOf(m.run({floatTensor({1}, {300})})[0]) == std::vector<int64_t>{300});
}

/// Conv in QDQ with scale and zero point stored in one of several ways.
static std::optional<Graph> qdqConv(Model &m, const char *how) {
  m.input("x", {1, 1, 2, 2}).output("y");
  auto parameter = [&](const std::string &name, TensorProto scalar, TensorProto vector) {
    if (std::string(how) == "initializer")
      m.init(name, scalar);
    else if (std::string(how) == "one element")
      m.init(name, vector);
    else
      m.node("Constant", {}, {name}).set("value", scalar);
  };
  parameter("s", floats({}, {0.5f}), floats({1}, {0.5f}));
  parameter("z", ints({}, {1}, TensorProto::INT8), ints({1}, {1}, TensorProto::INT8));
  m.init("wq", ints({1, 1, 1, 1}, {4}, TensorProto::INT8))
      .init("wz", ints({}, {0}, TensorProto::INT8));
  m.node("QuantizeLinear", {"x", "s", "z"}, {"xq"});
  m.node("DequantizeLinear", {"xq", "s", "z"}, {"xd"});
  m.node("DequantizeLinear", {"wq", "s", "wz"}, {"wd"});
  m.node("Conv", {"xd", "wd"}, {"c"});
  m.node("QuantizeLinear", {"c", "s", "z"}, {"yq"});
  m.node("DequantizeLinear", {"yq", "s", "z"}, {"y"});
  return m.import();
}

TEST_CASE("scale and zero point as initializer, Constant or one element",
          "[onnx][quantize]") { // BL-01, BL-20
  Model m;
  const char *how = GENERATE("initializer", "constant", "one element");
  std::optional<Graph> graph = qdqConv(m, how);
  REQUIRE(graph);
  const Operation *conv = findOp(*graph, OpKind::Conv2D);
  REQUIRE(conv);
  // the weights are stored integers behind their dequantize, already in the layout of the graph
  const Operation *weights = conv->operand(1)->producer();
  REQUIRE(weights);
  CHECK(weights->kind() == OpKind::Dequantize);
  CHECK(weights->operand(0)->isConstant());
  CHECK(weights->operand(0)->type.quant->isPerTensor());
  // the output is a float behind the last dequantize
  CHECK(graph->outputs()[0].value->type.element == ElementType::F32);
  CHECK(graph->outputs()[0].value->producer()->kind() == OpKind::Dequantize);
  std::vector<float> y = m.runFloats({floatTensor({1, 1, 2, 2}, {0.5f, 1, 1.5f, -1})});
  CHECK(y == std::vector<float>{1, 2, 3, -2});
}

TEST_CASE("per-channel weights keep their axis through the layout", "[onnx][quantize]") {
  Model m;
  m.input("x", {1, 2, 1, 1})
      .output("y")
      .init("s", floats({2}, {1, 0.5f}))
      .init("z", ints({2}, {0, 0}, TensorProto::INT8));
  m.init("wq", ints({2, 1, 1, 1}, {3, 4}, TensorProto::INT8));
  m.node("DequantizeLinear", {"wq", "s", "z"}, {"wd"}).set("axis", 0);
  m.node("Conv", {"x", "wd"}, {"y"}).set("group", 2);
  CHECK(m.runFloats({floatTensor({1, 2, 1, 1}, {1, 1})}) == std::vector<float>{3, 2});
  std::optional<Graph> graph = m.import();
  const Value *stored = findOp(*graph, OpKind::DepthwiseConv2D)->operand(1)->producer()->operand(0);
  CHECK(stored->type.shape == Shape{1, 1, 1, 2});
  CHECK(stored->type.quant->axis == 3);
}

TEST_CASE("an int8 graph input takes the scale of its DequantizeLinear", "[onnx][quantize]") {
  Model m;
  m.input("x", {1, 2, 1}, TensorProto::INT8)
      .output("y")
      .init("s", floats({}, {0.5f}))
      .init("z", ints({}, {1}, TensorProto::INT8));
  SECTION("directly and behind movement") {
    m.node("Transpose", {"x"}, {"t"}).set("perm", {0, 2, 1});
    m.node("DequantizeLinear", {"t", "s", "z"}, {"y"});
    std::optional<Graph> graph = m.import();
    REQUIRE(graph);
    CHECK(graph->inputs()[0]->type.quant == Quantization{{0.5f}, {1}, -1});
  }
  SECTION("read with two scales: the second is arithmetic on stored values") {
    m.init("s2", floats({}, {2}));
    m.node("DequantizeLinear", {"x", "s", "z"}, {"a"});
    m.node("DequantizeLinear", {"x", "s2", "z"}, {"b"});
    m.node("Add", {"a", "b"}, {"y"});
    std::optional<Graph> graph = m.import();
    REQUIRE(graph);
    CHECK(countOps(*graph, OpKind::Dequantize) == 1);
    Tensor x = byteTensor(ElementType::I8, {1, 2, 1}, {3, -5});
    x.type.quant = graph->inputs()[0]->type.quant;
    CHECK(m.runFloats({x}) == std::vector<float>{5, -15});
  }
}

TEST_CASE("QuantizeLinear of a float initializer becomes stored weights", "[onnx][quantize]") {
  Model m;
  m.input("x", {1, 2})
      .output("y")
      .init("w", floats({2, 1}, {0.4f, -0.6f}))
      .init("s", floats({}, {0.1f}));
  m.init("z", ints({}, {0}, TensorProto::INT8))
      .init("lo", ints({}, {-5}, TensorProto::INT8))
      .init("hi", ints({}, {5}, TensorProto::INT8));
  m.node("QuantizeLinear", {"w", "s", "z"}, {"wq"});
  m.node("Clip", {"wq", "lo", "hi"}, {"wc"}); // QCDQ: a narrower range
  m.node("DequantizeLinear", {"wc", "s", "z"}, {"wd"});
  m.node("MatMul", {"x", "wd"}, {"y"});
  std::optional<Graph> graph = m.import();
  REQUIRE(graph);
  CHECK(countOps(*graph, OpKind::Quantize) == 0);
  const Value *stored = findOp(*graph, OpKind::Dense)->operand(1)->producer()->operand(0);
  CHECK(stored->type.shape == Shape{1, 2});
  CHECK(integersOf(Tensor(stored->type, stored->bytes())) == std::vector<int64_t>{4, -5});
}

TEST_CASE("QLinearConv is dequantize, conv, quantize", "[onnx][quantize]") {
  Model m;
  m.input("x", {1, 1, 1, 2}, TensorProto::UINT8).output("y", TensorProto::UINT8);
  m.init("xs", floats({}, {0.5f})).init("xz", ints({}, {128}, TensorProto::UINT8));
  m.init("w", ints({2, 1, 1, 1}, {2, 3}, TensorProto::INT8))
      .init("ws", floats({2}, {1, 2}))
      .init("wz", ints({2}, {0, 0}, TensorProto::INT8));
  m.init("ys", floats({}, {1}))
      .init("yz", ints({}, {10}, TensorProto::UINT8))
      .init("b", ints({2}, {2, 1}, TensorProto::INT32));
  m.node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}, {"y"});
  Tensor x = byteTensor(ElementType::U8, {1, 1, 1, 2}, {130, 126});
  x.type.quant = Quantization{{0.5f}, {128}, -1};
  // x = 1, -1; channel 0: 2 x + 2 * 0.5; channel 1: 6 x + 1 * 1
  CHECK(integersOf(m.run({x})[0]) == std::vector<int64_t>{13, 9, 17, 5});
}

TEST_CASE("QGemm and QLinearAdd of com.microsoft", "[onnx][quantize]") {
  Model m;
  auto *domain = m.proto.add_opset_import();
  domain->set_domain("com.microsoft");
  domain->set_version(1);
  m.input("x", {1, 2}, TensorProto::INT8).output("y", TensorProto::INT8);
  m.init("s", floats({}, {1})).init("z", ints({}, {0}, TensorProto::INT8));
  m.init("w", ints({2, 2}, {1, 2, 3, 4}, TensorProto::INT8))
      .init("c", ints({2}, {1, -1}, TensorProto::INT32));
  m.node("QGemm", {"x", "s", "z", "w", "s", "z", "c", "s", "z"}, {"g"})
      .domain("com.microsoft")
      .set("alpha", 1.0f)
      .set("transB", 1);
  m.node("QLinearAdd", {"g", "s", "z", "x", "s", "z", "s", "z"}, {"y"}).domain("com.microsoft");
  Tensor x = byteTensor(ElementType::I8, {1, 2}, {5, 6});
  x.type.quant = Quantization{{1}, {0}, -1};
  CHECK(integersOf(m.run({x})[0]) == std::vector<int64_t>{5 + 12 + 1 + 5, 15 + 24 - 1 + 6});
}

TEST_CASE("quantization errors", "[onnx][quantize]") {
  Model m;
  m.input("x", {2, 2}).output("y", 0);
  auto quantize = [&](TensorProto scale, TensorProto zero,
                      ErrorClass errorClass = ErrorClass::BadModel) {
    m.init("s", std::move(scale)).init("z", std::move(zero));
    m.node("QuantizeLinear", {"x", "s", "z"}, {"y"}).name("q");
    return m.errors(errorClass);
  };
  TensorProto zero = ints({}, {0}, TensorProto::INT8);
  SECTION("scale 0") {
    CHECK_THAT(quantize(floats({}, {0}), zero),
               Catch::Contains("node 0 'q': tensor 's': scale 0 is 0"));
  }
  SECTION("negative scale") {
    CHECK_THAT(quantize(floats({}, {-1}), zero),
               Catch::Contains("wanted a positive finite number"));
  }
  SECTION("NaN") {
    CHECK_THAT(quantize(floats({}, {NAN}), zero), Catch::Contains("scale 0 is nan"));
  }
  SECTION("wrong number of scales") {
    CHECK_THAT(quantize(floats({3}, {1, 1, 1}), ints({3}, {0, 0, 0}, TensorProto::INT8)),
               Catch::Contains("3 scales for dimension 1 of shape 2x2"));
  }
  SECTION("wrong number of zero points") {
    CHECK_THAT(quantize(floats({2}, {1, 1}), ints({3}, {0, 0, 0}, TensorProto::INT8)),
               Catch::Contains("3 zero points for 2 scales"));
  }
  SECTION("one zero point for several scales") {
    CHECK_THAT(quantize(floats({2}, {1, 1}), zero), Catch::Contains("1 zero points for 2 scales, wanted as many"));
  }
  SECTION("blocks") {
    CHECK_THAT(quantize(floats({1, 2}, {1, 1}), zero, ErrorClass::Unsupported),
               Catch::Contains("block quantization is not supported"));
  }
  SECTION("zero point of another type") {
    m.init("s", floats({}, {1}))
        .init("z", ints({}, {0}, TensorProto::UINT8))
        .init("w", ints({2}, {1, 2}, TensorProto::INT8));
    m.node("DequantizeLinear", {"w", "s", "z"}, {"d"});
    m.node("Add", {"x", "d"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("zero point is uint8 but the quantized tensor is int8"));
  }
  SECTION("run-time scale") {
    m.input("s", {}).node("QuantizeLinear", {"x", "s"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("tensor 's': scale must be constant"));
  }
  SECTION("arithmetic on stored values") {
    m.init("s", floats({}, {1})).node("QuantizeLinear", {"x", "s"}, {"q"});
    m.node("Add", {"q", "q"}, {"y"}).name("odd");
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("node 1 'odd': tensor 'q': Add of the stored values"));
  }
}
