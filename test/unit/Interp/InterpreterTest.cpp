// Running graphs: order of outputs, observer, inputs that do not fit.
#include "../Ops/GraphText.h"

using namespace mfc;
using namespace mfc::test;
using Catch::Matchers::Contains;

static const char *const kTwoOutputs = R"(%x = input "x" : f32[2]
  %y = input "y" : f32[2]
  %c = constant "c" : f32[2] = [10, 20]
  %0 = add %x, %y : f32[2]
  %1 = mul %0, %0 : f32[2]
  %2 = sub %1, %c : f32[2]
  output %2 "second first"
  output %0 "then the first")";

TEST_CASE("outputs come in graph order, also when they are used further on") {
  Graph graph = parsed(kTwoOutputs);
  TensorType type{ElementType::F32, {2}, std::nullopt};
  std::vector<Tensor> outputs = interpreted(graph, {tensorFor(type, F{1, 2}), tensorFor(type, F{3, 4})});
  REQUIRE(outputs.size() == 2);
  CHECK(valuesOf<float>(outputs[0]) == F{6, 16});
  CHECK(valuesOf<float>(outputs[1]) == F{4, 6});
}

TEST_CASE("the observer sees every operation in order") {
  Graph graph = parsed(kTwoOutputs);
  TensorType type{ElementType::F32, {2}, std::nullopt};
  std::vector<std::pair<OpKind, F>> seen;
  InterpOptions options;
  options.observer = [&](const Operation &op, const Tensor &tensor) {
    seen.emplace_back(op.kind(), valuesOf<float>(tensor));
  };
  llvm::Expected<std::vector<Tensor>> outputs =
      interpret(graph, {tensorFor(type, F{1, 2}), tensorFor(type, F{3, 4})}, options);
  REQUIRE(bool(outputs));
  CHECK(seen == std::vector<std::pair<OpKind, F>>{
                    {OpKind::Add, {4, 6}}, {OpKind::Mul, {16, 36}}, {OpKind::Sub, {6, 16}}});
}

TEST_CASE("inputs that do not fit are refused") {
  Graph graph = parsed(kTwoOutputs);
  TensorType good{ElementType::F32, {2}, std::nullopt}, longer{ElementType::F32, {3}, std::nullopt},
      other{ElementType::I32, {2}, std::nullopt};
  auto problem = [&](std::vector<Tensor> inputs) {
    llvm::Expected<std::vector<Tensor>> outputs = interpret(graph, inputs);
    return outputs ? std::string() : llvm::toString(outputs.takeError());
  };
  CHECK(problem({Tensor(good), Tensor(good)}) == "");
  CHECK_THAT(problem({Tensor(good)}), Contains("1 inputs given, wanted 2"));
  CHECK_THAT(problem({Tensor(good), Tensor(longer)}), Contains("input 1 is f32 3 in 12 bytes, wanted f32 2"));
  CHECK_THAT(problem({Tensor(other), Tensor(good)}), Contains("input 0 is i32 2"));
  CHECK_THAT(problem({Tensor(good, llvm::ArrayRef<uint8_t>()), Tensor(good)}), Contains("in 0 bytes"));
}

TEST_CASE("results too large for any memory are refused") {
  Graph graph = parsed(R"(%x = input "x" : i8[1]
    %0 = pad %x {before = [0], after = [4000000000], value = 0} : i8[4000000001]
    output %0)");
  llvm::Expected<std::vector<Tensor>> outputs = interpret(graph, {Tensor(graph.inputs()[0]->type)});
  REQUIRE_FALSE(bool(outputs));
  CHECK_THAT(llvm::toString(outputs.takeError()), Contains("result of pad has 4000000001 bytes"));
}

TEST_CASE("an operand used twice by one operation, and a result nobody reads") {
  std::string body = R"(%x = input "x" : f32[1]
    %0 = neg %x : f32[1]
    %1 = mul %x, %x : f32[1]
    %2 = add %1, %1 : f32[1]
    output %2)";
  CHECK(run<float>(body, F{3}) == F{18});
}
