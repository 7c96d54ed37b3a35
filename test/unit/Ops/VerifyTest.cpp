// What the verifier refuses, with the words it uses and the exit code; one test a constraint.
#include "GraphText.h"

using namespace mfc;
using namespace mfc::test;
using Catch::Matchers::Contains;

/// A quantized dense whose parts a test can replace.
struct DenseText {
  std::string x = "i8[1,2] q(0.5, 0)", w = "i8[3,2] q(0.25, 0)", weights = "splat 1", b = "i32[3] q(0.125, 0)",
              bias = "splat 5", attrs = "rounding = tflite_double", y = "i8[1,3] q(1, 0)";
  std::string body() const {
    return "%x = input \"x\" : " + x + "\n%w = constant \"w\" : " + w + " = " + weights + "\n%b = constant \"b\" : " + b +
           " = " + bias + "\n%0 = dense %x, %w, %b {" + attrs + "} : " + y + "\noutput %0";
  }
};

/// input -> op -> output with free text.
static std::string single(const std::string &in, const std::string &op, const std::string &out) {
  return "%x = input \"x\" : " + in + "\n%0 = " + op + " : " + out + "\noutput %0";
}

TEST_CASE("a good graph has no problems") { CHECK(problems(DenseText().body()) == ""); }

TEST_CASE("anchor constraints") {
  DenseText t;
  SECTION("anchor_c1: types") {
    t.y = "f32[1,3]";
    CHECK_THAT(problems(t.body()), Contains("dense of quantized i8, quantized i8 and quantized i32 with result f32 is not supported"));
    CHECK(exitCode(t.body()) == 3);
  }
  SECTION("anchor_c2: bias length") {
    t.b = "i32[2] q(0.125, 0)";
    CHECK_THAT(problems(t.body()), Contains("tensor 'b': weights have 3 output channels but bias has shape 2"));
    CHECK(exitCode(t.body()) == 2);
  }
  SECTION("anchor_c3: constant weights") {
    std::string body = R"(%x = input "x" : f32[1,2]
      %w = input "w" : f32[3,2]
      %t = identity %w : f32[3,2]
      %0 = dense %x, %t : f32[1,3]
      output %0)";
    CHECK_THAT(problems(body), Contains("weights must be constant"));
    CHECK(exitCode(body) == 3);
  }
  SECTION("anchor_c3: weights computed from constants are constant") {
    std::string body = R"(%x = input "x" : i8[1,2] q(1, 0)
      %w = constant "w" : i8[2,3] q(1, 0) = splat 1
      %t = transpose %w {perm = [1, 0]} : i8[3,2] q(1, 0)
      %0 = dense %x, %t : i8[1,3] q(1, 0)
      output %0)";
    CHECK(problems(body) == "");
  }
  SECTION("anchor_c4: scales along the wrong dimension") {
    t.w = "i8[3,2] q(axis 1: 0.5:0, 0.5:0)";
    CHECK_THAT(problems(t.body()), Contains("weights have scales along dimension 1, wanted the output channels in dimension 0"));
  }
  SECTION("anchor_c4: weight zero point") {
    t.w = "i8[3,2] q(0.25, 1)";
    CHECK_THAT(problems(t.body()), Contains("weights have zero point 1"));
  }
  SECTION("anchor_c4: input with many scales") {
    t.x = "i8[1,2] q(axis 1: 0.5:0, 0.25:0)";
    CHECK_THAT(problems(t.body()), Contains("tensor with 2 scales is not supported"));
  }
  SECTION("anchor_c5: bias scale") {
    t.b = "i32[3] q(0.1251, 0)";
    CHECK_THAT(problems(t.body()), Contains("bias has scale") && Contains("wanted input scale times weight scale"));
    t.b = "i32[3] q(0.12500001, 0)"; // one float rounding away
    CHECK(problems(t.body()) == "");
    t.b = "i32[3] q(0.125, 1)";
    CHECK_THAT(problems(t.body()), Contains("bias has zero point 1"));
  }
  SECTION("anchor_c6: accumulator") {
    t.bias = "splat 2147483000";
    CHECK(problems(t.body()) == ""); // 2 * 128 more still fits
    t.bias = "splat 2147483392";
    CHECK_THAT(problems(t.body()), Contains("accumulator of output channel 0 can reach 2147483648"));
    CHECK(exitCode(t.body()) == 2);
    t.bias = "splat 2147483391";
    CHECK(problems(t.body()) == "");
  }
  SECTION("anchor_c7: left shift") {
    t.y = "i8[1,3] q(1e-9, 0)";
    CHECK_THAT(problems(t.body()), Contains("overflow 32 bits"));
    t.attrs = "rounding = half_even"; // one 64-bit product, nothing to overflow
    CHECK(problems(t.body()) == "");
  }
  SECTION("all problems in one run") {
    t.w = "i8[3,2] q(axis 1: 0.5:0, 0.5:3)";
    t.b = "i32[2] q(0.125, 0)";
    std::string both = R"(%x = input "x" : f32[1,2]
      %0 = logistic %x : i8[1,2] q(1, 0)
      %1 = clamp %x {min = 1, max = 0} : f32[1,2]
      output %0
      output %1)";
    CHECK_THAT(problems(both), Contains("logistic of f32") && Contains("clamp to [1"));
  }
}

TEST_CASE("value constraints") {
  auto clamp = [](std::string type) { return single(type, "clamp %x {min = 0, max = 1}", type); };
  CHECK_THAT(problems(clamp("f32[1,0,3]")), Contains("shape 1x0x3 has no elements"));
  CHECK(exitCode(clamp("f32[1,0,3]")) == 3);
  CHECK_THAT(problems(clamp("f32[1,?]")), Contains("wanted known, positive dimensions"));
  CHECK(exitCode(clamp("f32[1,?]")) == 2);
  CHECK_THAT(problems(clamp("i8[2] q(0, 0)")), Contains("scale 0 is 0"));
  CHECK_THAT(problems(clamp("i8[2] q(-0.5, 0)")), Contains("wanted a positive, finite number"));
  CHECK_THAT(problems(clamp("i8[2] q(nan, 0)")), Contains("wanted a positive, finite number"));
  CHECK_THAT(problems(clamp("i8[2] q(inf, 0)")), Contains("wanted a positive, finite number"));
  CHECK_THAT(problems(clamp("i8[2] q(1, 128)")), Contains("zero point 0 is 128, wanted -128 to 127 for i8"));
  CHECK_THAT(problems(clamp("u8[2] q(1, -1)")), Contains("wanted 0 to 255 for u8"));
  CHECK_THAT(problems(clamp("f32[2] q(1, 0)")), Contains("f32 tensor has a scale"));
  CHECK_THAT(problems(clamp("i8[3] q(axis 0: 1:0, 1:0)")), Contains("found 2 scales and 2 zero points, wanted 3 of each"));
  CHECK_THAT(problems(clamp("i8[3] q(axis 1: 1:0, 1:0)")), Contains("quantization axis 1 is outside rank 1"));
}

TEST_CASE("a shape whose product overflows") {
  Graph graph;
  TensorType type{ElementType::F32, {int64_t(1) << 32, int64_t(1) << 32, 2}, std::nullopt};
  graph.addOutput(graph.add(OpKind::Neg, {graph.addInput(type, "x")}, RoundingAttrs{}, type, {}), "y");
  DiagnosticEngine diag;
  CHECK_FALSE(verifyGraph(graph, diag));
  CHECK_THAT(textOf(diag), Contains("more than 2^40 elements"));
}

TEST_CASE("a very long input is verified without walking along it") {
  CHECK(problems(single("f32[1,300000000000,1,1]", "max_pool2d %x {kernel = [3, 1], pad = [1, 0, 1, 0]}", "f32[1,300000000000,1,1]")) == "");
}

TEST_CASE("a constant shorter than its shape") {
  Graph graph = parsed(DenseText().body());
  Value *w = graph.addConstant({ElementType::F32, {4}, std::nullopt}, std::vector<uint8_t>(15), "short");
  graph.addOutput(graph.add(OpKind::Neg, {w}, RoundingAttrs{}, w->type, {}), "y");
  DiagnosticEngine diag;
  CHECK_FALSE(verifyGraph(graph, diag));
  CHECK_THAT(textOf(diag), Contains("tensor 'short': constant has 15 bytes, wanted 16"));
}

TEST_CASE("shapes and operand counts") {
  CHECK_THAT(problems(single("f32[2,3]", "transpose %x {perm = [0, 0]}", "f32[2,3]")), Contains("wanted each of 0 to 1 once"));
  CHECK_THAT(problems(single("f32[2,3]", "transpose %x {perm = [1, 0]}", "f32[2,3]")), Contains("result has shape 2x3, wanted 3x2"));
  CHECK_THAT(problems(single("f32[2,3]", "reshape %x", "f32[5]")), Contains("does not keep the number of elements"));
  CHECK_THAT(problems(single("f32[2,3]", "concat %x {axis = 2}", "f32[2,3]")), Contains("axis 2 is outside a tensor of rank 2"));
  CHECK_THAT(problems(single("f32[4]", "slice %x {begin = [1], stride = [2]}", "f32[3]")), Contains("a part inside the dimension"));
  CHECK_THAT(problems(single("f32[4]", "slice %x {begin = [4], stride = [1]}", "f32[1]")), Contains("a non-empty part"));
  CHECK_THAT(problems(single("f32[4]", "slice %x {begin = [0], stride = [0]}", "f32[2]")), Contains("a stride other than 0"));
  CHECK_THAT(problems(single("f32[4]", "pad %x {before = [-1], after = [1]}", "f32[4]")), Contains("wanted non-negative numbers"));
  CHECK_THAT(problems(single("f32[1,2,2,1]", "max_pool2d %x {kernel = [3, 3]}", "f32[1,1,1,1]")), Contains("does not fit the padded height of 2"));
  CHECK_THAT(problems(single("f32[1,2,2,1]", "max_pool2d %x {stride = [0, 1]}", "f32[1,2,2,1]")), Contains("stride 0"));
  CHECK_THAT(problems(single("f32[1,2,2,1]", "max_pool2d %x {pad = [1, 0, 0, 0]}", "f32[1,3,2,1]")), Contains("row 0 of the result reads padding only"));
}

TEST_CASE("attribute and type constraints of single operators") {
  CHECK_THAT(problems(single("i8[2] q(1, 0)", "clamp %x {min = 0.5, max = 1}", "i8[2] q(1, 0)")), Contains("wanted stored values of i8"));
  CHECK_THAT(problems(single("i8[2] q(1, 0)", "clamp %x {min = 0, max = 200}", "i8[2] q(1, 0)")), Contains("wanted stored values of i8"));
  CHECK_THAT(problems(single("i8[2] q(1, 0)", "clamp %x {min = 0, max = 1}", "i8[2] q(2, 0)")), Contains("clamp keeps the type"));
  CHECK_THAT(problems(single("f32[2]", "leaky_relu %x {alpha = inf}", "f32[2]")), Contains("wanted a finite number"));
  CHECK_THAT(problems(single("f32[2]", "softmax %x {beta = 0}", "f32[2]")), Contains("beta is 0"));
  CHECK_THAT(problems(single("i16[2] q(1, 0)", "softmax %x", "i16[2] q(1, 0)")), Contains("wanted f32 for both, or both quantized to i8 or u8"));
  CHECK_THAT(problems(single("i8[4096] q(1, 0)", "softmax %x", "i8[4096] q(1, 0)")), Contains("softmax over 4096 elements"));
  CHECK_THAT(problems(single("i8[1,1,2,1] q(1, 0)", "avg_pool2d %x {kernel = [1, 2]}", "i8[1,1,1,1] q(2, 0)")), Contains("TFLite's average pool does not rescale"));
  CHECK_THAT(problems(single("i8[2] q(1, 0)", "reshape %x", "i8[1,2] q(2, 0)")), Contains("wanted the same quantization on both"));
  CHECK_THAT(problems(single("i8[2] q(1, 0)", "exp %x", "i8[2] q(1, 0)")), Contains("wanted f32"));
  CHECK_THAT(problems(single("u8[2]", "neg %x", "u8[2]")), Contains("wanted f32, a signed integer type"));
  CHECK_THAT(problems(single("f32[2]", "quantize %x", "i8[2]")), Contains("wanted f32 to quantized"));
  CHECK_THAT(problems(single("i8[2]", "pad %x {before = [0], after = [1], value = 128}", "i8[3]")), Contains("pad value is"));
  std::string gather = "%x = input \"x\" : f32[3]\n%i = constant \"i\" : i32[2] = [0, 3]\n%0 = gather %x, %i {axis = 0} : f32[2]\noutput %0";
  CHECK_THAT(problems(gather), Contains("tensor 'i': index 3 is outside a dimension of 3"));
  std::string add = "%x = input \"x\" : i8[2] q(1, 0)\n%y = input \"y\" : f32[2]\n%0 = add %x, %y : i8[2] q(1, 0)\noutput %0";
  CHECK_THAT(problems(add), Contains("add of quantized i8 and f32"));
  std::string steep = "%x = input \"x\" : i8[2] q(10000000, 0)\n%0 = add %x, %x : i8[2] q(1, 0)\noutput %0";
  CHECK_THAT(problems(steep), Contains("more than 2^20 times the result scale"));
}

TEST_CASE("graph constraints") {
  CHECK_THAT(problems("%x = input \"x\" : f32[1]\noutput %x"), Contains("no operators") && Contains("output is an input"));
  CHECK(exitCode("%x = input \"x\" : f32[1]\noutput %x") == 3);
  std::string base = "%x = input \"x\" : f32[1]\n%c = constant \"c\" : f32[1] = [1]\n%0 = neg %x : f32[1]\n";
  CHECK_THAT(problems(base), Contains("graph has no outputs"));
  CHECK_THAT(problems(base + "output %0\noutput %c \"o\""), Contains("tensor 'o': output is a constant"));
  CHECK_THAT(problems(base + "output %0\noutput %0 \"twice\""), Contains("tensor 'twice': tensor is listed twice"));
  CHECK(exitCode(base + "output %0\noutput %0") == 3);
}

TEST_CASE("a cyclic graph is reported, and folding it ends") {
  Graph graph = parsed("%x = input \"x\" : f32[1]\n%0 = neg %x : f32[1]\n%1 = neg %0 : f32[1]\noutput %1");
  std::vector<Operation *> ops = graph.ops();
  ops[0]->setOperand(0, ops[1]->result());
  DiagnosticEngine diag;
  CHECK_FALSE(verifyGraph(graph, diag));
  CHECK_THAT(textOf(diag), Contains("used before it is computed"));
  CHECK(constantValue(*ops[1]->result()) == std::nullopt);
}
