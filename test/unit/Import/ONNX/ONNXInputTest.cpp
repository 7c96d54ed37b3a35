// Graph inputs: batches, symbolic dimensions, --input-shape, initializers among the inputs.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

static Shape inputShape(Model &m, ImportOptions options = {}) {
  std::optional<Graph> graph = m.import(std::move(options));
  REQUIRE(graph);
  return graph->inputs()[0]->type.shape;
}

TEST_CASE("a dynamic batch is 1", "[onnx][input]") {
  Model m;
  m.output("y").node("Neg", {"x"}, {"y"});
  SECTION("symbolic") { m.input("x", {"N", 4}); }
  SECTION("zero") { m.input("x", {0, 4}); }
  SECTION("minus one") { m.input("x", {-1, 4}); }
  SECTION("absent") {
    m.input("x", {0, 4});
    m.graph->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->Clear();
  }
  CHECK(inputShape(m) == Shape{1, 4});
}

TEST_CASE("--input-shape", "[onnx][input]") {
  Model m;
  m.input("x", {"N", 3, "time"}).output("y").node("Neg", {"x"}, {"y"});
  SECTION("is asked for") {
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("tensor 'x': dimension 2 of the graph input is symbolic ('time'), "
                               "wanted a fixed size; say "
                               "--input-shape x=1x3x<2>"));
  }
  SECTION("is taken") { CHECK(inputShape(m, {{{"x", {2, 3, 10}}}}) == Shape{2, 3, 10}); }
  SECTION("wins over a static batch") {
    Model n;
    n.input("x", {789444, 10}).output("y").node("Neg", {"x"}, {"y"});
    CHECK(inputShape(n, {{{"x", {1, 10}}}}) == Shape{1, 10});
  }
  SECTION("of another rank") {
    CHECK_THAT(m.errors(ErrorClass::Usage, {{{"x", {1, 3}}}}),
               Catch::Contains("--input-shape gives 1x3, the model's input has 3 dimensions"));
  }
  SECTION("of a name that is no input") {
    CHECK_THAT(m.errors(ErrorClass::Usage, {{{"x", {1, 3, 10}}, {"z", {1}}}}),
               Catch::Contains("--input-shape names 'z', the model's inputs are 'x'"));
  }
  SECTION("with a zero") {
    CHECK_THAT(m.errors(ErrorClass::Usage, {{{"x", {1, 3, 0}}}}),
               Catch::Contains("wanted positive dimensions"));
  }
}

TEST_CASE("initializers among the inputs are constants", "[onnx][input]") {
  Model m(8);
  m.proto.set_ir_version(3);
  m.input("x", {1, 2}).input("w", {2, 1}).output("y").init("w", floats({2, 1}, {1, 2}));
  m.node("MatMul", {"x", "w"}, {"y"});
  std::optional<Graph> graph = m.import();
  REQUIRE(graph);
  CHECK(graph->inputs().size() == 1);
}

TEST_CASE("inputs that cannot be", "[onnx][input]") {
  Model m;
  m.output("y").node("Neg", {"x"}, {"y"});
  SECTION("type") {
    m.input("x", {1}, TensorProto::DOUBLE);
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("tensor 'x': graph input is a float64 tensor"));
  }
  SECTION("negative dimension") {
    m.input("x", {1, -5});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("dimension 1 of the graph input is -5"));
  }
  SECTION("overflowing product") {
    m.input("x", {1 << 30, 1 << 30});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("more elements than mfc can address"));
  }
  SECTION("no shape") {
    m.input("x", {});
    m.graph->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    CHECK_THAT(
        m.errors(ErrorClass::Unsupported),
        Catch::Contains("the shape of the graph input is not known; say --input-shape x=1x..."));
  }
  SECTION("twice") {
    m.input("x", {1}).input("x", {1});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("tensor 'x': graph input is defined twice"));
  }
}
