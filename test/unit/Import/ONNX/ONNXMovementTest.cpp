// Transpose, Concat, Slice, Split, Pad, Gather and what is built from gathers.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("Slice as attributes and as operands is the same cut", "[onnx][movement]") { // BL-02
  auto cut = [](int64_t opset) {
    Model m(opset);
    m.input("x", {1, 4, 5}).output("y");
    if (opset < 10) {
      m.node("Slice", {"x"}, {"y"})
          .set("starts", {1, -4})
          .set("ends", {-1, 1000})
          .set("axes", {1, 2});
    } else {
      m.init("s", ints({2}, {1, -4}))
          .init("e", ints({2}, {-1, 1000}))
          .init("a", ints({2}, {1, -1}));
      m.node("Slice", {"x", "s", "e", "a"}, {"y"});
    }
    return m.runFloats({floatTensor({1, 4, 5}, ramp(20))});
  };
  CHECK(cut(9) == std::vector<float>{6, 7, 8, 9, 11, 12, 13, 14});
  CHECK(cut(13) == cut(9));
}

TEST_CASE("Slice with steps", "[onnx][movement]") {
  auto cut = [](int64_t start, int64_t end, int64_t step) {
    Model m;
    m.input("x", {6}).output("y");
    m.init("s", ints({1}, {start}))
        .init("e", ints({1}, {end}))
        .init("a", ints({1}, {0}))
        .init("t", ints({1}, {step}));
    m.node("Slice", {"x", "s", "e", "a", "t"}, {"y"});
    return m.runFloats({floatTensor({6}, ramp(6))});
  };
  CHECK(cut(0, 6, 2) == std::vector<float>{0, 2, 4});
  CHECK(cut(1, 6, 4) == std::vector<float>{1, 5});
  CHECK(cut(5, INT64_MIN, -1) == std::vector<float>{5, 4, 3, 2, 1, 0});
  CHECK(cut(-1, 0, -2) == std::vector<float>{5, 3, 1});
  CHECK(cut(INT64_MAX, INT64_MIN, INT64_MIN) == std::vector<float>{5});
}

TEST_CASE("Split forms", "[onnx][movement]") {
  int64_t opset = GENERATE(11, 13, 18);
  Model m(opset);
  m.input("x", {1, 5}).output("a").output("b").init("sizes", ints({2}, {3, 2}));
  NodeRef node = m.node("Split", {"x"}, {"p", "q"}).set("axis", 1);
  if (opset == 11)
    node.set("split", {3, 2});
  else if (opset == 13)
    node.node->add_input("sizes");
  else
    node.set("num_outputs", 2); // uneven: the last part is smaller
  m.node("Neg", {"p"}, {"a"});
  m.node("Neg", {"q"}, {"b"});
  std::vector<Tensor> y = m.run({floatTensor({1, 5}, ramp(5))});
  CHECK(floatsOf(y[0]) == std::vector<float>{0, -1, -2});
  CHECK(floatsOf(y[1]) == std::vector<float>{-3, -4});
}

TEST_CASE("Transpose, Concat and Gather", "[onnx][movement]") {
  Model m;
  m.input("x", {2, 3}).output("y");
  Tensor x = floatTensor({2, 3}, ramp(6));
  SECTION("Transpose reverses by default") {
    m.node("Transpose", {"x"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{0, 3, 1, 4, 2, 5});
  }
  SECTION("Concat") {
    m.init("c", floats({2, 1}, {8, 9})).node("Concat", {"x", "c"}, {"y"}).set("axis", -1);
    CHECK(m.runFloats({x}) == std::vector<float>{0, 1, 2, 8, 3, 4, 5, 9});
  }
  SECTION("Gather with negative indices") {
    m.init("i", ints({2}, {-1, 0}, TensorProto::INT32))
        .node("Gather", {"x", "i"}, {"y"})
        .set("axis", 1);
    CHECK(m.runFloats({x}) == std::vector<float>{2, 0, 5, 3});
  }
  SECTION("Gather with a scalar drops the dimension") {
    m.init("i", ints({}, {1})).node("Gather", {"x", "i"}, {"y"});
    CHECK(m.run({x})[0].type.shape == Shape{3});
  }
  SECTION("Tile") {
    m.init("r", ints({2}, {1, 2})).node("Tile", {"x", "r"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  }
  SECTION("Gather out of range") {
    m.init("i", ints({1}, {2})).node("Gather", {"x", "i"}, {"y"}).name("g");
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("node 0 'g': tensor 'i': index 2 is outside dimension 0 of size 2"));
  }
  SECTION("Transpose with a bad permutation") {
    m.node("Transpose", {"x"}, {"y"}).set("perm", {0, 0});
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("permutation names dimension 0"));
  }
  SECTION("Concat of two types") {
    m.init("c", ints({2, 1}, {8, 9})).node("Concat", {"x", "c"}, {"y"}).set("axis", 1);
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("Concat of float32 and int64"));
  }
}

TEST_CASE("Pad modes", "[onnx][movement]") {
  auto pad = [](const char *mode, std::vector<int64_t> pads) {
    Model m;
    m.input("x", {4}).output("y").init("p", ints({2}, std::move(pads))).init("v", floats({}, {9}));
    m.node("Pad", {"x", "p", "v"}, {"y"}).set("mode", mode);
    return m.runFloats({floatTensor({4}, ramp(4))});
  };
  CHECK(pad("constant", {1, 2}) == std::vector<float>{9, 0, 1, 2, 3, 9, 9});
  CHECK(pad("constant", {-1, 1}) == std::vector<float>{1, 2, 3, 9});
  CHECK(pad("edge", {2, 1}) == std::vector<float>{0, 0, 0, 1, 2, 3, 3});
  CHECK(pad("reflect", {2, 1}) == std::vector<float>{2, 1, 0, 1, 2, 3, 2});
  CHECK(pad("wrap", {1, 2}) == std::vector<float>{3, 0, 1, 2, 3, 0, 1});
}

TEST_CASE("Pad forms", "[onnx][movement]") {
  SECTION("attributes, opset 10") {
    Model m(10);
    m.input("x", {1, 2}).output("y");
    m.node("Pad", {"x"}, {"y"}).set("pads", {0, 1, 0, 0}).set("value", 3.0f);
    CHECK(m.runFloats({floatTensor({1, 2}, {1, 2})}) == std::vector<float>{3, 1, 2});
  }
  SECTION("axes, opset 18") {
    Model m(18);
    m.input("x", {1, 2}).output("y").init("p", ints({2}, {1, 0})).init("a", ints({1}, {-1}));
    m.node("Pad", {"x", "p", "", "a"}, {"y"});
    CHECK(m.runFloats({floatTensor({1, 2}, {1, 2})}) == std::vector<float>{0, 1, 2});
  }
}

TEST_CASE("DepthToSpace and SpaceToDepth", "[onnx][movement]") {
  Model m;
  m.input("x", {1, 4, 1, 2}).output("y");
  Tensor x = floatTensor({1, 4, 1, 2}, ramp(8));
  SECTION("DCR") {
    m.node("DepthToSpace", {"x"}, {"y"}).set("blocksize", 2);
    CHECK(m.runFloats({x}) == std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7});
  }
  SECTION("there and back") {
    m.node("DepthToSpace", {"x"}, {"d"}).set("blocksize", 2).set("mode", "DCR");
    m.node("SpaceToDepth", {"d"}, {"y"}).set("blocksize", 2);
    CHECK(m.runFloats({x}) == ramp(8));
  }
}

TEST_CASE("Resize and Upsample pick the nearest element", "[onnx][movement]") {
  Tensor x = floatTensor({1, 1, 3}, {1, 2, 3});
  auto resize = [&](std::vector<float> scales, const char *coordinates, const char *nearest) {
    Model m;
    m.input("x", {1, 1, 3}).output("y").init("s", floats({3}, std::move(scales)));
    m.node("Resize", {"x", "", "s"}, {"y"})
        .set("coordinate_transformation_mode", coordinates)
        .set("nearest_mode", nearest);
    return m.runFloats({x});
  };
  CHECK(resize({1, 1, 2}, "asymmetric", "floor") == std::vector<float>{1, 1, 2, 2, 3, 3});
  CHECK(resize({1, 1, 2}, "half_pixel", "round_prefer_floor") ==
        std::vector<float>{1, 1, 2, 2, 3, 3});
  CHECK(resize({1, 1, 2}, "asymmetric", "ceil") == std::vector<float>{1, 2, 2, 3, 3, 3});
  CHECK(resize({1, 1, 2}, "asymmetric", "round_prefer_ceil") ==
        std::vector<float>{1, 2, 2, 3, 3, 3});
  CHECK(resize({1, 1, 2}, "align_corners", "round_prefer_floor") ==
        std::vector<float>{1, 1, 2, 2, 3, 3});
  CHECK(resize({1, 1, 0.34f}, "half_pixel", "round_prefer_floor") == std::vector<float>{2});
  SECTION("sizes") {
    Model m;
    m.input("x", {1, 1, 3})
        .output("y")
        .init("none", floats({0}, {}))
        .init("z", ints({3}, {1, 1, 6}));
    m.node("Resize", {"x", "none", "none", "z"}, {"y"});
    CHECK(m.runFloats({x}) == std::vector<float>{1, 1, 2, 2, 3, 3});
  }
  SECTION("Upsample") {
    Model m(8);
    m.input("x", {1, 1, 3}).output("y");
    m.node("Upsample", {"x"}, {"y"}).setFloats("scales", {1, 1, 2});
    CHECK(m.runFloats({x}) == std::vector<float>{1, 1, 2, 2, 3, 3});
  }
  SECTION("linear") {
    Model m;
    m.input("x", {1, 1, 3}).output("y").init("s", floats({3}, {1, 1, 2}));
    m.node("Resize", {"x", "", "s"}, {"y"}).set("mode", "linear");
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("Resize with mode 'linear', wanted nearest"));
  }
}
