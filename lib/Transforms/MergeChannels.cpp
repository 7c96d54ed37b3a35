// Of channels that are always equal, convolutions and dense read only one: its weights become the
// sum.
//
// The others have zero weights then, and remove-channels takes them. Only where that really
// happens: what somebody else still reads (a depthwise convolution's tie, an output, a sum of
// weights that does not fit) keeps its weights.
#include "ChannelLiveness.h"
#include "ChannelNumbers.h"
#include "ConstantEdit.h"
#include "mfc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mfc;

static const char *const passName = "merge-channels";

namespace {
struct Merge {
  int64_t from, into; ///< input channels
};

/// An operator, its weights before, and what could be merged.
struct Reader {
  Operation *op;
  Value *weights;
  std::vector<Merge> merges;
};
} // namespace

/// Adds the weights of one input to those of the other; false (and nothing done) where there are
/// none or a sum does not fit. Symmetric bounds, as quantizers make weights: no -128 that the model
/// did not have.
static bool moveWeights(Tensor &weights, int64_t inputs, Merge merge) {
  const int64_t rows = weights.type.count() / inputs, most = elementMax(weights.type.element);
  auto at = [&](int64_t row, int64_t input) { return weights.getInteger(row * inputs + input); };
  bool any = false;
  for (int64_t row = 0; row < rows; ++row) {
    if (at(row, merge.from) == 0)
      continue;
    any = true;
    if (std::abs(at(row, merge.from) + at(row, merge.into)) > most)
      return false;
  }
  for (int64_t row = 0; any && row < rows; ++row) {
    weights.setInteger(row * inputs + merge.into, at(row, merge.from) + at(row, merge.into));
    weights.setInteger(row * inputs + merge.from, 0);
  }
  return any;
}

/// Merges equal channels until no sum fits any more.
static void mergeAlike(Tensor &weights, int64_t inputs, std::vector<int64_t> alike,
                       std::vector<Merge> &merges) {
  const size_t before = merges.size();
  for (size_t from = 1; from < alike.size();) {
    size_t into = 0;
    while (into < from && !moveWeights(weights, inputs, {alike[from], alike[into]}))
      ++into;
    if (into == from) {
      ++from;
      continue;
    }
    merges.push_back({alike[from], alike[into]});
    alike.erase(alike.begin() + static_cast<ptrdiff_t>(from));
  }
  if (merges.size() > before) // new sums may fit what the old ones did not
    mergeAlike(weights, inputs, std::move(alike), merges);
}

/// Equal inputs that stay in the graph so far, as many as the weights have room for.
static Reader findMerges(Operation &op, const ChannelNumbers &numbers,
                         const ChannelLiveness &liveness) {
  Reader reader{&op, op.operand(1), {}};
  const Value *in = op.operand(0);
  std::map<int64_t, std::vector<int64_t>> byNumber;
  for (auto [c, number] : llvm::enumerate(numbers.of(in)))
    if (liveness.isKept(in, static_cast<int64_t>(c)))
      byNumber[number].push_back(static_cast<int64_t>(c));
  std::erase_if(byNumber, [](const auto &entry) { return entry.second.size() < 2; });
  if (byNumber.empty())
    return reader;
  Tensor weights = tensorOf(*op.operand(1));
  for (const auto &[number, alike] : byNumber)
    mergeAlike(weights, channelCount(*in), alike, reader.merges);
  return reader;
}

/// Of the merges, those that pass; what is not among them is as it was before. Returns how many
/// there are.
static size_t apply(Graph &graph, const Reader &reader, llvm::function_ref<bool(Merge)> pass) {
  Tensor weights = tensorOf(*reader.weights);
  size_t count = 0;
  for (Merge merge : reader.merges)
    count += pass(merge) && moveWeights(weights, weights.type.dim(-1), merge);
  reader.op->setOperand(1, count ? addTensor(graph, std::move(weights), reader.weights->name)
                                 : reader.weights);
  return count;
}

static std::vector<Reader> findReaders(const Graph &graph, const ChannelIntervals &intervals) {
  const ChannelNumbers numbers(graph, intervals);
  auto hasTwins = [&](const Operation *op) {
    llvm::ArrayRef<int64_t> list = numbers.of(op->operand(0));
    return dropsChannels(*op) && std::set<int64_t>(list.begin(), list.end()).size() < list.size();
  };
  std::vector<Operation *> candidates = graph.ops();
  llvm::erase_if(candidates, [&](const Operation *op) { return !hasTwins(op); });
  if (candidates.empty())
    return {};
  const ChannelLiveness liveness(graph, intervals);
  std::vector<Reader> readers;
  for (Operation *op : candidates)
    readers.push_back(findMerges(*op, numbers, liveness));
  llvm::erase_if(readers, [](const Reader &reader) { return reader.merges.empty(); });
  return readers;
}

/// One round; false where nothing is left to do.
static bool mergeRound(Graph &graph, PassContext &ctx) {
  const ChannelIntervals intervals(graph);
  const std::vector<Reader> readers = findReaders(graph, intervals);
  if (readers.empty())
    return false;
  for (const Reader &reader : readers)
    apply(graph, reader, [](Merge) { return true; });
  const ChannelLiveness liveness(graph, intervals);
  bool changed = false;
  for (const Reader &reader : readers) {
    const size_t count = apply(graph, reader, [&](Merge merge) {
      return !liveness.isKept(reader.op->operand(0), merge.from);
    });
    if (count == 0)
      continue;
    changed = true;
    ctx.remark(RemarkKind::Passed, passName, "equal", *reader.op,
               std::to_string(count) + " input channels equal others: their weights are added up",
               {{"Channels", std::to_string(count)}});
  }
  return changed;
}

PassResult mfc::mergeChannels(Graph &graph, PassContext &ctx) {
  if (!canFollowChannels(graph))
    return {};
  bool changed = false;
  // Ends: every round moves weights to channels further in front.
  while (mergeRound(graph, ctx))
    changed = true;
  graph.eraseDead();
  return {.changed = changed};
}
