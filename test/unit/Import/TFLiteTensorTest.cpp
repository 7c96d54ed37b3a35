// Types, shapes, quantization and contents of TFLite tensors.
#include "TFLiteBuilder.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("tflite: dimensions") {
  TFLiteBuilder b = addModel();
  SECTION("zero") {
    b.tensor(0).shape = {1, 0, 3};
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
    CHECK(formatDiagnostic(diag.diagnostics()[0]) ==
          "test.tflite: error: tensor 'a': shape 1x0x3 has a dimension of 0; wanted a positive number");
  }
  SECTION("negative") {
    b.tensor(1).shape = {1, -2, 3};
    expectError(b, ErrorClass::BadModel, "tensor 'b': dimension 1 is -2; wanted a positive number");
  }
  SECTION("overflowing product") {
    b.tensor(0).shape = {INT32_MAX, INT32_MAX, INT32_MAX};
    expectError(b, ErrorClass::BadModel, "tensor 'a': shape 2147483647x2147483647x2147483647 has too many elements");
  }
  SECTION("too big for a microcontroller") {
    b.tensor(0).shape = {1 << 20, 1 << 10, 1};
    expectError(b, ErrorClass::Unsupported, "needs 4294967296 bytes, more than 2 GiB");
  }
  SECTION("stated shape differs from the operator's") {
    b.tensor(2).shape = {1, 3, 3};
    expectError(b, ErrorClass::BadModel, "node 0 'ADD': tensor 'c': operator gives shape 1x2x3, but the tensor has 1x3x3");
  }
  SECTION("operands that do not broadcast") {
    b.tensor(1).shape = {1, 2, 4};
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
    CHECK(diag.errorCount() == 1);
    CHECK(diag.diagnostics()[0].location.nodeIndex == 0);
  }
}

TEST_CASE("tflite: element types") {
  TFLiteBuilder b = addModel();
  SECTION("unsupported, reported where it is used") {
    b.tensor(1).type = fb::TensorType::Float64;
    expectError(b, ErrorClass::Unsupported, "tensor 'b': has element type float64");
  }
  SECTION("number past the enumeration") {
    b.tensor(1).type = static_cast<fb::TensorType>(99);
    expectError(b, ErrorClass::Unsupported, "tensor 'b': has the unknown element type 99");
  }
  SECTION("unused tensors may have any type") {
    b.add("text", {1}, fb::TensorType::String);
    CHECK(expectGraph(b).opCount() == 1);
  }
  SECTION("mixed operands") {
    b.tensor(1).type = fb::TensorType::Int32;
    expectError(b, ErrorClass::BadModel, "operands have element types f32 and i32; wanted one type");
  }
  SECTION("variables") {
    b.tensor(1).is_variable = true;
    b.setInputs({0});
    expectError(b, ErrorClass::Unsupported, "tensor 'b': is a variable: models with state are not supported");
  }
  SECTION("sparse") {
    b.tensor(1).sparsity = std::make_unique<fb::SparsityParametersT>();
    expectError(b, ErrorClass::Unsupported, "tensor 'b': is stored in sparse form");
  }
}

TEST_CASE("tflite: quantization scales") {
  for (float scale : {0.0f, -0.5f, NAN, INFINITY}) {
    TFLiteBuilder b = convModel();
    b.tensor(0).quantization->scale[0] = scale;
    expectError(b, ErrorClass::BadModel, "tensor 'in': quantization scale 0 is ");
  }
  TFLiteBuilder b = convModel();
  b.tensor(1).quantization->scale[2] = 0;
  expectError(b, ErrorClass::BadModel, "tensor 'weights': quantization scale 2 is 0.000000e+00; wanted a positive");
}

TEST_CASE("tflite: quantization zero points") {
  for (int64_t zeroPoint : {int64_t(-129), int64_t(128), INT64_MAX, INT64_MIN}) {
    TFLiteBuilder b = convModel();
    b.tensor(0).quantization->zero_point[0] = zeroPoint;
    expectError(b, ErrorClass::BadModel,
                "tensor 'in': zero point " + std::to_string(zeroPoint) + " is outside the range of i8");
  }
  TFLiteBuilder b = convModel();
  b.tensor(0).quantization->zero_point.clear();
  expectError(b, ErrorClass::BadModel, "tensor 'in': has 1 quantization scales but 0 zero points");
}

TEST_CASE("tflite: per-channel quantization") {
  TFLiteBuilder b = convModel();
  SECTION("count") {
    b.quantize(1, {0.25f, 0.5f}, {0, 0});
    expectError(b, ErrorClass::BadModel, "tensor 'weights': has 2 quantization scales, but dimension 0 of 3x3x3x2 is 3");
  }
  SECTION("axis out of range") {
    b.tensor(1).quantization->quantized_dimension = 4;
    expectError(b, ErrorClass::BadModel, "quantized dimension is 4, but the shape is 3x3x3x2");
    b.tensor(1).quantization->quantized_dimension = -1;
    expectError(b, ErrorClass::BadModel, "quantized dimension is -1");
  }
  SECTION("axis of another dimension") {
    b.tensor(1).quantization->quantized_dimension = 1;
    expectError(b, ErrorClass::BadModel, "weights are quantized along dimension 1; wanted that of the output channels, 0");
  }
  SECTION("asymmetric weights") {
    b.tensor(1).quantization->zero_point[1] = 5;
    expectError(b, ErrorClass::BadModel, "tensor 'weights': weights have a zero point other than 0");
  }
  SECTION("activations") {
    b.quantize(0, {0.5f, 0.5f}, {0, 0}, 3);
    expectError(b, ErrorClass::BadModel, "input is quantized per channel; wanted one scale");
  }
  SECTION("no quantization at all") {
    b.tensor(0).quantization.reset();
    expectError(b, ErrorClass::BadModel, "tensor 'in': i8 tensor has no quantization");
  }
}

TEST_CASE("tflite: bias") {
  TFLiteBuilder b = convModel();
  SECTION("scale is not input scale times weight scale") {
    b.tensor(2).quantization->scale[1] = 0.26f;
    expectError(b, ErrorClass::BadModel, "tensor 'bias': bias scale 1 is ");
  }
  SECTION("rounded products pass, and become exact") {
    b.tensor(2).quantization->scale[1] = 0.25f * (1 + 1e-6f);
    Graph graph = expectGraph(b);
    CHECK(graph.ops()[0]->operand(2)->type.quant->scales[1] == 0.25f);
  }
  SECTION("zero point") {
    b.tensor(2).quantization->zero_point[0] = 1;
    expectError(b, ErrorClass::BadModel, "tensor 'bias': bias has zero point 1; wanted 0");
  }
  SECTION("scale count") {
    b.quantize(2, {0.125f}, {0});
    expectError(b, ErrorClass::BadModel, "bias has 1 quantization scales and the weights have 3");
  }
  SECTION("length") {
    b.tensor(2).shape = {4};
    b.tensor(2).quantization.reset();
    b.setContents(2, std::vector<int32_t>(4));
    expectError(b, ErrorClass::BadModel, "bias has 4 elements, but the weights have 3 output channels");
  }
  SECTION("type") {
    b.tensor(2).type = fb::TensorType::Float32;
    expectError(b, ErrorClass::Unsupported, "bias has element type f32; supported is i32");
  }
}

TEST_CASE("tflite: contents") {
  TFLiteBuilder b = convModel();
  SECTION("too short") {
    b.setContents(1, std::vector<int8_t>(53));
    expectError(b, ErrorClass::BadModel, "tensor 'weights': contents have 53 bytes, but i8 3x3x3x2 needs 54");
  }
  SECTION("too long") {
    b.setContents(1, std::vector<int8_t>(55));
    expectError(b, ErrorClass::BadModel, "tensor 'weights': contents have 55 bytes, but i8 3x3x3x2 needs 54");
  }
  SECTION("buffer out of range") {
    b.tensor(1).buffer = 77;
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
    CHECK(diag.diagnostics()[0].message == "contents are in buffer 77, but the model has 3 buffers");
  }
  SECTION("behind the flatbuffer") {
    std::vector<uint8_t> weights = b.model.buffers[1]->data;
    b.model.buffers[1]->data.clear();
    b.model.buffers[1]->offset = 1 << 20;
    b.model.buffers[1]->size = weights.size();
    std::vector<uint8_t> file = b.bytes();
    DiagnosticEngine diag;
    CHECK(!importBytes(file, diag));
    CHECK(diag.diagnostics()[0].message.find("contents are bytes 1048576 to 1048630 of the file") == 0);
    size_t at = (file.size() + 15) / 16 * 16;
    b.model.buffers[1]->offset = at;
    file = b.bytes();
    file.resize(at);
    file.insert(file.end(), weights.begin(), weights.end());
    DiagnosticEngine good;
    std::optional<Graph> graph = importBytes(file, good);
    REQUIRE(graph);
    CHECK(graph->ops()[0]->operand(1)->bytes().vec() == weights);
  }
  SECTION("weights computed at run time") {
    b.model.buffers[1]->data.clear();
    b.setInputs({0, 1});
    expectError(b, ErrorClass::Unsupported, "weights must be constant, but tensor 'weights' is computed at run time");
  }
}

TEST_CASE("tflite: dynamic dimensions and --input-shape") {
  TFLiteBuilder b = unaryModel(fb::Builtin::Relu, {1, 4, 3}, {1, 4, 3});
  ImportOptions options;
  SECTION("a dynamic batch is 1") {
    b.tensor(0).shape_signature = b.tensor(1).shape_signature = {-1, 4, 3};
    CHECK(expectGraph(b).inputs()[0]->type.shape == Shape{1, 4, 3});
  }
  SECTION("another dynamic dimension needs the option") {
    b.tensor(0).shape_signature = {1, -1, 3};
    expectError(b, ErrorClass::Unsupported, "tensor 'in': dimension 1 is dynamic; choose it with --input-shape in=1x4x3");
    options.inputShapes = {{"in", {1, 9, 3}}};
    CHECK(expectGraph(b, options).outputs()[0].value->type.shape == Shape{1, 9, 3});
  }
  SECTION("wrong rank") {
    options.inputShapes = {{"in", {9, 3}}};
    expectError(b, ErrorClass::Usage, "--input-shape gives 9x3, but the input is 1x4x3", options);
  }
  SECTION("not positive") {
    options.inputShapes = {{"in", {1, 0, 3}}};
    expectError(b, ErrorClass::Usage, "wanted as many dimensions, all positive", options);
  }
  SECTION("unknown name") {
    options.inputShapes = {{"out", {1, 4, 3}}};
    expectError(b, ErrorClass::Usage, "--input-shape names 'out', which is no input; the model's inputs are 'in'", options);
  }
}
