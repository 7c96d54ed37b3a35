// Hostile bytes: every truncation and seeded random changes of sound files. A run must end in a graph that verifies or
// in a diagnostic, and never crash; run it under the sanitizers to find silent faults.
#include "TFLiteBuilder.h"

#include "mfc/Ops/Ops.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

/// Convolution, pool, reshape, dense and softmax: most of the readers' paths in one file.
static std::vector<uint8_t> richModel() {
  TFLiteBuilder b = convModel();
  int pooled = b.addInt8("pooled", {1, 2, 2, 3}, 2, -10);
  fb::Pool2DOptionsT pool;
  pool.stride_h = pool.stride_w = pool.filter_height = pool.filter_width = 2;
  b.addOp(fb::Builtin::MaxPool2D, {3}, {pooled}).builtin_options.Set(std::move(pool));
  int flat = b.addInt8("flat", {1, 12}, 2, -10);
  b.addOp(fb::Builtin::Reshape, {pooled, b.addInts("shape", {1, -1})}, {flat});
  int weights = b.addConstant("dense", {4, 12}, fb::TensorType::Int8, std::vector<int8_t>(48, 3));
  b.quantize(weights, {0.01f}, {0});
  int logits = b.addInt8("logits", {1, 4}, 0.1f, 0);
  b.addOp(fb::Builtin::FullyConnected, {flat, weights, -1}, {logits});
  int half = b.addInt8("half", {1, 2}, 0.1f, 0);
  b.addOp(fb::Builtin::StridedSlice, {logits, b.addInts("begin", {0, 1}), b.addInts("end", {1, 3}), b.addInts("step", {1, 1})},
          {half});
  int out = b.addInt8("probabilities", {1, 2}, 1.0f / 256, -128);
  fb::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  b.addOp(fb::Builtin::Softmax, {half}, {out}).builtin_options.Set(std::move(softmax));
  b.setOutputs({out});
  return b.bytes();
}

/// Imports; true if a graph came out. Checks that exactly one of graph and diagnostic did.
static bool imports(const std::vector<uint8_t> &bytes) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = importBytes(bytes, diag);
  REQUIRE(graph.has_value() == !diag.hasErrors());
  if (graph) {
    int code = verifyGraph(*graph, diag) ? 0 : diag.exitCode();
    REQUIRE((code == 0 || code == 2 || code == 3));
  } else {
    REQUIRE((diag.exitCode() == 2 || diag.exitCode() == 3));
  }
  return graph.has_value();
}

TEST_CASE("tflite fuzz: the sound file imports and verifies") {
  DiagnosticEngine diag;
  std::optional<Graph> graph = importBytes(richModel(), diag);
  REQUIRE(graph);
  verifyGraph(*graph, diag);
  for (const Diagnostic &d : diag.diagnostics())
    UNSCOPED_INFO(formatDiagnostic(d));
  CHECK(!diag.hasErrors());
}

TEST_CASE("tflite fuzz: truncation at every byte") {
  std::vector<uint8_t> whole = richModel();
  size_t accepted = 0;
  for (size_t size = 0; size < whole.size(); ++size)
    accepted += imports({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
  CHECK(accepted == 0);
}

TEST_CASE("tflite fuzz: random changes") {
  const std::vector<uint8_t> whole = richModel();
  uint64_t state = 20240607;
  auto random = [&] { // splitmix64
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  };
  static constexpr uint8_t interesting[] = {0, 1, 0x7f, 0x80, 0xff};
  size_t accepted = 0;
  constexpr size_t runs = 5000;
  for (size_t run = 0; run < runs; ++run) {
    std::vector<uint8_t> bytes = whole;
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
      uint64_t r = random();
      uint8_t &byte = bytes[(r >> 16) % bytes.size()];
      if (r & 1)
        byte = interesting[(r >> 8) % std::size(interesting)];
      else if (r & 2)
        byte = static_cast<uint8_t>(r >> 8);
      else
        byte ^= static_cast<uint8_t>(1u << ((r >> 8) % 8));
    }
    accepted += imports(bytes);
  }
  // Many changes hit weights and names: if none or all pass, the loop does not test what it should.
  CHECK(accepted > runs / 20);
  CHECK(accepted < runs * 9 / 10);
}
