// The rules of register fusion: design question (a) same quantization scheme, (b) dependences, (c) is there a rule
// for the shapes and does the kernel family take the tail. The first rule that says no is the one in the remark.
#include "FuseRules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

/// How stored values relate to real ones.
enum class Scheme { Float, Integer, Quantized, QuantizedPerAxis };

static Scheme schemeOf(const TensorType &type) {
  if (isFloat(type.element))
    return Scheme::Float;
  if (!type.quant)
    return Scheme::Integer;
  return type.quant->isPerTensor() ? Scheme::Quantized : Scheme::QuantizedPerAxis;
}

static llvm::StringRef schemeName(Scheme scheme) {
  switch (scheme) {
  case Scheme::Float:
    return "float";
  case Scheme::Integer:
    return "plain integers";
  case Scheme::Quantized:
    return "quantized per tensor";
  case Scheme::QuantizedPerAxis:
    return "quantized per axis";
  }
  return "float";
}

/// Operators that are there to change the scheme.
static bool isConversion(OpKind kind) {
  return kind == OpKind::Quantize || kind == OpKind::Dequantize || kind == OpKind::Requantize || kind == OpKind::Cast;
}

static std::optional<Refusal> refuseUsers(const TailCandidate &candidate, const Graph &graph) {
  std::vector<const Value *> chain = {candidate.value()};
  for (const Operation *view : candidate.views)
    chain.push_back(view->result());
  for (size_t i = 0; i < chain.size(); ++i) {
    if (graph.isOutput(chain[i]))
      return Refusal{"graph-output", "the value between them is an output of the graph"};
    const Operation *user = i + 1 < chain.size() ? candidate.views[i] : candidate.tail;
    size_t others = static_cast<size_t>(llvm::count_if(chain[i]->users(), [&](Operation *u) { return u != user; }));
    if (others != 0)
      return Refusal{"other-users", "the value between them has " + std::to_string(others) + " other user" +
                                        (others == 1 ? "" : "s")};
  }
  return std::nullopt;
}

/// Element i of the tail must need element i of the value. Behind a view the other operands must need no
/// knowledge of the position either.
static std::optional<Refusal> refuseShapes(const TailCandidate &candidate) {
  const Shape &result = candidate.tail->result()->type.shape;
  if (result != candidate.operand()->type.shape)
    return Refusal{"shape", "the tail changes the shape from " + shapeText(candidate.operand()->type.shape) + " to " +
                                shapeText(result)};
  for (const Value *other : candidate.tail->operands()) {
    bool scalar = elementCount(other->type.shape) == 1;
    if (other == candidate.operand() || scalar)
      continue;
    if (candidate.remapped)
      return Refusal{"remap", "the kernel stores its result in another order than the other operand's"};
    if (other->type.shape == result)
      continue;
    if (!viewSource(const_cast<Value *>(other))->isConstant())
      return Refusal{"broadcast", "the other operand is a computed tensor of shape " + shapeText(other->type.shape)};
    if (!candidate.views.empty())
      return Refusal{"broadcast", "a constant of shape " + shapeText(other->type.shape) + " stands behind a reshape"};
  }
  return std::nullopt;
}

static std::optional<Refusal> refuseScheme(const TailCandidate &candidate) {
  if (isConversion(candidate.tail->kind()))
    return std::nullopt;
  Scheme scheme = schemeOf(candidate.operand()->type);
  Scheme result = schemeOf(candidate.tail->result()->type);
  if (scheme == result)
    return std::nullopt;
  return Refusal{"scheme", "the value is " + schemeName(scheme).str() + ", the result " + schemeName(result).str()};
}

/// The tail is a transpose: the kernel would store its results in that order.
static std::optional<Refusal> refuseRemap(const TailCandidate &candidate, const TargetInfo *target,
                                          const FuseOptions &options) {
  if (candidate.remapped)
    return Refusal{"remap", "the kernel stores its result in another order already"};
  if (!options.canFuseTail || !options.canFuseTail(*candidate.anchor, *candidate.tail, target))
    return Refusal{"family",
                   "kernels of " + candidate.anchor->info().name.str() + " cannot store their result in that order"};
  return std::nullopt;
}

std::optional<Refusal> mfc::refuseTail(const TailCandidate &candidate, const Graph &graph, const TargetInfo *target,
                                       const FuseOptions &options) {
  if (!options.fuse)
    return Refusal{"disabled", "fusion is off"};
  if (auto refusal = refuseScheme(candidate))
    return refusal;
  if (auto refusal = refuseUsers(candidate, graph))
    return refusal;
  if (candidate.tail->kind() == OpKind::Transpose)
    return refuseRemap(candidate, target, options);
  if (auto refusal = refuseShapes(candidate))
    return refusal;
  if (options.canFuseTail && !options.canFuseTail(*candidate.anchor, *candidate.tail, target))
    return Refusal{"family", "kernels of " + candidate.anchor->info().name.str() + " take no " +
                                 candidate.tail->info().name.str()};
  if (auto it = options.separate.find(candidate.tail); it != options.separate.end())
    return Refusal{"record", it->second};
  return std::nullopt;
}
