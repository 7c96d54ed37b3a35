// Indices, order, inputs and outputs of TFLite files.
#include "TFLiteBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("tflite: the sound models import") {
  TFLiteBuilder conv = convModel();
  Graph graph = expectGraph(conv);
  REQUIRE(graph.inputs().size() == 1);
  CHECK(typeText(graph.inputs()[0]->type) == "i8[1,4,4,2] q(0.5, -3)");
  REQUIRE(graph.outputs().size() == 1);
  CHECK(graph.outputs()[0].name == "out");
  CHECK(typeText(graph.outputs()[0].value->type) == "i8[1,4,4,3] q(2, -10)");
  TFLiteBuilder add = addModel();
  CHECK(expectGraph(add).opCount() == 1);
}

TEST_CASE("tflite: operator operands out of range") {
  for (int index : {-2, 4, 1000000, INT32_MIN, INT32_MAX}) {
    TFLiteBuilder b = convModel();
    b.op(0).inputs[1] = index;
    // -1 stands in for it, and that operand is required.
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
    CHECK(formatDiagnostic(diag.diagnostics()[0]) == "test.tflite: error: node 0 'CONV_2D': input 1 is tensor " +
                                                         std::to_string(index) + ", but the model has tensors 0 to 3");
  }
}

TEST_CASE("tflite: required operands left out") {
  TFLiteBuilder b = convModel();
  b.op(0).inputs[1] = -1;
  expectError(b, ErrorClass::BadModel, "node 0 'CONV_2D': input 1 is left out");
  b = convModel();
  b.op(0).inputs[2] = -1;
  CHECK(expectGraph(b).ops()[0]->operands().size() == 2); // the bias is optional
  b = convModel();
  b.op(0).inputs = {0};
  expectError(b, ErrorClass::BadModel, "operator has 1 inputs; wanted 2 or more");
  b = convModel();
  b.op(0).inputs = {};
  expectError(b, ErrorClass::BadModel, "operator has 0 inputs");
}

TEST_CASE("tflite: operator results out of range") {
  for (int index : {-1, 4, INT32_MAX}) {
    TFLiteBuilder b = convModel();
    b.op(0).outputs[0] = index;
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
    CHECK(diag.diagnostics()[0].message.find("output 0 is tensor " + std::to_string(index)) == 0);
  }
}

TEST_CASE("tflite: operator codes out of range") {
  TFLiteBuilder b = convModel();
  b.op(0).opcode_index = 1;
  expectError(b, ErrorClass::BadModel, "operator code is number 1 of 1");
}

TEST_CASE("tflite: model inputs and outputs") {
  SECTION("input out of range") {
    TFLiteBuilder b = addModel();
    b.setInputs({0, 1, 3});
    expectError(b, ErrorClass::BadModel, "model input 2 is tensor 3, but the model has tensors 0 to 2");
  }
  SECTION("input -1") {
    TFLiteBuilder b = addModel();
    b.setInputs({0, 1, -1});
    expectError(b, ErrorClass::BadModel, "model input 2 is tensor -1");
  }
  SECTION("input twice") {
    TFLiteBuilder b = addModel();
    b.setInputs({0, 1, 0});
    expectError(b, ErrorClass::BadModel, "tensor 'a': is listed twice as a model input");
  }
  SECTION("constant input") {
    TFLiteBuilder b = addModel();
    b.setContents(1, std::vector<float>(6));
    expectError(b, ErrorClass::BadModel, "tensor 'b': is a model input, but has constant contents");
  }
  SECTION("no outputs") {
    TFLiteBuilder b = addModel();
    b.setOutputs({});
    expectError(b, ErrorClass::BadModel, "model has no outputs");
  }
  SECTION("output out of range") {
    TFLiteBuilder b = addModel();
    b.setOutputs({2, -1});
    expectError(b, ErrorClass::BadModel, "model output 1 is tensor -1");
  }
  SECTION("output twice") {
    TFLiteBuilder b = addModel();
    b.setOutputs({2, 2});
    expectError(b, ErrorClass::BadModel, "tensor 'c': is listed twice as a model output");
  }
  SECTION("output is an input") {
    TFLiteBuilder b = addModel();
    b.setOutputs({2, 0});
    expectError(b, ErrorClass::BadModel, "tensor 'a': is both a model input and a model output");
  }
  SECTION("output is a constant") {
    TFLiteBuilder b = addModel();
    b.addInts("k", {1});
    b.setOutputs({2, 3});
    expectError(b, ErrorClass::BadModel, "tensor 'k': is a model output, but a constant");
  }
  SECTION("output that nobody writes") {
    TFLiteBuilder b = addModel();
    b.add("d", {1});
    b.setOutputs({2, 3});
    expectError(b, ErrorClass::BadModel, "tensor 'd': is a model output, but no operator writes it");
  }
}

TEST_CASE("tflite: data flow") {
  SECTION("no operators") {
    TFLiteBuilder b = addModel();
    b.graph().operators.clear();
    expectError(b, ErrorClass::BadModel, "model has no operators");
  }
  SECTION("cycle") {
    TFLiteBuilder b = addModel();
    b.add("d", {1, 2, 3});
    b.addOp(fb::Builtin::Add, {2, 0}, {3});
    b.op(0).inputs = {0, 3};
    b.setInputs({0});
    expectError(b, ErrorClass::BadModel, "node 0 'ADD': tensor 'd': is read before node 1 'ADD' writes it");
  }
  SECTION("self loop") {
    TFLiteBuilder b = addModel();
    b.op(0).inputs = {0, 2};
    expectError(b, ErrorClass::BadModel, "tensor 'c': is read before node 0 'ADD' writes it");
  }
  SECTION("two writers") {
    TFLiteBuilder b = addModel();
    b.addOp(fb::Builtin::Mul, {0, 1}, {2});
    expectError(b, ErrorClass::BadModel, "node 1 'MUL': tensor 'c': is written a second time; node 0 'ADD' wrote it");
  }
  SECTION("writes an input") {
    TFLiteBuilder b = addModel();
    b.addOp(fb::Builtin::Mul, {0, 2}, {1});
    expectError(b, ErrorClass::BadModel, "node 1 'MUL': tensor 'b': is written, but is a model input");
  }
  SECTION("reads what nobody writes") {
    TFLiteBuilder b = addModel();
    b.setInputs({0});
    expectError(b, ErrorClass::BadModel, "tensor 'b': is read, but no operator writes it");
  }
}

TEST_CASE("tflite: model head") {
  SECTION("version") {
    TFLiteBuilder b = addModel();
    b.model.version = 2;
    expectError(b, ErrorClass::Unsupported, "TFLite schema version is 2; wanted 3");
  }
  SECTION("no subgraph") {
    TFLiteBuilder b = addModel();
    b.model.subgraphs.clear();
    expectError(b, ErrorClass::BadModel, "model has no subgraph");
  }
  SECTION("a second subgraph that nothing calls does not matter") {
    TFLiteBuilder b = addModel();
    b.model.subgraphs.push_back(std::make_unique<fb::SubGraphT>());
    CHECK(expectGraph(b).opCount() == 1);
  }
}

TEST_CASE("tflite: unknown operators are listed once each, all in one run") {
  TFLiteBuilder b = addModel();
  int from = 2;
  for (int code : {117 /*HARD_SWISH*/, 119 /*WHILE*/, 117, 117, 4711}) {
    int to = b.add("t" + std::to_string(from), {1, 2, 3});
    b.addOp(code, {from}, {to});
    from = to;
  }
  b.addOp(fb::Builtin::Custom, {from}, {b.add("last", {1, 2, 3})});
  b.model.operator_codes.back()->custom_code = "Frobnicate";
  b.model.operator_codes.back()->version = 7;
  b.setOutputs({b.op(6).outputs[0]});
  DiagnosticEngine diag;
  CHECK(!b.import(diag));
  CHECK(diag.exitCode() == 3);
  std::vector<std::string> messages;
  for (const Diagnostic &d : diag.diagnostics())
    messages.push_back(d.message);
  REQUIRE(messages.size() == 4);
  CHECK(messages[0] == "operator CUSTOM 'Frobnicate' version 7 is not supported (used 1 time)");
  CHECK(messages[1] == "operator HARD_SWISH version 1 is not supported (used 3 times)");
  CHECK(messages[2] == "operator WHILE version 1 is not supported (used 1 time)");
  CHECK(messages[3] == "operator 4711 version 1 is not supported (used 1 time)");
  auto field = llvm::find_if(diag.diagnostics()[1].fields, [](const auto &f) { return f.first == "nodes"; });
  REQUIRE(field != diag.diagnostics()[1].fields.end());
  CHECK(field->second == "1,3,4");
}

TEST_CASE("tflite: several problems of one file are reported in one run") {
  TFLiteBuilder b = convModel();
  b.tensor(1).quantization->scale[1] = -1;          // a tensor
  b.addOp(117, {3}, {b.add("swish", {1, 4, 4, 3})}); // an operator
  b.setOutputs({4, 4});                              // the output list
  DiagnosticEngine diag;
  CHECK(!b.import(diag));
  CHECK(diag.errorCount() == 3);
  CHECK(diag.exitCode() == 2);
}
