// Graph editing: use lists, replacing, erasing, sorting and cloning.
#include "mfc/IR/Graph.h"
#include "mfc/IR/Printer.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace mfc;

static TensorType f32(Shape shape) { return {ElementType::F32, std::move(shape), std::nullopt}; }

namespace {
/// x -> neg -> abs, and a sum of x and neg.
struct Sample {
  Graph graph;
  Value *x = graph.addInput(f32({2}), "x");
  Value *neg = graph.add(OpKind::Neg, {x}, RoundingAttrs{}, f32({2}), {}, "neg");
  Value *abs = graph.add(OpKind::Abs, {neg}, RoundingAttrs{}, f32({2}), {}, "abs");
  Value *sum = graph.add(OpKind::Add, {x, neg}, RoundingAttrs{}, f32({2}), {}, "sum");
  Sample() {
    graph.name = "sample";
    graph.addOutput(abs, "a");
    graph.addOutput(sum, "s");
  }
  std::vector<OpKind> kinds() const {
    std::vector<OpKind> list;
    for (const Operation *op : graph.ops())
      list.push_back(op->kind());
    return list;
  }
};
} // namespace

TEST_CASE("use lists follow every edit") {
  Sample s;
  CHECK(s.x->users().size() == 2);
  CHECK(s.neg->users().size() == 2);
  CHECK(s.graph.useCount(s.abs) == 1); // as an output
  CHECK(s.graph.isOutput(s.sum));
  s.sum->producer()->setOperand(1, s.x);
  CHECK(s.x->users().size() == 3); // once for each use
  CHECK(s.neg->hasOneUse());
  s.abs->producer()->addOperand(s.x);
  CHECK(s.x->users().size() == 4);
  CHECK(s.abs->producer()->operandOrNull(1) == s.x);
  CHECK(s.abs->producer()->operandOrNull(2) == nullptr);
}

TEST_CASE("replacing a value reaches operations and outputs") {
  Sample s;
  s.graph.replaceAllUses(s.neg, s.x);
  CHECK(s.neg->users().empty());
  CHECK(s.sum->producer()->operand(1) == s.x);
  s.graph.replaceAllUses(s.abs, s.sum);
  CHECK(s.graph.outputs()[0].value == s.sum);
  CHECK(s.graph.outputs()[0].name == "a");
  CHECK(s.graph.useCount(s.sum) == 2);
}

TEST_CASE("dead operations and constants go, inputs stay") {
  Sample s;
  Value *c = s.graph.addConstant(f32({2}), std::vector<uint8_t>(8), "c");
  Value *unused = s.graph.add(OpKind::Mul, {s.abs, c}, RoundingAttrs{}, f32({2}), {});
  s.graph.add(OpKind::Neg, {unused}, RoundingAttrs{}, f32({2}), {});
  s.graph.addInput(f32({1}), "spare");
  CHECK(s.graph.eraseDead() == 2);
  CHECK(s.kinds() == std::vector<OpKind>{OpKind::Neg, OpKind::Abs, OpKind::Add});
  CHECK(s.graph.constants().empty());
  CHECK(s.graph.inputs().size() == 2);
  CHECK(s.abs->users().empty());
  CHECK(s.graph.eraseDead() == 0);
}

TEST_CASE("sorting puts operands first and keeps what is right") {
  Sample s;
  Operation *neg = s.neg->producer(), *abs = s.abs->producer(), *sum = s.sum->producer();
  s.graph.moveBefore(abs, neg);
  CHECK(s.kinds() == std::vector<OpKind>{OpKind::Abs, OpKind::Neg, OpKind::Add});
  CHECK(s.graph.sortTopologically());
  CHECK(s.graph.position(neg) < s.graph.position(abs));
  CHECK(s.graph.position(neg) < s.graph.position(sum));
  neg->setOperand(0, s.abs); // a cycle of two
  CHECK_FALSE(s.graph.sortTopologically());
  CHECK(s.graph.opCount() == 3);
}

TEST_CASE("inserting before an operation") {
  Sample s;
  Value *tanh = s.graph.add(OpKind::Tanh, {s.x}, RoundingAttrs{}, f32({2}), {}, "t", s.abs->producer());
  CHECK(s.kinds() == std::vector<OpKind>{OpKind::Neg, OpKind::Tanh, OpKind::Abs, OpKind::Add});
  CHECK(tanh->name == "t");
}

TEST_CASE("a clone prints the same and is independent") {
  Sample s;
  Value *c = s.graph.addConstant(f32({2}), std::vector<uint8_t>(8, 1), "c");
  s.sum->producer()->setOperand(1, c);
  Graph copy = s.graph.clone();
  CHECK(printToString(copy) == printToString(s.graph));
  CHECK(copy.constants()[0]->constantData() == c->constantData()); // contents are shared
  std::string before = printToString(copy);
  s.graph.outputs().pop_back();
  s.graph.eraseDead();
  CHECK(printToString(copy) == before);
}
