// What TFLite's shape and data movement operators become.
#include "TFLiteBuilder.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

/// The operator with further constant integer operands.
static TFLiteBuilder withInts(fb::Builtin code, std::vector<int> in, std::vector<int> out,
                              std::vector<std::vector<int32_t>> constants) {
  TFLiteBuilder b = unaryModel(code, std::move(in), std::move(out));
  for (const std::vector<int32_t> &contents : constants)
    b.op(0).inputs.push_back(b.addInts("k" + std::to_string(b.op(0).inputs.size()), contents));
  return b;
}

TEST_CASE("tflite: reshape") {
  TFLiteBuilder b = withInts(fb::Builtin::Reshape, {2, 6}, {3, 4}, {{3, -1}});
  CHECK(expectGraph(b).outputs()[0].value->type.shape == Shape{3, 4});
  for (std::vector<int32_t> bad : {std::vector<int32_t>{3, 5}, {-1, -1}, {5, -1}, {0, 4}, {3, -4}, {INT32_MAX, INT32_MAX}}) {
    b.setContents(2, bad);
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
    CHECK(diag.errorCount() == 1);
  }
  // Without a shape operand the options have it.
  b.op(0).inputs = {0};
  fb::ReshapeOptionsT options;
  options.new_shape = {3, 4};
  b.op(0).builtin_options.Set(std::move(options));
  CHECK(expectGraph(b).opCount() == 1);
  // To the shape it had: an identity carries the name.
  b.tensor(1).shape = {2, 6};
  b.op(0).builtin_options.AsReshapeOptions()->new_shape = {2, 6};
  CHECK(expectGraph(b).ops()[0]->kind() == OpKind::Identity);
}

TEST_CASE("tflite: a reshape whose shape is computed at run time is refused") {
  TFLiteBuilder b = withInts(fb::Builtin::Reshape, {2, 6}, {3, 4}, {{3, 4}});
  b.model.buffers.back()->data.clear();
  b.setInputs({0, 2});
  expectError(b, ErrorClass::Unsupported, "tensor 'k1': is computed at run time; input 1 must be constant");
}

TEST_CASE("tflite: squeeze and expand_dims") {
  TFLiteBuilder b = unaryModel(fb::Builtin::Squeeze, {1, 4, 1, 3}, {4, 3});
  CHECK(expectGraph(b).outputs()[0].value->type.shape == Shape{4, 3});
  fb::SqueezeOptionsT options;
  options.squeeze_dims = {-2};
  b.op(0).builtin_options.Set(std::move(options));
  b.tensor(1).shape = {1, 4, 3};
  CHECK(expectGraph(b).opCount() == 1);
  b.op(0).builtin_options.AsSqueezeOptions()->squeeze_dims = {1};
  expectError(b, ErrorClass::BadModel, "dimension 1 of 1x4x1x3 is to be squeezed; wanted a size of 1");
  b.op(0).builtin_options.AsSqueezeOptions()->squeeze_dims = {4};
  expectError(b, ErrorClass::BadModel, "axis is 4");

  b = withInts(fb::Builtin::ExpandDims, {4, 3}, {4, 3, 1}, {{-1}});
  CHECK(expectGraph(b).outputs()[0].value->type.shape == Shape{4, 3, 1});
  b.setContents(2, std::vector<int32_t>{3});
  expectError(b, ErrorClass::BadModel, "axis is 3, but the tensor has 3 dimensions");
}

TEST_CASE("tflite: transpose") {
  TFLiteBuilder b = withInts(fb::Builtin::Transpose, {2, 3, 4}, {4, 2, 3}, {{2, 0, 1}});
  CHECK(expectGraph(b).ops()[0]->attrs<TransposeAttrs>().perm == std::vector<int64_t>{2, 0, 1});
  for (std::vector<int32_t> bad : {std::vector<int32_t>{2, 0, 0}, {0, 1, 3}, {0, 1, -1}}) {
    b.setContents(2, bad);
    expectError(b, ErrorClass::BadModel, "permutation is no reordering of the 3 dimensions of 2x3x4");
  }
}

TEST_CASE("tflite: pad fills with the zero point") {
  TFLiteBuilder b = unaryModel(fb::Builtin::Pad, {1, 2}, {2, 5}, true);
  b.addConstant("amounts", {2, 2}, fb::TensorType::Int32, std::vector<int32_t>{0, 1, 2, 1});
  b.op(0).inputs = {0, 2};
  CHECK(expectGraph(b).ops()[0]->attrs<PadAttrs>() == PadAttrs{{0, 2}, {1, 1}, 3});
  b.setContents(2, std::vector<int32_t>{0, 1, -2, 5});
  expectError(b, ErrorClass::BadModel, "tensor 'amounts': padding amount 2 is -2; wanted 0 or more");
  b.tensor(2).shape = {1, 2};
  b.setContents(2, std::vector<int32_t>{0, 1});
  expectError(b, ErrorClass::BadModel, "has 2 padding amounts; wanted 2 for each of 2 dimensions");
}

TEST_CASE("tflite: padv2 has its own value") {
  TFLiteBuilder b = unaryModel(fb::Builtin::PadV2, {1, 2}, {1, 4});
  b.addConstant("amounts", {2, 2}, fb::TensorType::Int32, std::vector<int32_t>{0, 0, 1, 1});
  b.addConstant("value", {}, fb::TensorType::Float32, std::vector<float>{-2.5f});
  b.op(0).inputs = {0, 2, 3};
  CHECK(expectGraph(b).ops()[0]->attrs<PadAttrs>().value == -2.5);
  b.tensor(3).type = fb::TensorType::Int32;
  expectError(b, ErrorClass::BadModel, "tensor 'value': padding value is i32[]; wanted one element");
}

TEST_CASE("tflite: concatenation and pack") {
  TFLiteBuilder b = addModel();
  b.model.operator_codes[0]->code = static_cast<int>(fb::Builtin::Concatenation);
  fb::ConcatenationOptionsT concat;
  concat.axis = -2;
  b.op(0).builtin_options.Set(std::move(concat));
  b.tensor(2).shape = {1, 4, 3};
  CHECK(expectGraph(b).ops()[0]->attrs<AxisAttrs>().axis == 1);
  b.op(0).builtin_options.AsConcatenationOptions()->axis = 3;
  expectError(b, ErrorClass::BadModel, "axis is 3, but the tensor has 3 dimensions");

  b.model.operator_codes[0]->code = static_cast<int>(fb::Builtin::Pack);
  fb::PackOptionsT pack;
  pack.axis = 3;
  b.op(0).builtin_options.Set(std::move(pack));
  b.tensor(2).shape = {1, 2, 3, 2};
  CHECK(expectGraph(b).opCount() == 3); // two reshapes and a concat
  b.op(0).inputs[1] = -1;
  expectError(b, ErrorClass::BadModel, "input 1 is left out");
}

TEST_CASE("tflite: slice") {
  TFLiteBuilder b = withInts(fb::Builtin::Slice, {4, 6}, {2, 5}, {{1, 1}, {2, -1}});
  CHECK(expectGraph(b).ops()[0]->attrs<SliceAttrs>().begin == std::vector<int64_t>{1, 1});
  for (auto [begin, size] : {std::pair<std::vector<int32_t>, std::vector<int32_t>>{{3, 1}, {2, 5}},
                             {{-1, 0}, {1, 1}},
                             {{4, 0}, {-1, 1}},
                             {{0, 0}, {-2, 1}},
                             {{0, 0}, {2, 0}},
                             {{0}, {1}}}) {
    b.tensor(2).shape = {int(begin.size())}, b.tensor(3).shape = {int(size.size())};
    b.setContents(2, begin), b.setContents(3, size);
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
  }
}

TEST_CASE("tflite: strided_slice") {
  struct Row {
    std::vector<int32_t> begin, end, stride;
    int beginMask, endMask, shrinkMask;
    std::vector<int> out;       ///< empty: an error
    std::vector<int64_t> first; ///< begins of the slice
  };
  // numpy's a[1:5:2], a[-3:], a[::-1], a[:, 2], past-the-end bounds ... on a 6x4 array.
  auto row = GENERATE(Row{{1, 0}, {5, 4}, {2, 1}, 0, 0, 0, {2, 4}, {1, 0}}, //
                      Row{{-3, 0}, {0, 0}, {1, 1}, 2, 3, 0, {3, 4}, {3, 0}}, //
                      Row{{0, 0}, {0, 0}, {-1, 1}, 3, 3, 0, {6, 4}, {5, 0}}, //
                      Row{{0, 2}, {0, 3}, {1, 1}, 1, 1, 2, {6}, {0, 2}},     //
                      Row{{0, -1}, {6, 0}, {1, 1}, 0, 0, 2, {6}, {0, 3}},    //
                      Row{{2}, {100}, {3}, 0, 0, 0, {2, 4}, {2, 0}},         //
                      Row{{5, 0}, {1, 4}, {-2, 1}, 0, 0, 0, {2, 4}, {5, 0}}, //
                      Row{{3, 0}, {2, 4}, {1, 1}, 0, 0, 0, {}, {}},          //
                      Row{{0, 0}, {6, 4}, {0, 1}, 0, 0, 0, {}, {}},          //
                      Row{{6, 0}, {7, 4}, {1, 1}, 0, 0, 1, {}, {}});
  TFLiteBuilder b = withInts(fb::Builtin::StridedSlice, {6, 4}, row.out, {row.begin, row.end, row.stride});
  fb::StridedSliceOptionsT options;
  options.begin_mask = row.beginMask, options.end_mask = row.endMask, options.shrink_axis_mask = row.shrinkMask;
  b.op(0).builtin_options.Set(std::move(options));
  if (row.out.empty()) {
    DiagnosticEngine diag;
    CHECK(!b.import(diag));
    CHECK(diag.exitCode() == 2);
    return;
  }
  Graph graph = expectGraph(b);
  CHECK(graph.ops()[0]->attrs<SliceAttrs>().begin == row.first);
  CHECK(graph.outputs()[0].value->type.shape == Shape(row.out.begin(), row.out.end()));
}

TEST_CASE("tflite: split and split_v") {
  TFLiteBuilder b;
  b.addConstant("axis", {}, fb::TensorType::Int32, std::vector<int32_t>{1});
  b.add("in", {2, 6});
  b.add("left", {2, 3});
  b.add("right", {2, 3});
  b.addOp(fb::Builtin::Split, {0, 1}, {2, 3});
  b.setInputs({1}), b.setOutputs({3, 2});
  Graph graph = expectGraph(b);
  CHECK(graph.outputs()[0].name == "right");
  CHECK(graph.outputs()[0].value->producer()->attrs<SliceAttrs>().begin == std::vector<int64_t>{0, 3});
  b.tensor(1).shape = {2, 7};
  expectError(b, ErrorClass::BadModel, "dimension 1 of 2x7 does not split into 2 equal parts");

  b.tensor(1).shape = {2, 6};
  b.tensor(2).shape = {2, 1}, b.tensor(3).shape = {2, 5};
  b.model.operator_codes[0]->code = b.model.operator_codes[0]->deprecated_code = static_cast<int8_t>(fb::Builtin::SplitV);
  b.op(0).inputs = {1, b.addInts("sizes", {1, -1}), 0};
  CHECK(expectGraph(b).opCount() == 2);
  b.setContents(4, std::vector<int32_t>{1, 6});
  expectError(b, ErrorClass::BadModel, "sizes do not cut dimension 1 of 2x6");
}

TEST_CASE("tflite: gather") {
  TFLiteBuilder b = withInts(fb::Builtin::Gather, {4, 3}, {2, 3}, {{3, 0}});
  CHECK(expectGraph(b).ops()[0]->attrs<AxisAttrs>().axis == 0);
  for (int bad : {-1, 4, INT32_MIN}) {
    b.setContents(2, std::vector<int32_t>{3, bad});
    expectError(b, ErrorClass::BadModel, "index 1 is " + std::to_string(bad) + ", but the dimension has 4 elements");
  }
}

TEST_CASE("tflite: moving values keeps their quantization") {
  TFLiteBuilder b = unaryModel(fb::Builtin::Squeeze, {1, 4}, {4}, true);
  CHECK(expectGraph(b).opCount() == 1);
  b.quantize(1, {0.5f}, {4});
  expectError(b, ErrorClass::Unsupported, "input is quantized as i8[] q(0.5, 3) and its output as i8[] q(0.5, 4)");
}
