// Damaged models: cut off at every byte, and with seeded changes. Nothing may crash or hang; a
// failure is a diagnostic.
#include "ONNXBuilder.h"

#include "mfc/Ops/Ops.h"
#include <catch2/catch.hpp>
#include <random>

using namespace mfc;
using namespace mfc::test;

/// A model with many kinds of fields.
static std::string seedModel() {
  Model m;
  m.input("x", {"N", 2, 6, 6}).output("y");
  m.init("w", floats({4, 2, 3, 3}, ramp(72, 0.01f))).init("b", floats({4}, ramp(4)));
  m.init("s", floats({}, {0.1f})).init("z", ints({}, {3}, TensorProto::INT8));
  m.init("starts", ints({1}, {0})).init("ends", ints({1}, {2})).init("axes", ints({1}, {1}));
  m.init("fc", floats({8, 3}, ramp(24)))
      .init("c", ints({}, {1}, TensorProto::BOOL))
      .init("pads", ints({8}, {0, 0, 1, 1, 0, 0, 1, 1}));
  m.node("Pad", {"x", "pads"}, {"p"});
  m.node("Conv", {"p", "w", "b"}, {"conv"}).set("strides", {2, 2}).set("auto_pad", "SAME_UPPER");
  m.node("QuantizeLinear", {"conv", "s", "z"}, {"q"});
  m.node("DequantizeLinear", {"q", "s", "z"}, {"d"});
  m.node("MaxPool", {"d"}, {"mp"})
      .set("kernel_shape", {2, 2})
      .set("strides", {2, 2})
      .set("ceil_mode", 1);
  m.node("Slice", {"mp", "starts", "ends", "axes"}, {"sl"});
  onnxpb::GraphProto then;
  GraphMaker(&then).output("o").node("Relu", {"sl"}, {"o"});
  m.node("If", {"c"}, {"r"}).set("then_branch", then).set("else_branch", then);
  m.node("Flatten", {"r"}, {"f"});
  m.node("Gemm", {"f", "fc"}, {"g"}).set("alpha", 0.5f);
  m.node("Softmax", {"g"}, {"y"}).set("axis", -1);
  REQUIRE(m.import());
  return m.bytes();
}

/// Imports; a graph that comes out is valid, none comes with a reason.
static bool importBytes(const std::string &bytes) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = importONNX(llvm::MemoryBufferRef(bytes, "fuzz.onnx"), {}, diag);
  bool reasoned = graph ? !diag.hasErrors() : diag.hasErrors();
  if (!reasoned || diag.exitCode() == static_cast<int>(ErrorClass::Internal)) {
    for (const Diagnostic &d : diag.diagnostics())
      UNSCOPED_INFO(formatDiagnostic(d));
    return false;
  }
  return true;
}

TEST_CASE("a model cut off anywhere", "[onnx][fuzz]") {
  std::string bytes = seedModel();
  for (size_t n = 0; n < bytes.size(); ++n) {
    INFO("cut at byte " << n);
    REQUIRE(importBytes(bytes.substr(0, n)));
  }
}

TEST_CASE("a model with changed bytes", "[onnx][fuzz]") {
  std::string bytes = seedModel();
  for (unsigned seed = 0; seed < 4000; ++seed) {
    std::minstd_rand random(seed + 1);
    std::string damaged = bytes;
    for (unsigned change = 0, changes = 1 + random() % 4; change < changes; ++change) {
      size_t at = random() % damaged.size();
      switch (random() % 4) {
      case 0:
        damaged[at] = static_cast<char>(random());
        break;
      case 1:
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
        break;
      case 2:
        damaged.erase(at, 1 + random() % 8);
        break;
      case 3:
        damaged.insert(at, 1 + random() % 8, static_cast<char>(random()));
        break;
      }
      if (damaged.empty())
        break;
    }
    INFO("seed " << seed);
    REQUIRE(importBytes(damaged));
  }
}

TEST_CASE("a model with changed numbers", "[onnx][fuzz]") {
  // Changes in parsed form get past the parser and into the converters.
  static const int64_t numbers[] = {0,  1,       -1,        2,         3,         7,
                                    64, 1 << 20, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  onnxpb::ModelProto original;
  REQUIRE(original.ParseFromString(seedModel()));
  for (unsigned seed = 0; seed < 4000; ++seed) {
    std::minstd_rand random(seed + 1);
    onnxpb::ModelProto model = original;
    auto *graph = model.mutable_graph();
    int64_t number = numbers[random() % std::size(numbers)];
    auto *node =
        graph->mutable_node(static_cast<int>(random() % static_cast<unsigned>(graph->node_size())));
    auto *tensor = graph->mutable_initializer(
        static_cast<int>(random() % static_cast<unsigned>(graph->initializer_size())));
    switch (random() % 6) {
    case 0: // an attribute
      if (node->attribute_size() > 0) {
        auto *attr = node->mutable_attribute(
            static_cast<int>(random() % static_cast<unsigned>(node->attribute_size())));
        attr->set_i(number);
        if (attr->ints_size() > 0)
          attr->set_ints(static_cast<int>(random() % static_cast<unsigned>(attr->ints_size())),
                         number);
      }
      break;
    case 1: // a dimension of an initializer
      if (tensor->dims_size() > 0)
        tensor->set_dims(static_cast<int>(random() % static_cast<unsigned>(tensor->dims_size())),
                         number);
      break;
    case 2: // a number in an initializer
      if (tensor->int64_data_size() > 0)
        tensor->set_int64_data(
            static_cast<int>(random() % static_cast<unsigned>(tensor->int64_data_size())), number);
      break;
    case 3: // a type
      tensor->set_data_type(static_cast<int>(random() % 24));
      break;
    case 4: // an operand
      if (node->input_size() > 0)
        node->set_input(static_cast<int>(random() % static_cast<unsigned>(node->input_size())),
                        tensor->name());
      break;
    case 5: // a dimension of the input
      graph->mutable_input(0)
          ->mutable_type()
          ->mutable_tensor_type()
          ->mutable_shape()
          ->mutable_dim(static_cast<int>(random() % 4))
          ->set_dim_value(number);
      break;
    }
    INFO("seed " << seed);
    REQUIRE(importBytes(model.SerializeAsString()));
  }
}

TEST_CASE("constants that grow without end", "[onnx][fuzz]") {
  Model m;
  m.input("x", {1}).output("y").init("c0", floats({1}, {1}));
  SECTION("by concatenation") {
    for (int i = 0; i < 60; ++i) {
      std::string from = "c" + std::to_string(i);
      m.node("Concat", {from, from}, {"c" + std::to_string(i + 1)}).set("axis", 0);
    }
  }
  SECTION("by Tile") {
    m.init("r", ints({1}, {1 << 20}));
    for (int i = 0; i < 60; ++i)
      m.node("Tile", {"c" + std::to_string(i), "r"}, {"c" + std::to_string(i + 1)});
  }
  m.node("Add", {"x", "c60"}, {"y"});
  CHECK(!m.import());
  CHECK(m.diag.hasErrors());
}
