// The last look at the graph before fusion: what kernels cannot take is reported here, all of it at once, in the words of
// the model. Also says which operators of a quantized model compute in float.
#include "Affine.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

static const char *const passName = "check-lowerable";

/// Weights and bias are laid out at compile time, so they must be known then.
static bool checkConstant(const Operation &op, size_t operand, const char *what, DiagnosticEngine &diag) {
  const Value *value = op.operandOrNull(operand);
  if (!value || value->isConstant())
    return true;
  Location where = op.loc;
  where.tensor = value->name;
  diag.error(ErrorClass::Unsupported, where)
      << what << " must be constant but " << (value->isInput() ? "is an input of the graph" : "is computed at run time");
  return false;
}

/// Kernels and the memory plan compute offsets in 32 bits.
static constexpr uint64_t kMaxTensorBytes = INT32_MAX;

static bool checkSize(const Value &value, Location where, DiagnosticEngine &diag) {
  if (value.type.bytes() <= kMaxTensorBytes)
    return true;
  where.tensor = value.name;
  return diag.error(ErrorClass::Unsupported, where)
         << typeText(value.type) << " needs " << value.type.bytes() << " bytes, more than 2 GiB";
}

static bool checkSizes(const Graph &graph, DiagnosticEngine &diag) {
  bool ok = true;
  Location whole;
  whole.file = graph.file;
  for (const Value *input : graph.inputs())
    ok &= checkSize(*input, whole, diag);
  for (const Operation *op : graph.ops())
    for (const Value *result : op->results())
      ok &= checkSize(*result, op->loc, diag);
  return ok;
}

static bool isQuantizedModel(const Graph &graph) {
  auto quantized = [](const Value *v) { return v->type.isQuantized(); };
  return llvm::any_of(graph.inputs(), quantized) ||
         llvm::any_of(graph.ops(), [&](const Operation *op) { return llvm::any_of(op->results(), quantized); });
}

/// Computes in float, as opposed to moving, storing or converting floats.
static bool computesFloat(const Operation &op) {
  bool moves = hasTrait(op.kind(), OpTrait::Injective) || hasTrait(op.kind(), OpTrait::View);
  bool converts = op.kind() == OpKind::Quantize || op.kind() == OpKind::Dequantize || op.kind() == OpKind::Cast;
  return isFloat(op.result()->type.element) && !moves && !converts;
}

static bool reportFloat(const Operation &op, PassContext &ctx) {
  ctx.remark(RemarkKind::Missed, passName, "float-fallback", op, "float fallback: " + subjectOf(op),
             {{"operator", op.info().name.str()}});
  if (!ctx.options.strictInt8)
    return true;
  ctx.diag.error(ErrorClass::Unsupported, op.loc)
      << "float fallback: " << op.info().name << " computes in float in a quantized model, which --strict-int8 refuses";
  return false;
}

PassResult mfc::checkLowerable(Graph &graph, PassContext &ctx) {
  bool ok = checkSizes(graph, ctx.diag);
  bool quantized = isQuantizedModel(graph);
  for (const Operation *op : graph.ops()) {
    if (isConvLike(op->kind())) {
      ok &= checkConstant(*op, 1, "weights", ctx.diag);
      ok &= checkConstant(*op, 2, "bias", ctx.diag);
    }
    if (quantized && computesFloat(*op))
      ok &= reportFloat(*op, ctx);
  }
  return {.changed = false, .failed = !ok};
}
