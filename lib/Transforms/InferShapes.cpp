#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Transforms/Passes.h"

using namespace mfc;

static Location locationOf(const Operation &op, const Value &value) {
  Location where = op.loc;
  where.tensor = value.name;
  return where;
}

/// Writes `found` into the type where it has '?'; false (reported) where the two contradict each other.
static bool resolve(Operation &op, Value &value, const Shape &found, DiagnosticEngine &diag, bool &changed) {
  Shape &present = value.type.shape;
  bool fits = present.size() == found.size();
  for (size_t i = 0; fits && i < found.size(); ++i)
    fits = present[i] == found[i] || present[i] == kDynamicDim;
  if (!fits) {
    diag.error(ErrorClass::BadModel, locationOf(op, value))
        << "shape is " << shapeText(present) << " but the operands make it " << shapeText(found);
    return false;
  }
  changed |= present != found;
  present = found;
  return true;
}

static bool isStatic(const Shape &shape) { return elementCount(shape).has_value(); }

static bool checkInputs(const Graph &graph, DiagnosticEngine &diag) {
  bool ok = true;
  for (const Value *input : graph.inputs()) {
    if (isStatic(input->type.shape))
      continue;
    Location where;
    where.file = graph.file;
    where.tensor = input->name;
    diag.error(ErrorClass::Unsupported, where) << "input has the dynamic shape " << shapeText(input->type.shape)
                                               << ", fix it with --input-shape";
    ok = false;
  }
  return ok;
}

PassResult mfc::inferShapes(Graph &graph, PassContext &ctx) {
  PassResult result;
  if (!checkInputs(graph, ctx.diag))
    return {.failed = true};
  for (Operation *op : graph.ops()) {
    llvm::Expected<std::vector<Shape>> shapes = mfc::inferShapes(*op);
    if (!shapes) {
      reportError(ctx.diag, op->loc, shapes.takeError());
      result.failed = true;
      return result; // whatever follows would only repeat this
    }
    for (size_t i = 0; i < shapes->size(); ++i)
      if (!resolve(*op, *op->result(i), (*shapes)[i], ctx.diag, result.changed))
        result.failed = true;
  }
  return result;
}
