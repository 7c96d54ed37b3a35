#include "ChannelIntervals.h"

#include "AnchorView.h"
#include "ChannelLinks.h"
#include "ConstantEdit.h"
#include "mfc/Ops/QuantizedForms.h"

#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <limits>

using namespace mfc;

using Intervals = std::vector<Interval>;

static Interval hull(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
static constexpr Interval kNothing{std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::min()};

static Interval wholeRange(ElementType element) {
  return {elementMin(element), elementMax(element)};
}

static bool isQuantizedPerTensor(const Value *value) {
  return value->type.isQuantized() && value->type.quant->isPerTensor();
}

static Intervals ofConstant(const Value &constant) {
  const Tensor tensor = tensorOf(constant);
  const int64_t channels = channelCount(constant);
  Intervals result(static_cast<size_t>(channels), kNothing);
  for (int64_t i = 0, n = constant.type.count(); i < n; ++i) {
    const int64_t x = tensor.getInteger(i);
    Interval &interval = result[static_cast<size_t>(i % channels)];
    interval = hull(interval, {x, x});
  }
  return result;
}

namespace {
/// The part of the accumulator that comes from one tap.
struct TapSums {
  std::vector<Interval> taps;

  Interval over(llvm::ArrayRef<int64_t> window) const {
    Interval sum{0, 0};
    for (int64_t t : window)
      sum.low += taps[static_cast<size_t>(t)].low, sum.high += taps[static_cast<size_t>(t)].high;
    return sum;
  }
  /// Any subset of the taps.
  Interval overAny() const {
    Interval sum{0, 0};
    for (Interval tap : taps)
      sum.low += std::min<int64_t>(tap.low, 0), sum.high += std::max<int64_t>(tap.high, 0);
    return sum;
  }
};
} // namespace

static Interval accumulator(const AnchorView &anchor, llvm::ArrayRef<Interval> in, int64_t o) {
  TapSums sums{Intervals(static_cast<size_t>(anchor.taps), Interval{0, 0})};
  const int64_t zero = anchor.inputZeroPoint();
  for (int64_t t = 0; t < anchor.taps; ++t)
    for (int64_t i = 0; i < anchor.inputs; ++i) {
      const int64_t w = anchor.weight(o, t, i);
      const Interval x = in[static_cast<size_t>(anchor.inputChannel(o, i))];
      Interval &sum = sums.taps[static_cast<size_t>(t)];
      sum.low += w * ((w < 0 ? x.high : x.low) - zero);
      sum.high += w * ((w < 0 ? x.low : x.high) - zero);
    }
  Interval all = anchor.windows.empty() ? sums.overAny() : kNothing;
  for (const std::vector<int64_t> &window : anchor.windows)
    all = hull(all, sums.over(window));
  return {all.low + anchor.bias(o), all.high + anchor.bias(o)};
}

static Intervals ofAnchor(const Operation &op, llvm::ArrayRef<Interval> in) {
  const AnchorView anchor(op);
  const RequantForm form = requantForm(op);
  Intervals result;
  for (int64_t o = 0; o < anchor.outputs; ++o) {
    const Interval acc = accumulator(anchor, in, o);
    const auto channel = static_cast<size_t>(o);
    result.push_back({form.apply(acc.low, channel), form.apply(acc.high, channel)});
  }
  return result;
}

/// The mean of `count` elements by form.
static Interval ofPool(const Operation &op, const PoolForm &form, Interval x) {
  const PoolAttrs &attrs = op.attrs<PoolAttrs>();
  const int64_t zero = form.inputZeroPoint;
  if (attrs.countIncludePad && attrs.pad != std::array<int64_t, 4>{})
    x = hull(x, {zero, zero});
  Interval result = kNothing;
  for (const auto &[count, multiplier] : form.counts)
    result = hull(result, {form.apply(static_cast<int32_t>(x.low * count), count),
                           form.apply(static_cast<int32_t>(x.high * count), count)});
  return result;
}

/// Where f is monotone in each operand its extremes are at the corners.
static Interval ofCorners(Interval a, Interval b, llvm::function_ref<int32_t(int32_t, int32_t)> f) {
  Interval result = kNothing;
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high}) {
      const int64_t z = f(static_cast<int32_t>(x), static_cast<int32_t>(y));
      result = hull(result, {z, z});
    }
  return result;
}

static Interval ofTable(const Operation &op, const std::array<int8_t, 256> &table, Interval x) {
  const bool isUnsigned = op.result()->type.element == ElementType::U8;
  Interval result = kNothing;
  for (int64_t q = x.low; q <= x.high; ++q) {
    const int8_t bits = table[static_cast<uint8_t>(q)];
    const int64_t y = isUnsigned ? int64_t(static_cast<uint8_t>(bits)) : int64_t(bits);
    result = hull(result, {y, y});
  }
  return result;
}

namespace {
/// From the intervals of the operands to that of one channel of the result.
using Transfer = std::function<Interval(llvm::ArrayRef<Interval>)>;
} // namespace

/// As stored values; the double nearest to the largest i64 is one too large.
static Interval clampBounds(const Operation &op) {
  const ClampAttrs &attrs = op.attrs<ClampAttrs>();
  const Interval range = wholeRange(op.result()->type.element);
  auto stored = [&](double x) {
    return x >= static_cast<double>(range.high) ? range.high : static_cast<int64_t>(x);
  };
  return {stored(attrs.min), stored(attrs.max)};
}

/// The operators that compute; nothing where only the range of the type is known.
static Transfer arithmeticOf(const Operation &op) {
  const OpKind kind = op.kind();
  if (hasUnaryTable(op))
    return [&op, table = unaryTable(op)](llvm::ArrayRef<Interval> x) {
      return ofTable(op, table, x[0]);
    };
  if (kind == OpKind::Clamp) {
    const Interval bounds = clampBounds(op);
    return [bounds](llvm::ArrayRef<Interval> x) {
      return Interval{std::clamp(x[0].low, bounds.low, bounds.high),
                      std::clamp(x[0].high, bounds.low, bounds.high)};
    };
  }
  if (kind == OpKind::Maximum)
    return [](llvm::ArrayRef<Interval> x) {
      return Interval{std::max(x[0].low, x[1].low), std::max(x[0].high, x[1].high)};
    };
  if (kind == OpKind::Minimum)
    return [](llvm::ArrayRef<Interval> x) {
      return Interval{std::min(x[0].low, x[1].low), std::min(x[0].high, x[1].high)};
    };
  if (!llvm::all_of(op.operands(), isQuantizedPerTensor) || !isQuantizedPerTensor(op.result()))
    return {};
  if (kind == OpKind::Add || kind == OpKind::Sub)
    return [form = addForm(op)](llvm::ArrayRef<Interval> x) {
      return ofCorners(x[0], x[1], [&](int32_t a, int32_t b) { return form.apply(a, b); });
    };
  if (kind == OpKind::Mul)
    return [form = mulForm(op)](llvm::ArrayRef<Interval> x) {
      return ofCorners(x[0], x[1], [&](int32_t a, int32_t b) { return form.apply(a, b); });
    };
  if (kind == OpKind::AvgPool2D)
    return
        [&op, form = poolForm(op)](llvm::ArrayRef<Interval> x) { return ofPool(op, form, x[0]); };
  if (kind == OpKind::ReduceMean || kind == OpKind::Requantize) {
    const int64_t count = op.operand(0)->type.count() / op.result()->type.count();
    return [count, form = requantForm(op)](llvm::ArrayRef<Interval> x) {
      return Interval{form.apply(count * (x[0].low - form.inputZeroPoint)),
                      form.apply(count * (x[0].high - form.inputZeroPoint))};
    };
  }
  return {};
}

static Transfer padTransfer(const PadAttrs &pad) {
  const auto value = static_cast<int64_t>(pad.value);
  bool around = false; // the border shares channels with the contents
  for (size_t d = 0; d + 1 < pad.before.size(); ++d)
    around |= pad.before[d] != 0 || pad.after[d] != 0;
  return [=](llvm::ArrayRef<Interval> x) {
    return around || x[0] == kNothing ? hull(x[0], {value, value}) : x[0];
  };
}

/// Operators that pick or copy elements.
static Transfer movementOf(const Operation &op) {
  const OpKind kind = op.kind();
  if (kind == OpKind::Pad)
    return padTransfer(op.attrs<PadAttrs>());
  if (kind == OpKind::Concat)
    return [](llvm::ArrayRef<Interval> x) {
      Interval all = kNothing;
      for (Interval part : x)
        all = hull(all, part);
      return all;
    };
  if (kind == OpKind::MaxPool2D || kind == OpKind::Reshape || kind == OpKind::Transpose ||
      kind == OpKind::Slice || kind == OpKind::Identity)
    return [](llvm::ArrayRef<Interval> x) { return x[0]; };
  return {};
}

/// For each channel of the result, the hull of what it reads of each operand; kNothing where it
/// reads nothing.
static std::optional<std::vector<Intervals>>
gathered(const Operation &op, const ChannelIntervals &known, llvm::ArrayRef<ChannelLink> links) {
  const auto channels = static_cast<size_t>(channelCount(*op.result()));
  std::vector<Intervals> result(channels, Intervals(op.operands().size(), kNothing));
  std::vector<llvm::ArrayRef<Interval>> operands;
  for (const Value *operand : op.operands())
    operands.push_back(known.of(operand));
  for (const ChannelLink &link : links) {
    if (operands[link.operand].empty())
      return std::nullopt;
    Interval &interval = result[static_cast<size_t>(link.to)][link.operand];
    interval = hull(interval, operands[link.operand][static_cast<size_t>(link.from)]);
  }
  return result;
}

static Intervals ofOperation(const Operation &op, const ChannelIntervals &known) {
  const Value *result = op.result();
  Intervals unknown(static_cast<size_t>(channelCount(*result)), wholeRange(result->type.element));
  if (AnchorView::covers(op)) {
    llvm::ArrayRef<Interval> in = known.of(op.operand(0));
    return in.empty() ? unknown : ofAnchor(op, in);
  }
  std::optional<std::vector<ChannelLink>> links = channelLinks(op);
  Transfer transfer = movementOf(op);
  if (!transfer)
    transfer = arithmeticOf(op);
  if (!links || !transfer)
    return unknown;
  std::optional<std::vector<Intervals>> operands = gathered(op, known, *links);
  if (!operands)
    return unknown;
  for (auto [c, interval] : llvm::enumerate(unknown))
    interval = transfer((*operands)[c]);
  return unknown;
}

ChannelIntervals::ChannelIntervals(const Graph &graph) {
  auto followed = [](const Value *v) { return !isFloat(v->type.element) && channelCount(*v) > 0; };
  for (const Value *input : graph.inputs())
    if (followed(input))
      intervals[input].assign(static_cast<size_t>(channelCount(*input)),
                              wholeRange(input->type.element));
  for (const Operation *op : graph.ops()) {
    for (const Value *operand : op->operands())
      if (operand->isConstant() && followed(operand) && !intervals.contains(operand))
        intervals[operand] = ofConstant(*operand);
    if (op->results().size() == 1 && followed(op->result())) {
      Intervals result = ofOperation(*op, *this); // before the table grows: it is read meanwhile
      intervals[op->result()] = std::move(result);
    }
  }
}

llvm::ArrayRef<Interval> ChannelIntervals::of(const Value *value) const {
  auto it = intervals.find(value);
  return it == intervals.end() ? llvm::ArrayRef<Interval>() : llvm::ArrayRef<Interval>(it->second);
}

std::optional<int64_t> ChannelIntervals::constant(const Value *value, int64_t channel) const {
  llvm::ArrayRef<Interval> list = of(value);
  if (list.empty() || !list[static_cast<size_t>(channel)].isConstant())
    return std::nullopt;
  return list[static_cast<size_t>(channel)].low;
}
