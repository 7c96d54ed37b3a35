// Runs operations in graph order with evalOp; see the header.
#include "mfc/Interp/Interpreter.h"

#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"
#include "llvm/ADT/DenseMap.h"
#include <cassert>
#include <map>

using namespace mfc;

static llvm::Error checkInputs(const Graph &graph, llvm::ArrayRef<Tensor> inputs) {
  if (inputs.size() != graph.inputs().size())
    return makeError(ErrorClass::Usage, llvm::Twine(inputs.size()) + " inputs given, wanted " +
                                            llvm::Twine(graph.inputs().size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorType &found = inputs[i].type, &wanted = graph.inputs()[i]->type;
    if (found.element != wanted.element || found.shape != wanted.shape || inputs[i].bytes.size() != wanted.bytes())
      return makeError(ErrorClass::Usage, "input " + llvm::Twine(i) + " is " + elementName(found.element) + " " +
                                              shapeText(found.shape) + " in " + llvm::Twine(inputs[i].bytes.size()) +
                                              " bytes, wanted " + elementName(wanted.element) + " " +
                                              shapeText(wanted.shape));
  }
  return llvm::Error::success();
}

/// No microcontroller tensor comes near; a hostile model must not end in an allocation failure.
static constexpr uint64_t kLargestTensorBytes = uint64_t(1) << 31;

static llvm::Error checkSizes(const Graph &graph) {
  for (const Operation *op : graph.ops())
    if (uint64_t bytes = op->result()->type.bytes(); bytes > kLargestTensorBytes)
      return makeError(ErrorClass::Unsupported, "result of " + op->info().name + " has " + llvm::Twine(bytes) +
                                                    " bytes, wanted at most " + llvm::Twine(kLargestTensorBytes));
  return llvm::Error::success();
}

namespace {
/// Contents of values while a graph runs.
class Environment {
public:
  explicit Environment(const Graph &graph) : graph(graph) {}

  void set(const Value *value, Tensor tensor) {
    usesLeft[value] = graph.useCount(value);
    contents[value] = std::move(tensor);
  }

  const Tensor *get(const Value *value) {
    auto it = contents.find(value);
    if (it == contents.end()) {
      assert(value->isConstant() && "operands come before users");
      set(value, Tensor(value->type, value->bytes()));
      it = contents.find(value);
    }
    return &it->second;
  }

  void release(const Value *value) {
    if (--usesLeft[value] == 0)
      contents.erase(value);
  }

private:
  const Graph &graph;
  // Tensors are handed out by address while others are added, so the map must not move them.
  std::map<const Value *, Tensor> contents;
  llvm::DenseMap<const Value *, size_t> usesLeft;
};
} // namespace

llvm::Expected<std::vector<Tensor>> mfc::interpret(const Graph &graph, llvm::ArrayRef<Tensor> inputs,
                                                   const InterpOptions &options) {
  if (llvm::Error error = checkInputs(graph, inputs))
    return error;
  if (llvm::Error error = checkSizes(graph))
    return error;
  Environment environment(graph);
  for (size_t i = 0; i < inputs.size(); ++i)
    environment.set(graph.inputs()[i], Tensor(graph.inputs()[i]->type, inputs[i].bytes));
  for (const Operation *op : graph.ops()) {
    std::vector<const Tensor *> operands;
    for (const Value *operand : op->operands())
      operands.push_back(environment.get(operand));
    std::vector<Tensor> results = evalOp(*op, operands);
    if (options.observer)
      options.observer(*op, results.front());
    environment.set(op->result(), std::move(results.front()));
    for (const Value *operand : op->operands())
      environment.release(operand);
  }
  std::vector<Tensor> outputs;
  for (const GraphOutput &output : graph.outputs())
    outputs.push_back(*environment.get(output.value));
  return outputs;
}
