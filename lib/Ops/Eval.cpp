// Entry points of evaluation: evalOp, constantValue and macCount.
#include "OpFunctions.h"
#include "Verifier.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>

using namespace mfc;

static void dispatchEval(const EvalArgs &args) {
  switch (args.op.kind()) {
#define MFC_OP(Kind, ...)                                                                                              \
  case OpKind::Kind:                                                                                                   \
    return eval##Kind(args);
#include "mfc/IR/Ops.def"
#undef MFC_OP
  }
}

std::vector<Tensor> mfc::evalOp(const Operation &op, llvm::ArrayRef<const Tensor *> operands) {
  assert(operands.size() == op.operands().size() && "one tensor an operand");
  std::vector<Tensor> results;
  results.emplace_back(op.result()->type);
  dispatchEval({op, operands, results.front()});
  return results;
}

/// Folding stops above this size: no shape computation comes near, and a hostile model must not fill the memory.
static constexpr uint64_t kLargestFoldedBytes = uint64_t(256) << 20;

namespace {
/// Folds the operations under one value, each once, without recursion (chains can be long).
class Folder {
public:
  std::optional<Tensor> fold(const Value &root) {
    std::vector<const Value *> stack{&root};
    while (!stack.empty()) {
      const Value *value = stack.back();
      if (known.count(value)) {
        stack.pop_back();
        continue;
      }
      if (value->isInput() || !budgetAllows(value->type))
        return std::nullopt;
      if (value->isConstant()) {
        if (value->bytes().size() != value->type.bytes())
          return std::nullopt;
        known.try_emplace(value, value->type, value->bytes());
        continue;
      }
      if (pushMissing(*value->producer(), stack)) {
        if (!opened.insert(value).second)
          return std::nullopt; // waits for itself: the graph has a cycle
        continue;
      }
      if (!compute(*value->producer()))
        return std::nullopt;
    }
    return std::move(known[&root]);
  }

private:
  llvm::DenseMap<const Value *, Tensor> known;
  llvm::DenseSet<const Value *> opened;
  uint64_t bytes = 0;

  bool budgetAllows(const TensorType &type) {
    std::optional<int64_t> count = elementCount(type.shape);
    return count && bytes + static_cast<uint64_t>(*count) * elementBytes(type.element) <= kLargestFoldedBytes;
  }

  bool pushMissing(const Operation &op, std::vector<const Value *> &stack) {
    bool missing = false;
    for (const Value *operand : op.operands())
      if (!known.count(operand)) {
        stack.push_back(operand);
        missing = true;
      }
    return missing;
  }

  bool verifies(const Operation &op) {
    DiagnosticEngine quiet;
    for (const Value *operand : op.operands())
      if (!verifyValue(*operand, op.loc, quiet))
        return false;
    for (const Value *result : op.results())
      if (!verifyValue(*result, op.loc, quiet))
        return false;
    auto lookup = [&](const Value &value) -> std::optional<llvm::ArrayRef<uint8_t>> {
      auto it = known.find(&value);
      if (it == known.end())
        return std::nullopt;
      return llvm::ArrayRef<uint8_t>(it->second.bytes);
    };
    return verifyOperation(op, quiet, lookup);
  }

  bool compute(const Operation &op) {
    if (!verifies(op))
      return false;
    std::vector<const Tensor *> operands;
    for (const Value *operand : op.operands())
      operands.push_back(&known[operand]);
    std::vector<Tensor> results = evalOp(op, operands);
    bytes += results.front().bytes.size();
    known[op.result()] = std::move(results.front());
    return true;
  }
};
} // namespace

std::optional<Tensor> mfc::constantValue(const Value &value) { return Folder().fold(value); }

int64_t mfc::macCount(const Operation &op) {
  if (op.kind() != OpKind::Conv2D && op.kind() != OpKind::DepthwiseConv2D && op.kind() != OpKind::Dense)
    return 0;
  // Weights per output channel: everything of conv2d's OHWI and dense's [outputs, inputs] but the first dimension, of
  // depthwise's [1, kh, kw, channels] but the last.
  const TensorType &weights = op.operand(1)->type, &out = op.result()->type;
  uint64_t count = llvm::SaturatingMultiply(static_cast<uint64_t>(out.count()),
                                            static_cast<uint64_t>(weights.count() / out.dim(-1)));
  return static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
}
