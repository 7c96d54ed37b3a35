// Fusion and memory planning over random graphs: every plan verifies, and running the kernels in the planned arena
// gives what the operations give one after the other.
#include "PlanFixture.h"
#include "RandomGraph.h"
#include "mfc/IR/PlanPrinter.h"
#include "mfc/Memory/ExecutionOrder.h"

#include <map>

using namespace mfc;

using Contents = std::map<const Value *, Tensor>;

static Tensor evaluate(const Operation &op, const Contents &contents) {
  std::vector<const Tensor *> operands;
  std::vector<Tensor> constants(op.operands().size());
  for (size_t i = 0; i < op.operands().size(); ++i) {
    const Value *operand = op.operand(i);
    if (operand->isConstant())
      constants[i] = Tensor(operand->type, operand->bytes());
    operands.push_back(operand->isConstant() ? &constants[i] : &contents.at(operand));
  }
  return std::move(evalOp(op, operands)[0]);
}

/// All values, each in memory of its own.
static Contents runGraph(const Graph &graph) {
  Contents contents;
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    contents[graph.inputs()[i]] = randomTensor(graph.inputs()[i]->type, i);
  for (const Operation *op : graph.ops())
    contents[op->result()] = evaluate(*op, contents);
  return contents;
}

/// Runs the kernels one after the other on the arena. Whatever is not stored is unknown to the next kernel; scratch is
/// filled with rubbish while its kernel runs.
class ArenaRun {
public:
  ArenaRun(const Graph &graph, const Plan &plan)
      : graph(graph), plan(plan), arena(plan.regions[0].bytes, 0xa5) {
    for (size_t i = 0; i < plan.kernels().size(); ++i) // caller's buffers
      for (const auto &[value, placement] : plan.placements)
        if (placement.kind == PlacementKind::Caller)
          caller[placement.ioIndex].assign(placement.bytes, 0xa5);
  }

  /// The outputs at the end.
  std::vector<Tensor> run(const Contents &inputs) {
    for (const Value *input : graph.inputs())
      store(input, inputs.at(input));
    for (const Kernel *kernel : plan.kernels())
      runKernel(*kernel);
    std::vector<Tensor> outputs;
    for (const GraphOutput &output : graph.outputs())
      outputs.push_back(load(output.value));
    return outputs;
  }

private:
  const Graph &graph;
  const Plan &plan;
  std::vector<uint8_t> arena;
  std::map<int, std::vector<uint8_t>> caller;

  uint8_t *address(const Placement &placement) {
    if (placement.kind == PlacementKind::Caller)
      return caller.at(placement.ioIndex).data();
    REQUIRE(placement.kind == PlacementKind::Arena);
    REQUIRE(placement.offset + placement.bytes <= arena.size());
    return arena.data() + placement.offset;
  }
  void store(const Value *value, const Tensor &tensor) {
    const Placement &placement = plan.placements.at(value);
    REQUIRE(tensor.bytes.size() == placement.bytes);
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), address(placement));
  }
  Tensor load(const Value *value) {
    const Value *memory = value;
    while (plan.placements.at(memory).kind == PlacementKind::Flash)
      memory = memory->isConstant() ? memory : memory->producer()->operand(0);
    const Placement &placement = plan.placements.at(memory);
    return Tensor(value->type, llvm::ArrayRef(address(placement), value->type.bytes()));
  }

  void runKernel(const Kernel &kernel) {
    Contents local;
    for (const Value *input : kernel.inputs)
      local[input] = load(input);
    auto scratch = plan.scratch.find(kernel.anchor);
    if (scratch != plan.scratch.end())
      std::fill_n(address(scratch->second), scratch->second.bytes, uint8_t(0x5a));
    for (const Operation *op : kernel.ops)
      local[op->result()] = evaluate(*op, local);
    store(kernel.output, local.at(kernel.output));
  }
};

static std::string planText(const PlanFixture &f) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printPlan(f.graph, f.plan, os);
  return text;
}

/// A value that depends on constants only would need a kernel without inputs; fold-constants removes such operations
/// before fusion, and the generator makes none.
static void checkPlan(uint64_t seed, const FuseOptions &fuse, const MemoryOptions &memory) {
  RandomGraphOptions options;
  options.operations = 4 + seed % 16;
  PlanFixture f(randomGraph(seed, options), fuse);
  RandomNumbers random(seed);
  for (Kernel *kernel : f.plan.kernels())
    if (random.chance(30))
      kernel->scratchBytes = static_cast<uint64_t>(random.between(1, 500));
  if (seed % 2 != 0)
    orderGroups(f.graph, f.plan, memory);
  const Region &region = f.planned(memory);
  INFO("seed " << seed << "\n" << planText(f));
  REQUIRE(f.faults(memory) == "");
  REQUIRE(region.bytes >= region.lowerBound);
  Contents expected = runGraph(f.graph);
  std::vector<Tensor> outputs = ArenaRun(f.graph, f.plan).run(expected);
  for (size_t i = 0; i < outputs.size(); ++i)
    REQUIRE(outputs[i].bytes == expected.at(f.graph.outputs()[i].value).bytes);
}

TEST_CASE("random graphs: plans verify, and running them in the arena gives the same results") {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    FuseOptions fuse;
    MemoryOptions memory;
    fuse.fuse = seed % 5 != 0;
    fuse.callerIO = seed % 7 == 0;
    memory.inPlace = seed % 3 != 0;
    memory.preserveInputs = seed % 11 == 0;
    memory.align = uint64_t(1) << seed % 6;
    checkPlan(seed, fuse, memory);
  }
}

TEST_CASE("fusion makes fewer kernels and no larger arena over many graphs") {
  uint64_t kernels[2] = {}, bytes[2] = {};
  for (uint64_t seed = 0; seed < 200; ++seed)
    for (bool fuse : {false, true}) {
      FuseOptions options;
      options.fuse = fuse;
      PlanFixture f(randomGraph(seed), options);
      kernels[fuse] += f.plan.kernels().size();
      bytes[fuse] += f.planned().bytes;
    }
  CHECK(kernels[1] * 10 < kernels[0] * 9);
  CHECK(bytes[1] <= bytes[0]);
}

TEST_CASE("the same graph gets the same plan") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    PlanFixture a(randomGraph(seed)), b(randomGraph(seed));
    a.planned();
    b.planned();
    CHECK(planText(a) == planText(b));
  }
}
