#include "SizeDiff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <set>

using namespace mfc;

namespace {

/// n-th layer of a name: what layers are matched by.
using LayerKey = std::pair<std::string, unsigned>;

std::vector<LayerKey> keysOf(const ModelInfo &info) {
  std::map<std::string, unsigned> seen;
  std::vector<LayerKey> keys;
  for (const LayerInfo &layer : info.layers)
    keys.emplace_back(layer.name, seen[layer.name]++);
  return keys;
}

std::optional<double> figureOf(const Metric &metric, const LayerInfo *layer) {
  return layer ? metric.layer(*layer) : std::nullopt;
}

LayerDiff compareLayers(const LayerInfo *before, const LayerInfo *after) {
  LayerDiff diff;
  diff.name = (after ? after : before)->name;
  for (const Metric &metric : allMetrics())
    diff.figures.push_back({figureOf(metric, before), figureOf(metric, after)});
  if (!before)
    diff.status = LayerDiff::Status::Added;
  else if (!after)
    diff.status = LayerDiff::Status::Removed;
  else if (llvm::any_of(diff.figures, [](const Figure &f) { return f.changed(); }))
    diff.status = LayerDiff::Status::Changed;
  return diff;
}

/// What a total has beyond its layers: driver, entry points, padding. Layers that share a kernel
/// have its bytes each, so these count by kernel; constants that two kernels share make it smaller
/// than it is. Empty if figures are missing.
std::optional<double> outsideLayers(const Metric &metric, const ModelInfo &info) {
  std::optional<double> rest = metric.total(info);
  if (metric.combine != Combine::Sum)
    return std::nullopt;
  std::set<std::string> seen;
  for (const LayerInfo &layer : info.layers) {
    std::optional<double> figure = metric.layer(layer);
    if (!figure || !rest)
      return std::nullopt;
    if (metric.unit == Unit::Cycles || seen.insert(layer.kernel).second)
      *rest -= *figure;
  }
  return rest;
}

LayerDiff compareRest(const ModelInfo &before, const ModelInfo &after) {
  LayerDiff diff;
  diff.name = kOutsideLayers;
  for (const Metric &metric : allMetrics()) {
    Figure figure{outsideLayers(metric, before), outsideLayers(metric, after)};
    if (!figure.known())
      figure = {};
    if (figure.changed())
      diff.status = LayerDiff::Status::Changed;
    diff.figures.push_back(figure);
  }
  return diff;
}

std::vector<LayerDiff> compareAllLayers(const ModelInfo &before, const ModelInfo &after) {
  std::map<LayerKey, const LayerInfo *> old;
  std::vector<LayerKey> oldKeys = keysOf(before), newKeys = keysOf(after);
  for (size_t i = 0; i < oldKeys.size(); ++i)
    old[oldKeys[i]] = &before.layers[i];
  std::vector<LayerDiff> diffs;
  for (size_t i = 0; i < newKeys.size(); ++i) {
    auto it = old.find(newKeys[i]);
    diffs.push_back(compareLayers(it == old.end() ? nullptr : it->second, &after.layers[i]));
    if (it != old.end())
      old.erase(it);
  }
  for (const LayerKey &key : oldKeys)
    if (auto it = old.find(key); it != old.end())
      diffs.push_back(compareLayers(it->second, nullptr));
  diffs.push_back(compareRest(before, after));
  return diffs;
}

/// Bytes of the arena in a region; 0 in a build that does not use it.
double regionBytes(const ModelInfo &info, llvm::StringRef name) {
  double bytes = 0;
  for (const RegionInfo &region : info.regions)
    if (region.name == name)
      bytes += static_cast<double>(region.bytes);
  return bytes;
}

std::vector<TotalDiff> compareTotals(const ModelInfo &before, const ModelInfo &after) {
  std::vector<TotalDiff> totals;
  for (const Metric &metric : allMetrics()) {
    totals.push_back(
        {metric.name, metric.title, &metric, {metric.total(before), metric.total(after)}});
    if (metric.name != llvm::StringRef("sram"))
      continue;
    std::vector<std::string> regions;
    for (const ModelInfo *info : {&after, &before})
      for (const RegionInfo &region : info->regions)
        if (!llvm::is_contained(regions, region.name))
          regions.push_back(region.name);
    for (const std::string &region : regions)
      totals.push_back({regionMetricName(region),
                        "  arena in " + visible(region),
                        &metric,
                        {regionBytes(before, region), regionBytes(after, region)}});
  }
  return totals;
}

} // namespace

SizeDiff mfc::compareReports(ReadReport before, ReadReport after) {
  SizeDiff diff;
  diff.totals = compareTotals(before.info, after.info);
  diff.layers = compareAllLayers(before.info, after.info);
  diff.before = std::move(before);
  diff.after = std::move(after);
  return diff;
}

std::string mfc::differenceText(const Figure &figure) {
  if (!figure.before && !figure.after)
    return "-";
  if (!figure.before)
    return "new";
  if (!figure.after)
    return "gone";
  std::string text = signedGrouped(figure.growth());
  if (figure.growth() != 0 && *figure.before > 0)
    text += " (" + signedPercent(100 * figure.growth() / *figure.before) + ")";
  return text;
}
