// Names and values of limits, from the command line to ModelInfo::budgets.
#include "mfc/Driver/Budgets.h"
#include "Metrics.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mfc;

namespace {

llvm::Error refuse(const llvm::Twine &message) { return makeError(ErrorClass::Usage, message); }

constexpr llvm::StringLiteral kRegionPrefix = "region:";

Unit unitOf(llvm::StringRef name) {
  const Metric *metric = findMetric(name);
  return metric ? metric->unit : Unit::Bytes; // regions
}

void put(BudgetList &list, Budget budget) {
  for (Budget &old : list)
    if (old.name == budget.name) {
      old = std::move(budget);
      return;
    }
  list.push_back(std::move(budget));
}

std::string regionNames(const ModelInfo &info) {
  std::string text;
  for (const RegionInfo &region : info.regions)
    text += (text.empty() ? "" : ", ") + region.name;
  return text.empty() ? "none" : text;
}

const RegionInfo *findRegion(const ModelInfo &info, llvm::StringRef name) {
  for (const RegionInfo &region : info.regions)
    if (name.equals_insensitive(region.name))
      return &region;
  return nullptr;
}

llvm::Expected<BudgetInfo> resolve(const Budget &budget, const ModelInfo &info) {
  if (const Metric *metric = findMetric(budget.name)) {
    std::optional<double> need = metric->total(info);
    if (!need)
      return refuse("budget '" + llvm::Twine(budget.name) + "': no modelled cycles are known for " +
                    info.target.name + ", the limit cannot be checked");
    return BudgetInfo{budget.name, budget.limit, *need};
  }
  llvm::StringRef name = budget.name;
  bool expected = name.consume_front(kRegionPrefix);
  // "Sram" is more likely sram, the whole, than region:SRAM.
  bool metricInCapitals = !expected && findMetric(name.lower());
  if (const RegionInfo *region = findRegion(info, name); region && !metricInCapitals)
    return BudgetInfo{regionMetricName(region->name), budget.limit,
                      static_cast<double>(region->bytes)};
  if (expected) // a region that this build does not use is within every limit
    return BudgetInfo{budget.name, budget.limit, 0};
  return refuse("unknown budget '" + llvm::Twine(budget.name) + "', wanted " + metricNames() +
                ", or a region of the model (" + regionNames(info) + "); region:" + name +
                "= limits a region that is not always used");
}

/// Order of docs/budgets.md: the metrics, then regions by name.
size_t rank(llvm::StringRef name) {
  size_t position = 0;
  for (const Metric &metric : allMetrics()) {
    if (name == metric.name)
      return position;
    ++position;
  }
  return position;
}

} // namespace

llvm::Error mfc::parseBudgets(llvm::StringRef text, BudgetList &list) {
  llvm::SmallVector<llvm::StringRef, 8> items;
  text.split(items, ',');
  std::set<llvm::StringRef> seen;
  for (llvm::StringRef item : items) {
    auto [name, value] = item.split('=');
    if (name.empty() || value.empty() || name == kRegionPrefix)
      return refuse("found '" + item +
                    "', wanted name=limit, for example flash=128K,sram=48K,stack=2K");
    if (!seen.insert(name).second)
      return refuse("'" + name + "' is limited twice");
    std::optional<double> limit = parseQuantity(value, unitOf(name));
    if (!limit)
      return refuse("limit '" + value + "' of '" + name + "' is not " + quantityForm(unitOf(name)));
    put(list, {name.str(), *limit});
  }
  return llvm::Error::success();
}

BudgetList mfc::mergeBudgets(BudgetList first, const BudgetList &second) {
  for (const Budget &budget : second)
    put(first, budget);
  return first;
}

llvm::Error mfc::applyBudgets(const BudgetList &list, ModelInfo &info) {
  std::vector<BudgetInfo> resolved;
  for (const Budget &budget : list) {
    llvm::Expected<BudgetInfo> one = resolve(budget, info);
    if (!one)
      return one.takeError();
    // dtcm and region:DTCM are one region: the later one counts.
    llvm::erase_if(resolved, [&](const BudgetInfo &other) { return other.name == one->name; });
    resolved.push_back(std::move(*one));
  }
  llvm::sort(resolved, [](const BudgetInfo &a, const BudgetInfo &b) {
    return std::pair(rank(a.name), a.name) < std::pair(rank(b.name), b.name);
  });
  info.budgets = std::move(resolved);
  return llvm::Error::success();
}
