// Thresholds on the difference of two builds: --fail-above on the totals, --fail-layer-above on
// every layer.
#include "SizeDiff.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace mfc;

namespace {

constexpr size_t kListed = 3;

llvm::Error refuse(const llvm::Twine &message) { return makeError(ErrorClass::Usage, message); }

std::optional<Threshold> parseThreshold(llvm::StringRef text, Unit unit) {
  Threshold threshold;
  if (text.consume_back("%")) {
    double percent = 0;
    if (text.empty() || !llvm::all_of(text, [](char c) { return llvm::isDigit(c) || c == '.'; }) ||
        text.getAsDouble(percent))
      return std::nullopt;
    threshold.percent = percent;
    return threshold;
  }
  threshold.absolute = parseQuantity(text, unit);
  if (!threshold.absolute)
    return std::nullopt;
  return threshold;
}

const char *unitName(const Metric &metric) {
  return metric.unit == Unit::Bytes ? " bytes" : " modelled cycles";
}

std::string nameText(const LayerDiff &layer) {
  return layer.name == kOutsideLayers ? layer.name : "layer '" + visible(layer.name) + "'";
}

/// "layer 'conv_5': 1,000 bytes, +200 (+25.0 %)"
std::string layerText(const LayerDiff &layer, const Figure &figure, const Metric &metric) {
  std::string text = nameText(layer) + ": ";
  text += figure.after ? grouped(*figure.after) + unitName(metric) : "removed";
  return text + ", " + differenceText(figure);
}

size_t indexOf(const Metric &metric) { return static_cast<size_t>(&metric - allMetrics().data()); }

/// The layers behind the growth of a total: those that grew most, and where a peak decides, the
/// layer that has it.
std::vector<std::string> culprits(const SizeDiff &diff, const Metric &metric) {
  size_t at = indexOf(metric);
  std::vector<const LayerDiff *> layers;
  for (const LayerDiff &layer : diff.layers)
    layers.push_back(&layer);
  auto figure = [&](const LayerDiff *layer) -> const Figure & { return layer->figures[at]; };
  std::vector<std::string> notes;
  const LayerDiff *named = nullptr;
  if (metric.combine == Combine::Peak) {
    auto peak = llvm::max_element(layers, [&](const LayerDiff *a, const LayerDiff *b) {
      return figure(a).after.value_or(-1) < figure(b).after.value_or(-1);
    });
    if (peak != layers.end() && figure(*peak).after)
      named = *peak, notes.push_back("most now in " + layerText(**peak, figure(*peak), metric));
  }
  llvm::stable_sort(layers, [&](const LayerDiff *a, const LayerDiff *b) {
    return figure(a).growth() > figure(b).growth();
  });
  for (const LayerDiff *layer : llvm::ArrayRef(layers).take_front(kListed))
    if (figure(layer).growth() > 0 && layer != named)
      notes.push_back("grew: " + layerText(*layer, figure(layer), metric));
  if (notes.empty())
    notes.push_back("no layer grew: the growth is in what they share, or in padding between them");
  return notes;
}

/// Names in the option that no metric or region has.
llvm::Error checkNames(const Thresholds &thresholds, const SizeDiff &diff, llvm::StringRef option,
                       bool layers) {
  for (const auto &[name, threshold] : thresholds.byName) {
    auto total = llvm::find_if(diff.totals, [&](const TotalDiff &t) { return t.name == name; });
    bool region = llvm::StringRef(name).starts_with("region:");
    if (layers && region)
      return refuse(option + ": '" + name + "' is of the whole model, layers have " +
                    metricNames());
    if (total == diff.totals.end() && !region) // a region that neither build uses has not grown
      return refuse(option + ": unknown metric '" + name + "', wanted " + metricNames() +
                    ", or region:NAME");
    if (total != diff.totals.end() && !total->figure.known())
      return refuse(option + ": " + total->title + " cannot be compared, " +
                    (total->figure.before ? "the new" : "the old") + " report has none");
  }
  return llvm::Error::success();
}

} // namespace

bool Threshold::exceededBy(const Figure &figure) const {
  double growth = figure.growth();
  if (!figure.after || growth <= 0)
    return false;
  if (absolute)
    return growth > *absolute;
  return growth * 100 > *percent * figure.before.value_or(0);
}

std::string Threshold::text() const { return percent ? percentText(*percent) : grouped(*absolute); }

llvm::Error Thresholds::parse(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 8> items;
  text.split(items, ',');
  for (llvm::StringRef item : items) {
    auto [name, value] = item.split('=');
    bool named = name.size() != item.size();
    const Metric *metric = named ? findMetric(name) : nullptr;
    std::optional<Threshold> threshold =
        parseThreshold(named ? value : item, metric ? metric->unit : Unit::Bytes);
    if (!threshold || (named && name.empty()))
      return refuse("found '" + item +
                    "', wanted a share such as 1%, a number such as 64, or name=value");
    if (!named)
      all = *threshold;
    else
      byName[name.str()] = *threshold;
  }
  return llvm::Error::success();
}

const Threshold *Thresholds::of(llvm::StringRef metric) const {
  auto it = byName.find(metric.str());
  if (it != byName.end())
    return &it->second;
  return all ? &*all : nullptr;
}

llvm::Expected<std::vector<SizeFailure>> SizeGate::check(const SizeDiff &diff) const {
  if (llvm::Error error = checkNames(totals, diff, "--fail-above", false))
    return error;
  if (llvm::Error error = checkNames(layers, diff, "--fail-layer-above", true))
    return error;
  std::vector<SizeFailure> failures;
  for (const TotalDiff &total : diff.totals) {
    const Threshold *threshold = totals.of(total.name);
    if (!threshold || !total.figure.known() || !threshold->exceededBy(total.figure))
      continue;
    std::string message = total.name + " grew from " + grouped(*total.figure.before) + " to " +
                          grouped(*total.figure.after) + unitName(*total.metric) + ", " +
                          differenceText(total.figure) + ", allowed is " + threshold->text();
    failures.push_back({total.name, "", message, culprits(diff, *total.metric)});
  }
  for (const LayerDiff &layer : diff.layers)
    for (const Metric &metric : allMetrics()) {
      const Threshold *threshold = layers.of(metric.name);
      const Figure &figure = layer.figures[indexOf(metric)];
      bool comparable = figure.known() || layer.status == LayerDiff::Status::Added;
      if (!threshold || !comparable || !threshold->exceededBy(figure))
        continue;
      failures.push_back({metric.name,
                          layer.name,
                          std::string(metric.name) + " of " + layerText(layer, figure, metric) +
                              ", allowed is " + threshold->text(),
                          {}});
    }
  return failures;
}
