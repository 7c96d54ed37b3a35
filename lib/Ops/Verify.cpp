// Entry points of verification: one operation, the whole graph.
#include "Verifier.h"

#include "OpFunctions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mfc;

static void dispatchVerify(OpVerifier &v) {
  switch (v.op.kind()) {
#define MFC_OP(Kind, ...)                                                                                              \
  case OpKind::Kind:                                                                                                   \
    return verify##Kind(v);
#include "mfc/IR/Ops.def"
#undef MFC_OP
  }
}

bool mfc::verifyOperation(const Operation &op, DiagnosticEngine &diag, ConstantLookup constants) {
  unsigned before = diag.errorCount();
  // op_c1: one result; the attributes of this operator.
  if (op.results().size() != 1)
    return diag.error(ErrorClass::BadModel, op.loc)
           << op.info().name << " has " << op.results().size() << " results, wanted 1";
  if (op.attributes.index() != op.info().defaultAttrs.index())
    return diag.error(ErrorClass::Internal, op.loc) << op.info().name << " has the attributes of another operator";
  // op_c2: operand count and shapes follow the operator's rule.
  llvm::Expected<std::vector<Shape>> shapes = inferShapes(op);
  if (!shapes) {
    reportError(diag, op.loc, shapes.takeError());
    return false;
  }
  if (shapes->front() != op.result()->type.shape)
    return diag.error(ErrorClass::BadModel, op.loc)
           << "result has shape " << shapeText(op.result()->type.shape) << ", wanted " << shapeText(shapes->front());
  OpVerifier verifier(op, diag, constants);
  dispatchVerify(verifier);
  return diag.errorCount() == before;
}

namespace {
/// Contents of constants; folds what is computed from constants and keeps it.
class FoldingLookup {
public:
  std::optional<llvm::ArrayRef<uint8_t>> operator()(const Value &value) {
    if (value.isConstant())
      return value.bytes();
    auto [it, isNew] = folded.try_emplace(&value);
    if (isNew)
      it->second = constantValue(value);
    if (!it->second)
      return std::nullopt;
    return llvm::ArrayRef<uint8_t>(it->second->bytes);
  }

private:
  llvm::DenseMap<const Value *, std::optional<Tensor>> folded;
};
} // namespace

bool mfc::verifyOp(const Operation &op, DiagnosticEngine &diag) {
  bool ok = true;
  for (const Value *operand : op.operands())
    ok &= verifyValue(*operand, op.loc, diag);
  for (const Value *result : op.results())
    ok &= verifyValue(*result, op.loc, diag);
  FoldingLookup lookup;
  return ok && verifyOperation(op, diag, lookup);
}

static bool verifyOutputs(const Graph &graph, const llvm::DenseSet<const Value *> &defined, DiagnosticEngine &diag) {
  unsigned before = diag.errorCount();
  auto at = [&](const GraphOutput &output) {
    Location location;
    location.file = graph.file;
    location.tensor = output.name;
    return location;
  };
  Location whole;
  whole.file = graph.file;
  // graph_c4: there is something to compute and something to return.
  if (graph.outputs().empty())
    diag.error(ErrorClass::BadModel, whole) << "graph has no outputs";
  if (graph.opCount() == 0)
    diag.error(ErrorClass::Unsupported, whole) << "graph has no operators, so there is nothing to compile";
  // graph_c5: an output is the result of an operation, listed once. Anything else would need a copy that the model
  // does not ask for.
  llvm::DenseSet<const Value *> seen;
  for (const GraphOutput &output : graph.outputs()) {
    if (!output.value || (output.value->producer() && !defined.contains(output.value)))
      diag.error(ErrorClass::BadModel, at(output)) << "output is not computed in the graph";
    else if (output.value->isInput())
      diag.error(ErrorClass::Unsupported, at(output)) << "output is an input of the graph, wanted a computed tensor";
    else if (output.value->isConstant())
      diag.error(ErrorClass::Unsupported, at(output)) << "output is a constant, wanted a computed tensor";
    else if (!seen.insert(output.value).second)
      diag.error(ErrorClass::Unsupported, at(output)) << "tensor is listed twice as an output, wanted it once";
  }
  return diag.errorCount() == before;
}

bool mfc::verifyGraph(const Graph &graph, DiagnosticEngine &diag) {
  unsigned before = diag.errorCount();
  Location whole;
  whole.file = graph.file;
  llvm::DenseSet<const Value *> defined, broken;
  // graph_c1: inputs and constants have valid types.
  auto define = [&](const Value *value, const Location &at) {
    defined.insert(value);
    if (!verifyValue(*value, at, diag))
      broken.insert(value);
  };
  for (const Value *input : graph.inputs())
    define(input, whole);
  for (const Value *constant : graph.constants())
    define(constant, whole);
  FoldingLookup lookup;
  for (const Operation *op : graph.ops()) {
    bool ready = true;
    // graph_c2: operands are defined before they are used.
    for (const Value *operand : op->operands()) {
      if (!defined.contains(operand)) {
        Location at = op->loc;
        at.tensor = operand->name;
        diag.error(ErrorClass::BadModel, at) << "operand is used before it is computed; the graph has a cycle or is out of order";
        ready = false;
      }
      ready &= !broken.contains(operand);
    }
    for (const Value *result : op->results()) {
      define(result, op->loc);
      ready &= !broken.contains(result);
    }
    // graph_c3: every operation verifies; those with broken operands would only repeat what is known.
    if (ready)
      verifyOperation(*op, diag, lookup);
  }
  verifyOutputs(graph, defined, diag);
  return diag.errorCount() == before;
}
