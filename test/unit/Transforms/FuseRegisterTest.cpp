// What the text tests of fusion (test/lit/fuse) cannot see: the predicate of the kernel families, the numbers in the
// remarks, schemes that no verified graph mixes, names of nodes that are not unique.
#include "mfc/IR/Parser.h"
#include "mfc/Transforms/FuseRegister.h"

#include <catch2/catch.hpp>

using namespace mfc;

namespace {
struct Fused {
  DiagnosticEngine diag;
  RemarkList remarks;
  Graph graph;
  Plan plan;

  explicit Fused(const char *body, FuseOptions options = {}) {
    std::optional<Graph> parsed = parseGraph(std::string("graph @g {\n") + body + "\n}\n", "t", diag);
    REQUIRE(parsed);
    graph = std::move(*parsed);
    PassContext ctx{diag, remarks};
    fuseRegister(graph, plan, ctx, options);
  }
  std::vector<std::string> kernelNames() const {
    std::vector<std::string> names;
    for (const Kernel *kernel : plan.kernels())
      names.push_back(kernel->name);
    return names;
  }
};
} // namespace

using Names = std::vector<std::string>;

static const char *kDenseReluTanh = "%in = input : f32[1,2]\n%w = constant : f32[2,2] = [1, 2, 3, 4]\n"
                                    "%0 = dense %in, %w : f32[1,2] loc(\"fc\")\n"
                                    "%1 = clamp %0 {min = 0, max = inf} : f32[1,2] loc(\"relu\")\n"
                                    "%2 = tanh %1 : f32[1,2] loc(\"tanh\")\noutput %2";

TEST_CASE("the kernel family decides which tails it takes") {
  std::vector<std::string> asked;
  FuseOptions options;
  options.canFuseTail = [&](const Operation &anchor, const Operation &tail, const TargetInfo *) {
    asked.push_back(anchor.info().name.str() + "+" + tail.info().name.str());
    return tail.kind() == OpKind::Clamp;
  };
  Fused f(kDenseReluTanh, options);
  CHECK(asked == Names{"dense+clamp", "dense+tanh"}); // about the anchor, whatever stands between
  CHECK(f.kernelNames() == Names{"k0_dense", "k1_tanh"});
  REQUIRE(f.remarks.size() == 2);
  CHECK(f.remarks[0].kind == RemarkKind::Passed);
  CHECK(f.remarks[1].kind == RemarkKind::Missed);
  CHECK(f.remarks[1].name == "family");
  CHECK(f.remarks[1].subject == "relu + tanh");
  CHECK(f.remarks[1].message == "no (kernels of dense take no tanh)");
}

TEST_CASE("remarks carry numbers for machines") {
  Fused f(kDenseReluTanh);
  REQUIRE(f.remarks.size() == 2);
  using Args = std::vector<std::pair<std::string, std::string>>;
  CHECK(f.remarks[0].pass == "fuse");
  CHECK(f.remarks[0].args == Args{{"bytes_saved", "8"}, {"producer", "dense"}, {"tail", "clamp"}, {"anchor_macs", "4"}});
}

TEST_CASE("a kernel describes itself") {
  Fused f(kDenseReluTanh);
  REQUIRE(f.plan.kernels().size() == 1);
  const Kernel &kernel = *f.plan.kernels()[0];
  CHECK(kernel.ops == f.graph.ops());
  CHECK(kernel.anchor == f.graph.ops()[0]);
  CHECK(kernel.output == f.graph.ops()[2]->result());
  CHECK(kernel.inputs == std::vector<Value *>{f.graph.inputs()[0]});
  CHECK(f.plan.placementOf(f.graph.ops()[0]->result())->kind == PlacementKind::Register);
  CHECK(f.plan.placementOf(kernel.output)->kind == PlacementKind::Arena);
  CHECK(f.plan.placementOf(f.graph.constants()[0])->kind == PlacementKind::Flash);
}

TEST_CASE("a tail that mixes quantization schemes is refused, a conversion is not") {
  Fused mixed("%in = input : f32[2]\n%0 = neg %in : f32[2]\n%1 = abs %0 : i8[2] q(1, 0)\noutput %1");
  REQUIRE(mixed.remarks.size() == 1);
  CHECK(mixed.remarks[0].name == "scheme");
  CHECK(mixed.remarks[0].message == "no (the value is float, the result quantized per tensor)");
  Fused conversion("%in = input : f32[2]\n%0 = neg %in : f32[2]\n%1 = quantize %0 : i8[2] q(1, 0)\noutput %1");
  CHECK(conversion.kernelNames() == Names{"k0_neg"});
}

TEST_CASE("nodes whose names are not unique show their numbers") {
  Fused f("%in = input : f32[2]\n%0 = neg %in : f32[2] loc(\"NEG\", 4)\n%1 = neg %0 : f32[2] loc(\"NEG\", 7)\n"
          "%2 = abs %1 : f32[2] loc(\"ABS\", 8)\noutput %2");
  REQUIRE(f.remarks.size() == 2);
  CHECK(f.remarks[0].subject == "NEG#4 + NEG#7");
  CHECK(f.remarks[1].subject == "NEG#7 + ABS");
}

TEST_CASE("equal computation: the later producer takes the sum") {
  Fused f("%in = input : f32[2]\n%a = neg %in : f32[2] loc(\"a\")\n%b = abs %in : f32[2] loc(\"b\")\n"
          "%2 = add %a, %b : f32[2] loc(\"sum\")\noutput %2");
  CHECK(f.kernelNames() == Names{"k0_neg", "k1_abs"});
  CHECK(f.plan.kernels()[1]->inputs.size() == 2);
  CHECK(f.remarks[0].subject == "a + sum");
  CHECK(f.remarks[0].name == "competing");
}

TEST_CASE("a kernel runs where its last operation stands") {
  // The heavy convolution stands first, but its sum needs the light one: so the light one runs first.
  Fused f("%in = input : f32[1,1,1,2]\n%w = constant : f32[2,3,3,2] = splat 1\n%v = constant : f32[2,1,1,2] = splat 1\n"
          "%0 = conv2d %in, %w {pad = [1, 1, 1, 1]} : f32[1,1,1,2] loc(\"heavy\")\n"
          "%1 = conv2d %in, %v : f32[1,1,1,2] loc(\"light\")\n%2 = add %1, %0 : f32[1,1,1,2]\noutput %2");
  REQUIRE(f.plan.kernels().size() == 2);
  CHECK(f.plan.kernels()[0]->anchor->loc.node == "light");
  CHECK(f.plan.kernels()[1]->anchor->loc.node == "heavy");
}

static FuseOptions takesTransposes() {
  FuseOptions options;
  options.canFuseTail = [](const Operation &, const Operation &, const TargetInfo *) { return true; };
  options.canFuseHead = [](const Operation &, const Operation &) { return true; };
  return options;
}

static const char *kPointwise = "%in = input : f32[1,2,3,2]\n%w = constant : f32[2,1,1,2] = [1, 2, 3, 4]\n"
                                "%0 = conv2d %in, %w : f32[1,2,3,2] loc(\"conv\")\n"
                                "%1 = transpose %0 {perm = [0, 3, 1, 2]} : f32[1,2,2,3] loc(\"moved\")\n";

TEST_CASE("behind a remap, operations join that need no position") {
  Fused f((kPointwise + std::string("%2 = clamp %1 {min = 0, max = inf} : f32[1,2,2,3]\n%c = constant : f32[] = [2]\n"
                                    "%3 = mul %2, %c : f32[1,2,2,3]\noutput %3"))
              .c_str(),
          takesTransposes());
  CHECK(f.kernelNames() == Names{"k0_conv2d"});
  REQUIRE(f.remarks.size() == 3);
  CHECK(f.remarks[0].name == "index-remap");
  CHECK(f.remarks[1].name == "elementwise-tail");
}

TEST_CASE("behind a remap, an operand of another order is refused") {
  for (const char *more : {"%c = constant : f32[3] = [1, 2, 3]\n%2 = add %1, %c : f32[1,2,2,3]\noutput %2",
                           "%c = input : f32[1,2,2,3]\n%2 = add %1, %c : f32[1,2,2,3]\noutput %2"}) {
    Fused f((kPointwise + std::string(more)).c_str(), takesTransposes());
    CHECK(f.kernelNames() == Names{"k0_conv2d", "k1_add"});
    REQUIRE(f.remarks.size() == 2);
    CHECK(f.remarks[1].name == "remap");
  }
}

TEST_CASE("a kernel has one remap behind its anchor, and the next one reads through the other") {
  Fused f((kPointwise + std::string("%2 = transpose %1 {perm = [0, 2, 1, 3]} : f32[1,2,2,3]\n%v = constant : f32[1,1,1,3] = splat 1\n"
                                    "%3 = conv2d %2, %v : f32[1,2,2,1]\noutput %3"))
              .c_str(),
          takesTransposes());
  CHECK(f.kernelNames() == Names{"k0_conv2d", "k1_conv2d"});
  CHECK(f.plan.kernels()[0]->output == f.graph.ops()[1]->result());
  CHECK(f.plan.kernels()[1]->inputs == std::vector<Value *>{f.graph.ops()[1]->result()});
}

TEST_CASE("a transpose that a kernel stores through is not read through too") {
  Fused f((kPointwise + std::string("%v = constant : f32[1,1,1,3] = splat 1\n%2 = conv2d %1, %v : f32[1,2,2,1]\noutput %2")).c_str(),
          takesTransposes());
  CHECK(f.kernelNames() == Names{"k0_conv2d", "k1_conv2d"});
  CHECK(f.plan.kernels()[0]->ops.size() == 2);
}
