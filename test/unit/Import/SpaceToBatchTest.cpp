// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: as movements, and around convolutions.
#include "TFLiteBuilder.h"

#include "mfc/Interp/Interpreter.h"
#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

namespace {
struct Line {
  std::vector<int> block, pads, crops;
};

int addBlocks(TFLiteBuilder &b, const char *name, std::vector<int> values, std::vector<int> shape) {
  return b.addConstant(name, std::move(shape), fb::TensorType::Int32, std::vector<int32_t>(values.begin(), values.end()));
}

/// int8 `in` (zero point 17) to blocks, `middle` between, back to `out`.
TFLiteBuilder blocks(std::vector<int> in, std::vector<int> divided, std::vector<int> convolved, std::vector<int> out, const Line &line,
                     std::vector<int> weights, bool activated = false) {
  TFLiteBuilder b;
  int dims = static_cast<int>(line.block.size());
  int x = b.addInt8("in", std::move(in), 0.5f, 17);
  int block = addBlocks(b, "block", line.block, {dims}), pads = addBlocks(b, "pads", line.pads, {dims, 2});
  int batches = b.addInt8("batches", std::move(divided), 0.5f, 17);
  b.addOp(fb::Builtin::SpaceToBatchND, {x, block, pads}, {batches});
  int sums = batches;
  float scale = 0.5f;
  int zero = 17;
  if (!weights.empty()) {
    size_t count = 1;
    for (int size : weights)
      count *= static_cast<size_t>(size);
    std::vector<int8_t> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(static_cast<int8_t>(static_cast<int>(i * 37 % 19) - 9));
    int w = b.addConstant("w", std::move(weights), fb::TensorType::Int8, values);
    b.quantize(w, {0.25f}, {0});
    scale = 0.25f, zero = -3;
    sums = b.addInt8("sums", std::move(convolved), scale, zero);
    fb::Conv2DOptionsT options;
    options.padding = fb::Padding::Valid;
    options.stride_h = options.stride_w = 1;
    if (activated)
      options.fused_activation = fb::Activation::Relu;
    b.addOp(fb::Builtin::Conv2D, {batches, w}, {sums}).builtin_options.Set(std::move(options));
  }
  int crops = addBlocks(b, "crops", line.crops, {dims, 2});
  int y = b.addInt8("out", std::move(out), scale, zero);
  b.addOp(fb::Builtin::BatchToSpaceND, {sums, block, crops}, {y});
  b.setInputs({x}), b.setOutputs({y});
  return b;
}

Tensor ramp(const TensorType &type) {
  Tensor tensor(type);
  for (int64_t i = 0; i < type.count(); ++i)
    tensor.setInteger(i, i * 29 % 255 - 127);
  return tensor;
}

/// The only convolution that the output needs.
Operation *convolution(Graph &graph) {
  graph.eraseDead();
  Operation *found = nullptr;
  for (Operation *op : graph.ops()) {
    CHECK(op->kind() != OpKind::Transpose);
    if (op->kind() == OpKind::Conv2D)
      found = op;
  }
  return found;
}
} // namespace

TEST_CASE("tflite: space_to_batch_nd and back is the image") {
  TFLiteBuilder b = blocks({2, 7, 5, 3}, {12, 4, 3, 3}, {}, {2, 7, 5, 3}, {{2, 3}, {1, 0, 2, 2}, {1, 0, 2, 2}}, {});
  Graph graph = expectGraph(b);
  Tensor in = ramp(graph.inputs()[0]->type);
  auto outputs = interpret(graph, {in});
  REQUIRE(static_cast<bool>(outputs));
  CHECK((*outputs)[0].bytes == in.bytes);
}

TEST_CASE("tflite: a position of the block is a batch") {
  TFLiteBuilder b;
  b.addInt8("in", {1, 5, 1}, 0.5f, 17);
  addBlocks(b, "block", {2}, {1}), addBlocks(b, "pads", {1, 0}, {1, 2});
  b.addInt8("out", {2, 3, 1}, 0.5f, 17);
  b.addOp(fb::Builtin::SpaceToBatchND, {0, 1, 2}, {3});
  b.setInputs({0}), b.setOutputs({3});
  Graph graph = expectGraph(b);
  Tensor in(graph.inputs()[0]->type);
  for (int64_t i = 0; i < 5; ++i)
    in.setInteger(i, i + 1);
  auto outputs = interpret(graph, {in});
  REQUIRE(static_cast<bool>(outputs));
  const int64_t expected[] = {17, 2, 4, 1, 3, 5};
  for (int64_t i = 0; i < 6; ++i)
    CHECK((*outputs)[0].getInteger(i) == expected[i]);
}

TEST_CASE("tflite: a convolution between the two is dilated") {
  TFLiteBuilder b = blocks({1, 7, 5, 2}, {6, 6, 4, 2}, {6, 4, 2, 3}, {1, 7, 5, 3}, {{2, 3}, {2, 3, 3, 4}, {0, 1, 0, 1}}, {3, 3, 3, 2}, true);
  Graph graph = expectGraph(b);
  Operation *conv = convolution(graph);
  REQUIRE(conv);
  CHECK(conv->attrs<ConvAttrs>().dilation == std::array<int64_t, 2>{2, 3});
  CHECK(conv->attrs<ConvAttrs>().pad == std::array<int64_t, 4>{2, 3, 2, 3});
  CHECK(graph.outputs()[0].value->producer()->kind() == OpKind::Clamp);
}

TEST_CASE("tflite: both forms of the three operators compute the same") {
  // Padding that the crops exceed by one row keeps the movements.
  Line folds{{3}, {3, 5}, {0, 2}}, moves{{3}, {3, 5}, {4, 2}};
  TFLiteBuilder small = blocks({1, 7, 4, 2}, {3, 5, 4, 2}, {3, 3, 2, 1}, {1, 7, 2, 1}, folds, {1, 3, 3, 2});
  TFLiteBuilder large = blocks({1, 7, 4, 2}, {3, 5, 4, 2}, {3, 3, 2, 1}, {1, 3, 2, 1}, moves, {1, 3, 3, 2});
  Graph folded = expectGraph(small), moved = expectGraph(large);
  REQUIRE(convolution(folded));
  CHECK(llvm::any_of(moved.ops(), [](Operation *op) { return op->kind() == OpKind::Transpose; }));
  Tensor in = ramp(folded.inputs()[0]->type);
  auto a = interpret(folded, {in}), b = interpret(moved, {in});
  REQUIRE((static_cast<bool>(a) && static_cast<bool>(b)));
  for (int64_t i = 0; i < 6; ++i) // rows 4 to 6 of the seven
    CHECK((*a)[0].getInteger(i + 8) == (*b)[0].getInteger(i));
}

TEST_CASE("tflite: blocks that do not fit") {
  TFLiteBuilder b = blocks({2, 7, 5, 3}, {12, 4, 3, 3}, {}, {2, 7, 5, 3}, {{2, 3}, {1, 1, 2, 2}, {1, 0, 2, 2}}, {});
  expectError(b, ErrorClass::BadModel, "block of 2 does not divide the 9 padded elements of dimension 1");
  b = blocks({2, 7, 5, 3}, {12, 4, 3, 3}, {}, {2, 7, 5, 3}, {{2, 3}, {-1, 0, 2, 2}, {1, 0, 2, 2}}, {});
  expectError(b, ErrorClass::BadModel, "blocks of 2x3 with 4 amounts do not fit");
}
