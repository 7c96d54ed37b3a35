// What TFLite's computing operators become.
#include "TFLiteBuilder.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace mfc;
using namespace mfc::test;

static fb::Conv2DOptionsT &convOptions(TFLiteBuilder &b) { return *b.op(0).builtin_options.AsConv2DOptions(); }

TEST_CASE("tflite: conv2d padding, strides and groups") {
  TFLiteBuilder b = convModel();
  SECTION("SAME, stride 2: the odd pixel goes to the bottom and right") {
    convOptions(b).stride_h = convOptions(b).stride_w = 2;
    b.tensor(3).shape = {1, 2, 2, 3};
    CHECK(expectGraph(b).ops()[0]->attrs<ConvAttrs>().pad == std::array<int64_t, 4>{0, 0, 1, 1});
  }
  SECTION("SAME, stride 1") {
    CHECK(expectGraph(b).ops()[0]->attrs<ConvAttrs>().pad == std::array<int64_t, 4>{1, 1, 1, 1});
  }
  SECTION("VALID") {
    convOptions(b).padding = fb::Padding::Valid;
    b.tensor(3).shape = {1, 2, 2, 3};
    CHECK(expectGraph(b).ops()[0]->attrs<ConvAttrs>().pad == std::array<int64_t, 4>{0, 0, 0, 0});
  }
  SECTION("different strides and dilations a direction") {
    convOptions(b).stride_h = 2;
    convOptions(b).dilation_w = 2;
    b.tensor(3).shape = {1, 2, 4, 3};
    auto attrs = expectGraph(b).ops()[0]->attrs<ConvAttrs>();
    CHECK(attrs.stride == std::array<int64_t, 2>{2, 1});
    CHECK(attrs.dilation == std::array<int64_t, 2>{1, 2});
    CHECK(attrs.pad == std::array<int64_t, 4>{0, 2, 1, 2});
  }
  SECTION("groups follow from the channel counts") {
    b.tensor(0).shape = {1, 4, 4, 6};
    CHECK(expectGraph(b).ops()[0]->attrs<ConvAttrs>().groups == 3);
    b.tensor(0).shape = {1, 4, 4, 5};
    expectError(b, ErrorClass::BadModel, "weights read 2 channels a group, but the input has 5");
  }
  SECTION("sizes that make no sense") {
    convOptions(b).stride_w = 0;
    expectError(b, ErrorClass::BadModel, "horizontal stride is 0; wanted 1 to 32768");
    convOptions(b).stride_w = 1;
    convOptions(b).dilation_h = INT32_MAX;
    expectError(b, ErrorClass::BadModel, "vertical dilation is 2147483647");
    convOptions(b).dilation_h = 1;
    convOptions(b).padding = static_cast<fb::Padding>(7);
    expectError(b, ErrorClass::BadModel, "padding number is 7");
  }
  SECTION("rank") {
    b.tensor(0).shape = {4, 4, 2};
    expectError(b, ErrorClass::BadModel, "tensor 'in': input 0 has shape 4x4x2; wanted 4 dimensions");
  }
  SECTION("hybrid models are named as such") {
    b.tensor(0).type = b.tensor(3).type = fb::TensorType::Float32;
    expectError(b, ErrorClass::Unsupported, "this is dynamic-range quantization");
  }
}

TEST_CASE("tflite: fused activations are clamps in stored units") {
  struct Row {
    fb::Activation activation;
    float scale;
    int zeroPoint;
    double min, max;
  };
  // TFLite CalculateActivationRangeQuantized, by hand.
  auto row = GENERATE(Row{fb::Activation::Relu, 2.0f, -10, -10, 127}, Row{fb::Activation::Relu6, 0.5f, -10, -10, 2},
                      Row{fb::Activation::ReluN1To1, 0.25f, 3, -1, 7}, Row{fb::Activation::Relu6, 0.1f, 100, 100, 127},
                      Row{fb::Activation::ReluN1To1, 0.4f, 0, -3, 3});
  TFLiteBuilder b = convModel();
  b.quantize(3, {row.scale}, {row.zeroPoint});
  convOptions(b).fused_activation = row.activation;
  Graph graph = expectGraph(b);
  REQUIRE(graph.opCount() == 2);
  Operation *clamp = graph.ops()[1];
  CHECK(clamp->kind() == OpKind::Clamp);
  CHECK(clamp->attrs<ClampAttrs>() == ClampAttrs{row.min, row.max});
  CHECK(clamp->result()->name == "out");
}

TEST_CASE("tflite: a fused activation that cannot bite makes no clamp") {
  TFLiteBuilder b = convModel();
  b.quantize(3, {0.02f}, {-128});
  CHECK(expectGraph(b).opCount() == 1); // relu: everything above -128
  convOptions(b).fused_activation = fb::Activation::Tanh;
  expectError(b, ErrorClass::Unsupported, "fused activation number 4 is not supported");
}

TEST_CASE("tflite: fused activations of float operators are real bounds") {
  TFLiteBuilder b = addModel();
  fb::AddOptionsT options;
  options.fused_activation = fb::Activation::Relu6;
  b.op(0).builtin_options.Set(std::move(options));
  CHECK(expectGraph(b).ops()[1]->attrs<ClampAttrs>() == ClampAttrs{0, 6});
  b.op(0).builtin_options.AsAddOptions()->fused_activation = fb::Activation::Relu;
  CHECK(expectGraph(b).ops()[1]->attrs<ClampAttrs>() == ClampAttrs{0, std::numeric_limits<double>::infinity()});
}

TEST_CASE("tflite: depthwise_conv2d") {
  TFLiteBuilder b;
  b.addInt8("in", {1, 5, 5, 2}, 1, 0);
  b.addConstant("w", {1, 3, 3, 4}, fb::TensorType::Int8, std::vector<int8_t>(36, 1));
  b.quantize(1, {1, 1, 1, 1}, {0, 0, 0, 0}, 3);
  b.addInt8("out", {1, 3, 3, 4}, 1, 0);
  fb::DepthwiseConv2DOptionsT options;
  options.padding = fb::Padding::Valid;
  options.stride_w = options.stride_h = 1;
  b.addOp(fb::Builtin::DepthwiseConv2D, {0, 1}, {2}).builtin_options.Set(std::move(options));
  b.setInputs({0}), b.setOutputs({2});
  Graph graph = expectGraph(b);
  CHECK(graph.ops()[0]->kind() == OpKind::DepthwiseConv2D);
  CHECK(graph.ops()[0]->operands().size() == 2);
  b.tensor(0).shape = {1, 5, 5, 3};
  DiagnosticEngine diag;
  CHECK(!b.import(diag)); // 4 is no multiple of 3
  CHECK(diag.exitCode() == 2);
}

static TFLiteBuilder denseModel(std::vector<int> in, std::vector<int> out, bool keepDims = false) {
  TFLiteBuilder b;
  b.add("in", std::move(in));
  b.addConstant("w", {5, 6}, fb::TensorType::Float32, std::vector<float>(30, 0.5f));
  b.add("out", std::move(out));
  fb::FullyConnectedOptionsT options;
  options.keep_num_dims = keepDims;
  b.addOp(fb::Builtin::FullyConnected, {0, 1}, {2}).builtin_options.Set(std::move(options));
  b.setInputs({0}), b.setOutputs({2});
  return b;
}

TEST_CASE("tflite: fully_connected flattens its input") {
  TFLiteBuilder b = denseModel({2, 1, 2, 3}, {2, 5});
  Graph graph = expectGraph(b);
  REQUIRE(graph.opCount() == 2);
  CHECK(graph.ops()[0]->kind() == OpKind::Reshape);
  CHECK(graph.ops()[0]->result()->type.shape == Shape{2, 6});
  CHECK(graph.ops()[1]->result()->type.shape == Shape{2, 5});

  b = denseModel({2, 3, 6}, {2, 3, 5}, /*keepDims=*/true);
  CHECK(expectGraph(b).opCount() == 1);
  b = denseModel({1, 1, 6}, {1, 1, 5}); // leading ones kept in the stated shape
  CHECK(expectGraph(b).outputs()[0].value->type.shape == Shape{1, 1, 5});
  b = denseModel({1, 7}, {1, 5});
  expectError(b, ErrorClass::BadModel, "weights read rows of 6 elements, but the input has 7");
  b = denseModel({1, 2, 3}, {1, 2, 5}, true);
  expectError(b, ErrorClass::BadModel, "weights read rows of 6 elements, but the input is 1x2x3");
  b = denseModel({1, 6}, {1, 5});
  b.op(0).builtin_options.AsFullyConnectedOptions()->weights_format = 1;
  expectError(b, ErrorClass::Unsupported, "weights are in shuffled format 1");
}

TEST_CASE("tflite: pools") {
  TFLiteBuilder b = unaryModel(fb::Builtin::AveragePool2D, {1, 5, 4, 3}, {1, 3, 2, 3}, true);
  fb::Pool2DOptionsT options;
  options.filter_height = 3, options.filter_width = 2;
  options.stride_h = options.stride_w = 2;
  b.op(0).builtin_options.Set(std::move(options));
  Graph graph = expectGraph(b);
  auto attrs = graph.ops()[0]->attrs<PoolAttrs>();
  CHECK(attrs.kernel == std::array<int64_t, 2>{3, 2});
  CHECK(attrs.pad == std::array<int64_t, 4>{1, 0, 1, 0});
  CHECK(!attrs.countIncludePad);
  b.quantize(1, {0.25f}, {3});
  expectError(b, ErrorClass::Unsupported, "operator only moves values, but its input is quantized as i8[] q(0.5, 3)");
  b.quantize(1, {0.5f}, {3});
  b.op(0).builtin_options.AsPool2DOptions()->filter_width = INT32_MAX;
  expectError(b, ErrorClass::BadModel, "kernel width is 2147483647; wanted 1 to 32768");
}

TEST_CASE("tflite: mean") {
  TFLiteBuilder b = unaryModel(fb::Builtin::Mean, {1, 4, 5, 3}, {1, 3});
  b.addInts("axes", {-2, 1, 2});
  b.op(0).inputs = {0, 2};
  auto attrs = expectGraph(b).ops()[0]->attrs<ReduceAttrs>();
  CHECK(attrs.axes == std::vector<int64_t>{1, 2});
  CHECK(!attrs.keepDims);
  b.setContents(2, std::vector<int32_t>{1, 2, 4});
  expectError(b, ErrorClass::BadModel, "axis is 4, but the tensor has 4 dimensions");
  b.setContents(2, std::vector<int32_t>{1, 2, -5});
  expectError(b, ErrorClass::BadModel, "axis is -5, but the tensor has 4 dimensions");
}

TEST_CASE("tflite: activations with an output range of their own") {
  for (fb::Builtin code : {fb::Builtin::Logistic, fb::Builtin::Tanh}) {
    TFLiteBuilder b = unaryModel(code, {1, 4}, {1, 4}, true);
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
    bool tanh = code == fb::Builtin::Tanh;
    b.quantize(1, {tanh ? 1.0f / 128 : 1.0f / 256}, {tanh ? 0 : -128});
    CHECK(expectGraph(b).ops()[0]->kind() == (tanh ? OpKind::Tanh : OpKind::Logistic));
  }
}

TEST_CASE("tflite: relu operators rescale, then clamp") {
  TFLiteBuilder b = unaryModel(fb::Builtin::Relu6, {1, 4}, {1, 4}, true);
  Graph same = expectGraph(b);
  REQUIRE(same.opCount() == 1);
  CHECK(same.ops()[0]->attrs<ClampAttrs>() == ClampAttrs{3, 15});
  b.quantize(1, {0.25f}, {-100});
  Graph other = expectGraph(b);
  REQUIRE(other.opCount() == 2);
  CHECK(other.ops()[0]->kind() == OpKind::Requantize);
  CHECK(other.ops()[1]->attrs<ClampAttrs>() == ClampAttrs{-100, -76});
}

TEST_CASE("tflite: quantize, requantize, dequantize") {
  TFLiteBuilder b = unaryModel(fb::Builtin::Quantize, {1, 4}, {1, 4});
  b.tensor(1).type = fb::TensorType::Int8;
  expectError(b, ErrorClass::BadModel, "output tensor 'out' has no scale and zero point");
  b.quantize(1, {0.5f}, {1});
  CHECK(expectGraph(b).ops()[0]->kind() == OpKind::Quantize);
  b.tensor(0).type = fb::TensorType::UInt8;
  b.quantize(0, {0.5f}, {129});
  CHECK(expectGraph(b).ops()[0]->kind() == OpKind::Requantize);
  b = unaryModel(fb::Builtin::Dequantize, {1, 4}, {1, 4}, true);
  b.tensor(1).type = fb::TensorType::Float32;
  b.tensor(1).quantization.reset();
  CHECK(expectGraph(b).ops()[0]->kind() == OpKind::Dequantize);
}

TEST_CASE("tflite: softmax and leaky_relu parameters") {
  TFLiteBuilder b = unaryModel(fb::Builtin::Softmax, {1, 4}, {1, 4});
  expectError(b, ErrorClass::BadModel, "beta is 0.000000e+00; wanted a positive number");
  fb::SoftmaxOptionsT softmax;
  softmax.beta = 2;
  b.op(0).builtin_options.Set(std::move(softmax));
  CHECK(expectGraph(b).ops()[0]->attrs<SoftmaxAttrs>().beta == 2);
  b = unaryModel(fb::Builtin::LeakyRelu, {1, 4}, {1, 4});
  fb::LeakyReluOptionsT leaky;
  leaky.alpha = std::numeric_limits<float>::quiet_NaN();
  b.op(0).builtin_options.Set(std::move(leaky));
  expectError(b, ErrorClass::BadModel, "alpha is nan");
}

TEST_CASE("tflite: old operator codes are read") {
  // Files from before 2020 have the operator number in the one-byte field only.
  TFLiteBuilder b = addModel();
  b.model.operator_codes[0]->deprecated_code = 18;
  b.model.operator_codes[0]->code = 0;
  CHECK(expectGraph(b).ops()[0]->kind() == OpKind::Mul);
}
