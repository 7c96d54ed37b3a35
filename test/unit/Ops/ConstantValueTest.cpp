// Folding on demand, and shape inference before an operation exists.
#include "GraphText.h"

using namespace mfc;
using namespace mfc::test;

TEST_CASE("a value that depends on constants only has a value") {
  Graph graph = parsed(R"(%x = input "x" : f32[4]
    %a = constant : i64[3] = [1, 2, 3]
    %i = constant : i64[1] = [-1]
    %0 = gather %a, %i {axis = 0} : i64[1]
    %1 = mul %0, %0 : i64[1]
    %2 = concat %1, %a {axis = 0} : i64[4]
    %3 = neg %x : f32[4]
    output %2
    output %3)");
  std::vector<Operation *> ops = graph.ops();
  std::optional<Tensor> value = constantValue(*ops[2]->result());
  REQUIRE(value.has_value());
  CHECK(valuesOf<int64_t>(*value) == I64{9, 1, 2, 3});
  CHECK(constantValue(*ops[3]->result()) == std::nullopt);
  CHECK(constantValue(*graph.inputs()[0]) == std::nullopt);
}

TEST_CASE("operations that do not verify have no value") {
  Graph graph = parsed(R"(%a = constant : i64[3] = [1, 2, 3]
    %i = constant : i64[1] = [3]
    %0 = gather %a, %i {axis = 0} : i64[1]
    output %0)");
  CHECK(constantValue(*graph.ops()[0]->result()) == std::nullopt);
}

TEST_CASE("folding is bounded and not recursive") {
  Graph graph;
  Value *value = graph.addConstant({ElementType::I64, {1}, std::nullopt}, std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 0, 0}, "one");
  Value *one = value;
  for (int i = 0; i < 20000; ++i)
    value = graph.add(OpKind::Add, {value, one}, RoundingAttrs{}, one->type, {});
  std::optional<Tensor> sum = constantValue(*value);
  REQUIRE(sum.has_value());
  CHECK(sum->get<int64_t>(0) == 20001);
  // doubling a tensor again and again meets the limit instead of the machine's memory
  for (int64_t size = 1; size < (int64_t(1) << 36); size *= 2)
    value = graph.add(OpKind::Concat, {value, value}, AxisAttrs{0}, {ElementType::I64, {2 * size}, std::nullopt}, {});
  CHECK(constantValue(*value) == std::nullopt);
}

TEST_CASE("inferShape works on types alone") {
  TensorType x{ElementType::F32, {1, 49, 10, 1}, std::nullopt}, w{ElementType::F32, {64, 10, 4, 1}, std::nullopt};
  ConvAttrs attrs;
  attrs.stride = {2, 2};
  attrs.pad = {4, 1, 5, 1};
  llvm::Expected<Shape> shape = inferShape(OpKind::Conv2D, {x, w}, attrs);
  REQUIRE(bool(shape));
  CHECK(*shape == Shape{1, 25, 5, 64});
  w.shape[3] = 2;
  shape = inferShape(OpKind::Conv2D, {x, w}, attrs);
  REQUIRE_FALSE(bool(shape));
  CHECK(llvm::toString(shape.takeError()) == "weights read 2 channels in each of 1 groups but the input has 1");
  shape = inferShape(OpKind::Conv2D, {x}, attrs);
  REQUIRE_FALSE(bool(shape));
  CHECK(llvm::toString(shape.takeError()) == "conv2d has 1 operands, wanted 2 to 3");
}
