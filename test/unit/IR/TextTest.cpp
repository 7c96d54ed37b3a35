// The text form keeps everything: print(parse(print(g))) == print(g), and what is read is what was meant.
#include "mfc/IR/Parser.h"
#include "mfc/IR/Printer.h"
#include "mfc/IR/Tensor.h"

#include <bit>
#include <catch2/catch.hpp>
#include <limits>

using namespace mfc;

static Graph parsed(llvm::StringRef text) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = parseGraph(text, "test.mfcir", diag);
  std::string errors;
  llvm::raw_string_ostream os(errors);
  diag.printText(os);
  INFO(text.str() << "\n" << errors);
  REQUIRE(graph.has_value());
  return std::move(*graph);
}

static void checkRoundTrip(const Graph &graph) {
  std::string text = printToString(graph);
  CHECK(printToString(parsed(text)) == text);
}

static const char *kExample = R"(graph @kws {
  %in0 = input "audio" : i8[1,4,4,1] q(0.0983, -128)
  %c0 = constant "w" : i8[2,1,1,1] q(axis 0: 0.5:0, 0.25:0) = [3, -4]
  %c1 = constant : i32[2] q(axis 0: 0.04915:0, 0.024575:0) = [100, -100]
  %c2 = constant "big" : f32[20] = splat 1.5
  %0 = conv2d %in0, %c0, %c1 {stride = [2, 2], pad = [0, 0, 1, 1], rounding = half_even} : i8[1,2,2,2] q(0.0235, -128) "conv/out" loc("conv2d_1", 17)
  %1 = clamp %0 {min = -128, max = 6.5} : i8[1,2,2,2] q(0.0235, -128)
  %2 = reshape %1 : i8[8] q(0.0235, -128) loc("", 3, tensor "a\"b\\\0A\C3\A4", byte 99)
  output %2 "labels"
  output %1
}
)";

TEST_CASE("the canonical text is a fixed point") {
  Graph graph = parsed(kExample);
  CHECK(printToString(graph) == kExample);
}

TEST_CASE("parsing fills every field") {
  Graph graph = parsed(kExample);
  CHECK(graph.name == "kws");
  CHECK(graph.file == "test.mfcir");
  REQUIRE(graph.inputs().size() == 1);
  CHECK(graph.inputs()[0]->name == "audio");
  CHECK(graph.inputs()[0]->type == quantizedType(ElementType::I8, {1, 4, 4, 1}, 0.0983f, -128));
  REQUIRE(graph.constants().size() == 3);
  CHECK(graph.constants()[0]->type.quant == Quantization{{0.5f, 0.25f}, {0, 0}, 0});
  CHECK(graph.constants()[0]->bytes().equals({3, 0xfc}));
  CHECK(graph.constants()[2]->bytes().size() == 80);
  REQUIRE(graph.opCount() == 3);
  const Operation *conv = graph.ops()[0];
  CHECK(conv->kind() == OpKind::Conv2D);
  CHECK(conv->operands().size() == 3);
  CHECK(conv->attrs<ConvAttrs>().stride == std::array<int64_t, 2>{2, 2});
  CHECK(conv->attrs<ConvAttrs>().dilation == std::array<int64_t, 2>{1, 1});
  CHECK(conv->attrs<ConvAttrs>().pad == std::array<int64_t, 4>{0, 0, 1, 1});
  CHECK(conv->attrs<ConvAttrs>().rounding == Rounding::HalfEven);
  CHECK(conv->loc.node == "conv2d_1");
  CHECK(conv->loc.nodeIndex == 17);
  CHECK(conv->loc.line == 6);
  CHECK(conv->loc.column == 3);
  CHECK(conv->result()->name == "conv/out");
  CHECK(graph.ops()[1]->attrs<ClampAttrs>() == ClampAttrs{-128, 6.5});
  CHECK(graph.ops()[2]->loc.tensor == "a\"b\\\n\xC3\xA4");
  CHECK(graph.ops()[2]->loc.byteOffset == 99);
  REQUIRE(graph.outputs().size() == 2);
  CHECK(graph.outputs()[0].name == "labels");
  CHECK(graph.outputs()[0].value == graph.ops()[2]->result());
  CHECK(graph.outputs()[1].value == graph.ops()[1]->result());
}

TEST_CASE("hand-written names, comments and line breaks are accepted and printed by position") {
  Graph graph = parsed("// a comment\ngraph @g {\n  %audio = input : f32[2] // another\n"
                       "  %sum.1 = add %audio,\n    %audio : f32[2]\n  output %sum.1\n}\n// the end");
  CHECK(printToString(graph) == "graph @g {\n  %in0 = input : f32[2]\n  %0 = add %in0, %in0 : f32[2]\n  output %0\n}\n");
}

TEST_CASE("names are any bytes") {
  std::string all;
  for (int c = 0; c < 256; ++c)
    all += static_cast<char>(c);
  Graph graph;
  graph.name = all;
  Value *in = graph.addInput({ElementType::F32, {1}, {}}, all);
  Location loc;
  loc.node = all;
  Value *neg = graph.add(OpKind::Neg, {in}, RoundingAttrs{}, in->type, loc, all);
  graph.addOutput(neg, all);
  checkRoundTrip(graph);
  Graph again = parsed(printToString(graph));
  CHECK(again.name == all);
  CHECK(again.inputs()[0]->name == all);
  CHECK(again.ops()[0]->loc.node == all);
  CHECK(again.ops()[0]->result()->name == all);
  CHECK(again.outputs()[0].name == all);
}

template <typename T> static void checkContents(ElementType element, std::vector<T> values) {
  for (size_t pad : {size_t(0), size_t(30)}) { // as a list and as hexadecimal digits
    std::vector<T> padded = values;
    padded.resize(values.size() + pad);
    std::vector<uint8_t> bytes(padded.size() * sizeof(T));
    std::memcpy(bytes.data(), padded.data(), bytes.size());
    Graph graph;
    graph.addConstant({element, {static_cast<int64_t>(padded.size())}, {}}, bytes, "c");
    checkRoundTrip(graph);
    Graph again = parsed(printToString(graph));
    CHECK(again.constants()[0]->bytes().vec() == bytes);
  }
}

TEST_CASE("constants keep every bit") {
  checkContents<uint8_t>(ElementType::Bool, {0, 1, 255});
  checkContents<int8_t>(ElementType::I8, {0, 1, -1, 127, -128});
  checkContents<uint8_t>(ElementType::U8, {0, 255});
  checkContents<int16_t>(ElementType::I16, {0, INT16_MIN, INT16_MAX});
  checkContents<uint16_t>(ElementType::U16, {0, UINT16_MAX});
  checkContents<int32_t>(ElementType::I32, {0, INT32_MIN, INT32_MAX});
  checkContents<uint32_t>(ElementType::U32, {0, UINT32_MAX});
  checkContents<int64_t>(ElementType::I64, {0, INT64_MIN, INT64_MAX});
  using Limits = std::numeric_limits<float>;
  checkContents<float>(ElementType::F32, {0.0f, -0.0f, 0.1f, 1e-5f, 16777217.0f, Limits::max(), -Limits::max(), Limits::min(),
                                          Limits::denorm_min(), -Limits::denorm_min(), Limits::infinity(),
                                          -Limits::infinity(), Limits::quiet_NaN()});
  checkContents<float>(ElementType::F32, {std::bit_cast<float>(0xffc00000u), std::bit_cast<float>(0x7fc00001u),
                                          std::bit_cast<float>(0xffffffffu)});
  checkContents<float>(ElementType::F32, {});
}

TEST_CASE("a scalar and an empty constant") {
  Graph graph = parsed("graph @g {\n  %c0 = constant : i32[] = [7]\n  %c1 = constant : f32[0,3] = []\n}\n");
  CHECK(graph.constants()[0]->type.rank() == 0);
  CHECK(graph.constants()[1]->bytes().empty());
  checkRoundTrip(graph);
}

TEST_CASE("special numbers in attributes and scales") {
  for (double bound : {-0.0, 1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                       std::bit_cast<double>(0xfff8000000000000ull), 5e-324, 0.1}) {
    Graph graph;
    Value *in = graph.addInput(quantizedType(ElementType::I8, {1}, 1e-30f, 3), "");
    graph.add(OpKind::Clamp, {in}, ClampAttrs{bound, -bound}, in->type, {});
    checkRoundTrip(graph);
    Graph again = parsed(printToString(graph));
    CHECK(std::bit_cast<uint64_t>(again.ops()[0]->attrs<ClampAttrs>().min) == std::bit_cast<uint64_t>(bound));
  }
}

TEST_CASE("every attribute struct survives with values that are not the defaults") {
  Attributes all[] = {
      ConvAttrs{{2, 3}, {4, 5}, {6, 7, 8, 9}, 10, Rounding::HalfEven},
      PoolAttrs{{2, 3}, {4, 5}, {6, 7}, {8, 9, 10, 11}, true, Rounding::TfliteSingle},
      RoundingAttrs{Rounding::HalfEven},
      ReduceAttrs{{1, 2}, false, Rounding::HalfEven},
      SoftmaxAttrs{2, 0.5f, Rounding::HalfEven},
      ClampAttrs{-1, 1},
      LeakyReluAttrs{0.1f, Rounding::HalfEven},
      TransposeAttrs{{3, 1, 2, 0}},
      AxisAttrs{3},
      SliceAttrs{{1, 2}, {-1, 3}},
      PadAttrs{{1}, {2}, -3.5},
      BatchNormAttrs{0.25f, 1},
      NoAttrs{},
  };
  for (const OpInfo &info : allOps()) {
    for (const Attributes &attributes : all) {
      if (attributes.index() != info.defaultAttrs.index())
        continue;
      Graph graph;
      Value *in = graph.addInput({ElementType::F32, {1}, {}}, "");
      graph.addOp(info.kind, std::vector<Value *>(static_cast<size_t>(info.minOperands), in), attributes, {in->type}, {});
      checkRoundTrip(graph);
      Graph again = parsed(printToString(graph));
      CHECK(again.ops()[0]->kind() == info.kind);
      CHECK(again.ops()[0]->attributes == attributes);
    }
  }
}

TEST_CASE("unknown dimensions and several results") {
  Graph graph;
  Value *in = graph.addInput({ElementType::F32, {kDynamicDim, 3}, {}}, "");
  Operation *op = graph.addOp(OpKind::Identity, {in}, NoAttrs{}, {in->type, in->type}, {});
  op->result(1)->name = "second";
  graph.addOutput(op->result(1), "");
  CHECK(printToString(graph) == "graph @\"\" {\n  %in0 = input : f32[?,3]\n"
                                "  %0, %1 = identity %in0 : f32[?,3], f32[?,3] \"second\"\n  output %1\n}\n");
  checkRoundTrip(graph);
}

TEST_CASE("elided constants print a hash and are refused by the parser") {
  std::vector<uint8_t> bytes(40);
  bytes[3] = 1;
  Graph graph;
  graph.name = "g";
  graph.addConstant({ElementType::I8, {40}, {}}, bytes, "");
  PrintOptions options;
  options.elideConstants = true;
  std::string text = printToString(graph, options);
  CHECK(llvm::StringRef(text).contains("= elided 0x"));
  DiagnosticEngine diag;
  CHECK_FALSE(parseGraph(text, "x", diag));
  REQUIRE(diag.errorCount() == 1);
  CHECK(diag.diagnostics()[0].message == "the contents of this constant are left out; print the graph without --elide-constants");
  bytes[3] = 2;
  Graph other;
  other.name = "g";
  other.addConstant({ElementType::I8, {40}, {}}, bytes, "");
  CHECK(printToString(other, options) != text);
}

TEST_CASE("printing without locations") {
  PrintOptions options;
  options.locations = false;
  CHECK_FALSE(llvm::StringRef(printToString(parsed(kExample), options)).contains("loc("));
}

TEST_CASE("a text with several graphs") {
  DiagnosticEngine diag;
  llvm::StringRef text = "graph @a {\n}\ngraph @b {\n}\n";
  auto graphs = parseGraphs(text, "x", diag);
  REQUIRE(graphs);
  REQUIRE(graphs->size() == 2);
  CHECK((*graphs)[1].name == "b");
  CHECK_FALSE(parseGraph(text, "x", diag));
  CHECK(diag.diagnostics()[0].message == "found 2 graphs, expected one");
}
