#include "PassTest.h"

#include "RandomGraph.h"

#include "mfc/IR/Parser.h"
#include "mfc/IR/Printer.h"
#include "mfc/Interp/Interpreter.h"
#include "mfc/Transforms/PassManager.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

using namespace mfc;

static std::string textOf(const DiagnosticEngine &diag) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diag.printText(os);
  return text;
}

Graph mfc::test::parsed(llvm::StringRef text) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = parseGraph(text, "test.mfcir", diag);
  INFO(text.str() << "\n" << textOf(diag));
  REQUIRE(graph.has_value());
  return std::move(*graph);
}

std::string mfc::test::plainText(const Graph &graph) {
  Graph copy = graph.clone();
  copy.name = "g";
  for (Value *constant : copy.constants())
    constant->name.clear();
  for (Value *input : copy.inputs())
    input->name.clear();
  for (Operation *op : copy.ops())
    for (Value *result : op->results())
      result->name.clear();
  for (GraphOutput &output : copy.outputs())
    output.name.clear();
  PrintOptions options;
  options.locations = false;
  // Constants are numbered by creation, which differs between ways to the same graph: print them in order of use.
  Graph ordered;
  ordered.name = "g";
  std::map<const Value *, Value *> map;
  for (Value *input : copy.inputs())
    map[input] = ordered.addInput(input->type, "");
  for (Operation *op : copy.ops()) {
    std::vector<Value *> operands;
    for (Value *operand : op->operands()) {
      if (operand->isConstant() && !map.count(operand))
        map[operand] = ordered.addConstant(operand->type, operand->constantData(), "");
      operands.push_back(map[operand]);
    }
    map[op->result()] = ordered.add(op->kind(), operands, op->attributes, op->result()->type, op->loc);
  }
  for (GraphOutput &output : copy.outputs())
    ordered.addOutput(map[output.value], "");
  return printToString(ordered, options);
}

std::string mfc::test::Outcome::errors() const { return textOf(diag); }

bool mfc::test::Outcome::hasRemark(llvm::StringRef pass, llvm::StringRef name) const {
  for (const Remark &remark : remarks)
    if (remark.pass == pass && remark.name == name)
      return true;
  return false;
}

mfc::test::Outcome mfc::test::runPasses(Graph graph, llvm::StringRef passes, const PassOptions &options) {
  Outcome outcome;
  outcome.graph = std::move(graph);
  PassContext ctx{.diag = outcome.diag, .remarks = outcome.remarks, .options = options};
  PassManager manager;
  llvm::Error error = manager.addList(passes);
  REQUIRE(!error);
  manager.verifyEach = true;
  outcome.ok = manager.run(outcome.graph, ctx);
  for (const PassTiming &timing : manager.timings())
    outcome.changed |= timing.changed;
  return outcome;
}

std::vector<Tensor> mfc::test::evaluate(const Graph &graph, llvm::ArrayRef<Tensor> inputs) {
  llvm::Expected<std::vector<Tensor>> outputs = interpret(graph, inputs);
  if (!outputs)
    FAIL(llvm::toString(outputs.takeError()));
  return std::move(*outputs);
}

void mfc::test::checkSameAnswers(const Graph &before, const Graph &after, double tolerance) {
  for (uint64_t round = 0; round < 4; ++round) {
    std::vector<Tensor> inputs;
    for (const Value *input : before.inputs())
      inputs.push_back(randomTensor(input->type, 16 * round + inputs.size()));
    std::vector<Tensor> wanted = evaluate(before, inputs), found = evaluate(after, inputs);
    REQUIRE(wanted.size() == found.size());
    for (size_t o = 0; o < wanted.size(); ++o) {
      REQUIRE(wanted[o].bytes.size() == found[o].bytes.size());
      if (!isFloat(wanted[o].type.element)) {
        CHECK(wanted[o].bytes == found[o].bytes);
        continue;
      }
      for (int64_t i = 0; i < wanted[o].type.count(); ++i) {
        double a = wanted[o].get<float>(i), b = found[o].get<float>(i);
        INFO("output " << o << " element " << i);
        CHECK(std::abs(a - b) <= tolerance * (1 + std::abs(a)));
      }
    }
  }
}

void mfc::test::checkPass(llvm::StringRef passes, llvm::StringRef before, llvm::StringRef after, double tolerance,
                          const PassOptions &options) {
  Outcome once = runPasses(parsed(before), passes, options);
  INFO(once.errors());
  REQUIRE(once.ok);
  CHECK(once.changed);
  CHECK(plainText(once.graph) == plainText(parsed(after)));
  if (tolerance >= 0)
    checkSameAnswers(parsed(before), once.graph, tolerance);
  std::string text = plainText(once.graph);
  Outcome twice = runPasses(std::move(once.graph), passes, options);
  CHECK(twice.ok);
  CHECK_FALSE(twice.changed);
  CHECK(plainText(twice.graph) == text);
}

void mfc::test::checkUnchanged(llvm::StringRef passes, llvm::StringRef text, const PassOptions &options) {
  Outcome outcome = runPasses(parsed(text), passes, options);
  INFO(outcome.errors());
  CHECK(outcome.ok);
  CHECK_FALSE(outcome.changed);
  CHECK(plainText(outcome.graph) == plainText(parsed(text)));
}
