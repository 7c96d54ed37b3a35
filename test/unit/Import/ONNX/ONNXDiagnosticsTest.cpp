// What is said about models that are broken or not supported: every problem once, all of them in
// one run.
#include "ONNXBuilder.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

static std::string field(const Diagnostic &d, llvm::StringRef key) {
  for (const auto &[name, value] : d.fields)
    if (name == key)
      return value;
  return {};
}

TEST_CASE("all unknown operators in one run", "[onnx][diagnostics]") { // BL-04
  Model m;
  auto *domain = m.proto.add_opset_import();
  domain->set_domain("com.microsoft");
  domain->set_version(1);
  m.input("x", {1, 4}).output("y");
  m.node("Alpha", {"x"}, {"a"}).name("first_alpha");
  m.node("Beta", {"a"}, {"b"}).name("beta");
  m.node("Alpha", {"b"}, {"c"}).name("second_alpha");
  m.node("FancyGelu", {"c"}, {"d"}).name("gelu").domain("com.microsoft");
  m.node("QLinearSoftmax", {"d"}, {"e"}).name("soft").domain("com.microsoft");
  m.node("Gamma", {"e"}, {"y"}).domain("my.domain");
  std::string text = m.errors(ErrorClass::Unsupported);
  REQUIRE(m.diag.errorCount() == 5);
  CHECK_THAT(
      text,
      Catch::Contains(
          "node 0 'first_alpha': operator 'Alpha' of domain 'ai.onnx' version 13 is not supported "
          "(2 nodes: first_alpha, second_alpha)"));
  const auto &all = m.diag.diagnostics();
  CHECK(field(all[0], "count") == "2");
  CHECK(field(all[0], "operator") == "Alpha");
  CHECK(field(all[0], "domain") == "ai.onnx");
  CHECK(field(all[0], "version") == "13");
  CHECK(field(all[2], "domain") == "com.microsoft");
  CHECK(field(all[2], "nodes") == "gelu");
  CHECK(all[2].location.nodeIndex == 3);
  CHECK(field(all[3], "operator") == "QLinearSoftmax");
  CHECK(field(all[4], "version") == "unknown");
  CHECK(all[4].location.node == "Gamma"); // no name of its own
}

TEST_CASE("an operator of a version that is not supported", "[onnx][diagnostics]") {
  Model m(9);
  m.input("x", {1, 4}).output("y").init("e", floats({}, {1}));
  m.node("QuantizeLinear", {"x", "e"}, {"y"});
  CHECK_THAT(
      m.errors(ErrorClass::Unsupported),
      Catch::Contains(
          "'QuantizeLinear' of domain 'ai.onnx' version 9 is not supported in this version"));
}

TEST_CASE("independent problems are all reported, their consequences are not",
          "[onnx][diagnostics]") {
  Model m;
  m.input("x", {1, 4}).output("y");
  m.node("Flatten", {"x"}, {"a"}).name("one").set("axis", 7);
  m.node("Neg", {"a"}, {"b"}).name("behind");
  m.node("LeakyRelu", {"x"}, {"c"}).name("two").set("alpha", "no");
  m.node("Unknown", {"b"}, {"d"});
  m.node("Sum", {"d", "c"}, {"y"});
  std::string text = m.errors(ErrorClass::BadModel);
  CHECK(m.diag.errorCount() == 3);
  CHECK_THAT(text, Catch::Contains("node 0 'one'") && Catch::Contains("node 2 'two'") &&
                       Catch::Contains("'Unknown'"));
}

TEST_CASE("model-level problems", "[onnx][diagnostics]") {
  SECTION("empty file") {
    DiagnosticEngine diag;
    CHECK(!importONNX(llvm::MemoryBufferRef("", "e.onnx"), {}, diag));
    CHECK(formatDiagnostic(diag.diagnostics().at(0)) ==
          "e.onnx: error: the file is empty, wanted an ONNX model");
    CHECK(diag.exitCode() == 2);
  }
  SECTION("no graph") {
    onnxpb::ModelProto proto;
    proto.set_ir_version(8);
    std::string bytes = proto.SerializeAsString();
    DiagnosticEngine diag;
    CHECK(!importONNX(llvm::MemoryBufferRef(bytes, "e.onnx"), {}, diag));
    CHECK_THAT(formatDiagnostic(diag.diagnostics().at(0)),
               Catch::Contains("the file holds no graph"));
  }
  Model m;
  m.input("x", {1, 4});
  SECTION("no operator set") {
    m.proto.clear_opset_import();
    m.output("y").node("Neg", {"x"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("imports no operator set of the default domain"));
  }
  SECTION("old operator set") {
    m.proto.mutable_opset_import(0)->set_version(6);
    m.output("y").node("Neg", {"x"}, {"y"});
    CHECK_THAT(
        m.errors(ErrorClass::Unsupported),
        Catch::Contains("operator set version (opset) 6 of domain 'ai.onnx' is too old, wanted 7"));
  }
  SECTION("new operator set") {
    m.proto.mutable_opset_import(0)->set_version(99);
    m.output("y").node("Neg", {"x"}, {"y"});
    CHECK(m.import());
    CHECK(m.diag.diagnostics().at(0).severity == Severity::Warning);
  }
  SECTION("no operators") {
    m.output("x");
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("the graph has no operators"));
  }
  SECTION("no outputs") {
    m.node("Neg", {"x"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("the graph has no outputs"));
  }
  SECTION("an output that nobody makes") {
    m.output("y").output("z").node("Neg", {"x"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("tensor 'z': graph output is not defined"));
  }
  SECTION("an output listed twice") {
    m.output("y").output("y").node("Neg", {"x"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("tensor 'y': graph output is listed twice"));
  }
  SECTION("an output that is an input") {
    m.output("y").output("x").node("Neg", {"x"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("graph output is graph input 'x' itself"));
  }
  SECTION("an output that is an input under another name") {
    m.output("y").node("Identity", {"x"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("tensor 'y': graph output is graph input 'x' itself"));
  }
  SECTION("a constant output") {
    m.output("y").node("Shape", {"x"}, {"y"});
    m.proto.mutable_graph()
        ->mutable_output(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->set_elem_type(TensorProto::INT64);
    CHECK_THAT(m.errors(ErrorClass::Unsupported), Catch::Contains("graph output is constant"));
  }
  SECTION("an output of another type than its node makes") {
    m.output("y", TensorProto::INT8).node("Neg", {"x"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("graph output is declared as int8, its node makes float32"));
  }
  SECTION("a sequence of maps as output") {
    m.output("y").output("probabilities", 0).node("Neg", {"x"}, {"y"});
    auto *map = m.graph->mutable_output(1)
                    ->mutable_type()
                    ->mutable_sequence_type()
                    ->mutable_elem_type()
                    ->mutable_map_type();
    map->set_key_type(TensorProto::INT64);
    map->mutable_value_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("tensor 'probabilities': graph output is a sequence of map from "
                               "int64 to float32 tensor, wanted a tensor"));
  }
  SECTION("a name that nobody defines") {
    m.output("y").node("Add", {"x", "ghost"}, {"y"}).name("sum");
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("node 0 'sum': tensor 'ghost': operand 1 is not defined"));
  }
  SECTION("a name that two nodes define") {
    m.output("y").node("Neg", {"x"}, {"y"});
    m.node("Abs", {"x"}, {"y"}).name("again");
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("node 1 'again': tensor 'y': result is defined twice"));
  }
}

TEST_CASE("two outputs may name one tensor", "[onnx][diagnostics]") {
  Model m;
  m.input("x", {1}).output("y").output("z");
  m.node("Neg", {"x"}, {"y"});
  m.node("Identity", {"y"}, {"z"});
  std::vector<Tensor> outputs = m.run({floatTensor({1}, {3})});
  CHECK(floatsOf(outputs[0]) == floatsOf(outputs[1]));
}

TEST_CASE("initializers that contradict themselves", "[onnx][diagnostics]") {
  Model m;
  m.input("x", {1, 4}).output("y").node("Add", {"x", "w"}, {"y"});
  SECTION("too few numbers") {
    m.init("w", floats({4}, {1, 2, 3}));
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("tensor 'w': contents of 3 elements, shape 4 needs 4"));
  }
  SECTION("too many bytes") {
    TensorProto w = floats({1}, {});
    w.set_raw_data("12345678");
    m.init("w", w);
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("contents of 8 bytes, shape 1 of float32 needs 4"));
  }
  SECTION("numbers that the type does not hold") {
    auto [type, value] = GENERATE(table<int, int64_t>({{TensorProto::INT8, 128},
                                                       {TensorProto::INT8, -129},
                                                       {TensorProto::UINT8, -1},
                                                       {TensorProto::UINT8, 256},
                                                       {TensorProto::INT16, 32768},
                                                       {TensorProto::UINT16, 65536}}));
    m.init("w", ints({1}, {value}, type));
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("tensor 'w': element 0 is " + std::to_string(value) + ", outside the range of "));
  }
  SECTION("negative dimension") {
    m.init("w", floats({-4}, {}));
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("tensor 'w': dimension -4"));
  }
  SECTION("overflowing product") {
    m.init("w", floats({int64_t(1) << 33, int64_t(1) << 33}, {}));
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("more elements than mfc can address"));
  }
  SECTION("no elements") {
    m.init("w", floats({0}, {}));
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("has shape 0, dimensions must be known and positive"));
  }
  SECTION("type without a form") {
    TensorProto w = floats({1}, {});
    w.set_data_type(TensorProto::STRING);
    m.init("w", w);
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("tensor 'w': string tensor as operand of Add"));
  }
  SECTION("float16") {
    TensorProto w;
    w.set_data_type(TensorProto::FLOAT16);
    w.add_int32_data(0x3c00);
    m.init("w", w);
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("float16 tensor as operand of Add"));
  }
  SECTION("defined twice") {
    m.init("w", floats({1}, {1})).init("w", floats({1}, {2}));
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("tensor 'w': initializer is defined twice"));
  }
}

TEST_CASE("types that only Cast reads", "[onnx][diagnostics]") {
  Model m;
  m.input("x", {2}).output("y");
  TensorProto w;
  w.add_dims(2);
  SECTION("float16 in the typed field") {
    w.set_data_type(TensorProto::FLOAT16);
    w.add_int32_data(0x3c00); // 1
    w.add_int32_data(0xc100); // -2.5
  }
  SECTION("float64 in raw bytes") {
    double numbers[] = {1, -2.5};
    w.set_data_type(TensorProto::DOUBLE);
    w.set_raw_data(numbers, sizeof numbers);
  }
  SECTION("bfloat16") {
    w.set_data_type(TensorProto::BFLOAT16);
    w.add_int32_data(0x3f80);
    w.add_int32_data(0xc020);
  }
  m.init("w", w);
  m.node("Cast", {"w"}, {"c"}).set("to", TensorProto::FLOAT);
  m.node("Add", {"x", "c"}, {"y"});
  CHECK(m.runFloats({floatTensor({2}, {0, 0})}) == std::vector<float>{1, -2.5f});
}

TEST_CASE("Conv and BatchNormalization say what does not fit", "[onnx][diagnostics]") {
  Model m;
  m.input("x", {1, 3, 4, 4}).output("y");
  SECTION("types") {
    m.input("u", {1, 1, 4, 4}, TensorProto::UINT8).init("w", floats({1, 1, 1, 1}, {1}));
    m.node("Conv", {"u", "w"}, {"y"}).name("in");
    CHECK_THAT(
        m.errors(ErrorClass::BadModel),
        Catch::Contains(
            "node 0 'in': Conv of uint8 input with float32 weights, wanted float32 for both"));
  }
  SECTION("channels") {
    m.init("w", floats({1, 2, 1, 1}, {1, 1})).node("Conv", {"x", "w"}, {"y"});
    CHECK_THAT(
        m.errors(ErrorClass::BadModel),
        Catch::Contains("weights have 2 input channels in each of 1 groups but the input has 3"));
  }
  SECTION("bias") {
    m.init("w", floats({1, 3, 1, 1}, {1, 1, 1}))
        .init("b", floats({2}, {1, 1}))
        .node("Conv", {"x", "w", "b"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("bias has shape 2, weights have 1 output channels"));
  }
  SECTION("group") {
    m.init("w", floats({3, 1, 1, 1}, {1, 1, 1})).node("Conv", {"x", "w"}, {"y"}).set("group", 2);
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("group is 2, wanted a divisor of the 3 input"));
  }
  SECTION("a kernel larger than the image") {
    m.init("w", floats({1, 3, 5, 5}, ramp(75))).node("Conv", {"x", "w"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("does not fit"));
  }
  SECTION("three spatial dimensions") {
    m.input("v", {1, 1, 2, 2, 2})
        .init("w", floats({1, 1, 1, 1, 1}, {1}))
        .node("Conv", {"v", "w"}, {"y"});
    CHECK_THAT(m.errors(ErrorClass::Unsupported),
               Catch::Contains("one or two spatial dimensions are supported"));
  }
  SECTION("batch norm sizes") {
    m.init("p", floats({2}, {1, 1})).init("q", floats({3}, {1, 1, 1}));
    m.node("BatchNormalization", {"x", "q", "q", "p", "q"}, {"y"}).name("bn");
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("node 0 'bn': parameters of BatchNormalization have shapes scale 3, "
                               "B 3, mean 2, var 3, the input has 3 channels"));
  }
  SECTION("Mod of floats") {
    m.node("Mod", {"x", "x"}, {"y"}).name("mod");
    CHECK_THAT(m.errors(ErrorClass::BadModel),
               Catch::Contains("node 0 'mod': tensor 'x': Mod of float32 with fmod 0"));
  }
  SECTION("hostile strides") {
    m.init("w", floats({1, 3, 1, 1}, {1, 1, 1}))
        .node("Conv", {"x", "w"}, {"y"})
        .set("strides", {0, 1});
    CHECK_THAT(m.errors(ErrorClass::BadModel), Catch::Contains("attribute 'strides' holds 0"));
  }
}

TEST_CASE("weights behind nodes", "[onnx][diagnostics]") { // BL-06
  Model m;
  m.input("x", {1, 1, 2, 2}).output("y");
  SECTION("Transpose of an initializer") {
    m.init("w", floats({2, 2, 1, 1}, {1, 2, 3, 4}));
    m.node("Transpose", {"w"}, {"t"}).set("perm", {2, 3, 0, 1});
    m.node("Conv", {"x", "t"}, {"y"});
    CHECK(m.runFloats({floatTensor({1, 1, 2, 2}, {1, 1, 1, 1})}) == std::vector<float>{10});
  }
  SECTION("Reshape and Cast") {
    m.init("w", ints({4}, {1, 2, 3, 4}, TensorProto::INT32)).init("s", ints({4}, {1, 1, 2, 2}));
    m.node("Reshape", {"w", "s"}, {"r"});
    m.node("Cast", {"r"}, {"t"}).set("to", TensorProto::FLOAT);
    m.node("Conv", {"x", "t"}, {"y"});
    CHECK(m.runFloats({floatTensor({1, 1, 2, 2}, {1, 1, 1, 1})}) == std::vector<float>{10});
  }
  SECTION("a graph input") {
    m.input("w", {1, 1, 2, 2}).node("Conv", {"x", "w"}, {"y"}).name("conv");
    CHECK_THAT(
        m.errors(ErrorClass::Unsupported),
        Catch::Contains(
            "node 0 'conv': tensor 'w': weights must be constant, but 'w' is a graph input"));
  }
}

TEST_CASE("folded nodes are remarked", "[onnx][diagnostics]") { // BL-06
  Model m;
  m.input("x", {1, 1, 2, 2}).output("y");
  m.init("w", floats({2, 2, 1, 1}, {1, 2, 3, 4}));
  m.node("Transpose", {"w"}, {"t"}).set("perm", {2, 3, 0, 1}).name("turn");
  m.node("Conv", {"x", "t"}, {"y"});
  RemarkList remarks;
  ImportOptions options;
  options.remarks = &remarks;
  REQUIRE(m.import(options));
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].subject == "turn");
  CHECK(remarks[0].message == "Transpose is folded into a constant of 1x1x2x2 (16 B)");
}

TEST_CASE("names of any bytes", "[onnx][diagnostics]") {
  Model m;
  std::string evil("memcpy\xff\"\n/\0x", 12);
  m.input(evil, {1}).output("model").node("Neg", {evil}, {"constant_0"}).name(evil);
  m.node("Neg", {"constant_0"}, {"model"});
  std::optional<Graph> graph = m.import();
  REQUIRE(graph);
  CHECK(graph->inputs()[0]->name == evil);
}
