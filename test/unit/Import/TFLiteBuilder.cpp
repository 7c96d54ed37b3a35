#include "TFLiteBuilder.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TFLiteBuilder::TFLiteBuilder() {
  model.version = 3;
  model.buffers.push_back(std::make_unique<fb::BufferT>());
  model.subgraphs.push_back(std::make_unique<fb::SubGraphT>());
}

int TFLiteBuilder::add(const std::string &name, std::vector<int> shape, fb::TensorType type) {
  auto tensor = std::make_unique<fb::TensorT>();
  tensor->name = name;
  tensor->shape = std::move(shape);
  tensor->type = type;
  graph().tensors.push_back(std::move(tensor));
  return static_cast<int>(graph().tensors.size()) - 1;
}

int TFLiteBuilder::addInt8(const std::string &name, std::vector<int> shape, float scale, int zeroPoint) {
  int index = add(name, std::move(shape), fb::TensorType::Int8);
  quantize(index, {scale}, {zeroPoint});
  return index;
}

void TFLiteBuilder::quantize(int index, std::vector<float> scales, std::vector<int64_t> zeroPoints, int axis) {
  auto quantization = std::make_unique<fb::QuantizationParametersT>();
  quantization->scale = std::move(scales);
  quantization->zero_point = std::move(zeroPoints);
  quantization->quantized_dimension = axis;
  tensor(index).quantization = std::move(quantization);
}

fb::OperatorT &TFLiteBuilder::addOp(int code, std::vector<int> inputs, std::vector<int> outputs) {
  auto opcode = std::make_unique<fb::OperatorCodeT>();
  opcode->code = code;
  opcode->deprecated_code = static_cast<int8_t>(std::min(code, 127));
  auto op = std::make_unique<fb::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(model.operator_codes.size());
  op->inputs = std::move(inputs);
  op->outputs = std::move(outputs);
  model.operator_codes.push_back(std::move(opcode));
  graph().operators.push_back(std::move(op));
  return *graph().operators.back();
}

std::vector<uint8_t> TFLiteBuilder::bytes() {
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishModelBuffer(builder, fb::Model::Pack(builder, &model));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::optional<Graph> test::importBytes(const std::vector<uint8_t> &bytes, DiagnosticEngine &diag,
                                       const ImportOptions &options) {
  llvm::StringRef content(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return importTFLite({content, "test.tflite"}, options, diag);
}

std::optional<Graph> TFLiteBuilder::import(DiagnosticEngine &diag, const ImportOptions &options) {
  return importBytes(bytes(), diag, options);
}

TFLiteBuilder test::convModel() {
  TFLiteBuilder b;
  int in = b.addInt8("in", {1, 4, 4, 2}, 0.5f, -3);
  std::vector<int8_t> contents(3 * 3 * 3 * 2);
  for (size_t i = 0; i < contents.size(); ++i)
    contents[i] = static_cast<int8_t>(int(i) * 7 % 101 - 50);
  int weights = b.addConstant("weights", {3, 3, 3, 2}, fb::TensorType::Int8, contents);
  b.quantize(weights, {0.25f, 0.5f, 0.125f}, {0, 0, 0});
  int bias = b.addConstant("bias", {3}, fb::TensorType::Int32, std::vector<int32_t>{10, -20, 30});
  b.quantize(bias, {0.125f, 0.25f, 0.0625f}, {0, 0, 0});
  int out = b.addInt8("out", {1, 4, 4, 3}, 2.0f, -10);
  fb::Conv2DOptionsT options;
  options.stride_w = options.stride_h = 1;
  options.fused_activation = fb::Activation::Relu;
  b.addOp(fb::Builtin::Conv2D, {in, weights, bias}, {out}).builtin_options.Set(std::move(options));
  b.setInputs({in});
  b.setOutputs({out});
  return b;
}

TFLiteBuilder test::addModel() {
  TFLiteBuilder b;
  for (const char *name : {"a", "b", "c"})
    b.add(name, {1, 2, 3});
  b.addOp(fb::Builtin::Add, {0, 1}, {2});
  b.setInputs({0, 1});
  b.setOutputs({2});
  return b;
}

TFLiteBuilder test::unaryModel(fb::Builtin code, std::vector<int> in, std::vector<int> out, bool int8) {
  TFLiteBuilder b;
  int from = int8 ? b.addInt8("in", std::move(in), 0.5f, 3) : b.add("in", std::move(in));
  int to = int8 ? b.addInt8("out", std::move(out), 0.5f, 3) : b.add("out", std::move(out));
  b.addOp(code, {from}, {to});
  b.setInputs({from});
  b.setOutputs({to});
  return b;
}

void test::expectError(TFLiteBuilder &builder, ErrorClass errorClass, const std::string &text,
                       const ImportOptions &options) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = builder.import(diag, options);
  std::string all;
  llvm::raw_string_ostream os(all);
  diag.printText(os);
  INFO(all);
  CHECK(!graph);
  CHECK(diag.errorCount() == 1);
  CHECK(all.find(text) != std::string::npos);
  CHECK(diag.exitCode() == static_cast<int>(errorClass));
}

Graph test::expectGraph(TFLiteBuilder &builder, const ImportOptions &options) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = builder.import(diag, options);
  std::string all;
  llvm::raw_string_ostream os(all);
  diag.printText(os);
  INFO(all);
  REQUIRE(graph);
  return std::move(*graph);
}
