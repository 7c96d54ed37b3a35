#include "mfc/Sim/Baseline.h"

#include "TextTable.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/JsonText.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>

using namespace mfc;

/// "CONV_2D#2" before "CONV_2D#10"; never equal for different names.
static bool nameLess(llvm::StringRef a, llvm::StringRef b) {
  int order = a.compare_numeric(b);
  return order ? order < 0 : a < b;
}

Baseline mfc::baselineOf(const MeasuredModel &measured) {
  Baseline baseline{measured.model, measured.target, measured.board, measured.total, {}};
  for (const MeasuredLayer &layer : measured.layers)
    baseline.layers.push_back({llvm::json::fixUTF8(layer.facts.name), layer.cost});
  llvm::sort(baseline.layers,
             [](const auto &a, const auto &b) { return nameLess(a.first, b.first); });
  return baseline;
}

//===-- Text
//-----------------------------------------------------------------------------------------------------===//

static std::string quoted(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << llvm::json::Value(text);
  return result;
}

static std::string costText(const Cost &cost) {
  std::string text =
      "{\"instructions\": " + std::to_string(cost.instructions) + ", \"modelled_cycles\": ";
  return text + (cost.cycles ? std::to_string(std::llround(*cost.cycles)) : "null") + "}";
}

std::string mfc::writeBaseline(const Baseline &baseline) {
  std::string text = "{\n  \"schema\": 1,\n";
  for (auto &[key, value] : {std::pair<const char *, const std::string &>{"model", baseline.model},
                             {"target", baseline.target},
                             {"board", baseline.board}})
    text += "  " + quoted(key) + ": " + quoted(value) + ",\n";
  text += "  \"total\": " + costText(baseline.total) + ",\n  \"layers\": {";
  const char *separator = "\n";
  for (const auto &[name, cost] : baseline.layers) {
    text += separator + ("    " + quoted(name)) + ": " + costText(cost);
    separator = ",\n";
  }
  return text + "\n  }\n}\n";
}

static std::optional<Cost> readCost(const llvm::json::Value *value) {
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  std::optional<int64_t> instructions = object ? object->getInteger("instructions") : std::nullopt;
  if (!instructions || *instructions < 0)
    return std::nullopt;
  return Cost{static_cast<uint64_t>(*instructions), object->getNumber("modelled_cycles")};
}

llvm::Expected<Baseline> mfc::parseBaseline(llvm::StringRef text, llvm::StringRef path) {
  auto value = parseJsonText(text);
  if (!value)
    return makeError(ErrorClass::Usage,
                     "'" + path + "' is no JSON: " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Object *layers = object ? object->getObject("layers") : nullptr;
  std::optional<Cost> total = object ? readCost(object->get("total")) : std::nullopt;
  if (!layers || !total || object->getInteger("schema") != 1)
    return makeError(ErrorClass::Usage,
                     "'" + path + "' is not a baseline (schema 1, total, layers)");
  Baseline baseline;
  baseline.total = *total;
  for (auto &[key, field] : {std::pair<const char *, std::string &>{"model", baseline.model},
                             {"target", baseline.target},
                             {"board", baseline.board}})
    field = object->getString(key).value_or("").str();
  for (const auto &[name, entry] : *layers) {
    std::optional<Cost> cost = readCost(&entry);
    if (!cost)
      return makeError(ErrorClass::Usage,
                       "'" + path + "': layer '" + name.str() + "' has no instructions");
    baseline.layers.push_back({name.str(), *cost});
  }
  llvm::sort(baseline.layers,
             [](const auto &a, const auto &b) { return nameLess(a.first, b.first); });
  return baseline;
}

//===-- Comparison
//-----------------------------------------------------------------------------------------------===//

llvm::StringRef mfc::figureName(Figure figure) {
  switch (figure) {
  case Figure::Instructions:
    return "instructions";
  case Figure::Cycles:
    return "modelled cycles";
  }
  return "";
}

/// The figure as baselines hold it; cycles are rounded there.
static std::optional<double> valueOf(const Cost &cost, Figure figure) {
  switch (figure) {
  case Figure::Instructions:
    return static_cast<double>(cost.instructions);
  case Figure::Cycles:
    return cost.cycles ? std::optional(std::round(*cost.cycles)) : std::nullopt;
  }
  return std::nullopt;
}

namespace {

class Comparison {
public:
  explicit Comparison(double tolerance) : tolerance(tolerance) {}

  /// Figures that only one side has are not compared: models of cores come and go.
  void compare(const std::string &layer, const Cost &before, const Cost &after) {
    for (Figure figure : {Figure::Instructions, Figure::Cycles}) {
      std::optional<double> was = valueOf(before, figure), is = valueOf(after, figure);
      if (!was || !is || *was == *is)
        continue;
      double room = *was * tolerance / 100;
      ChangeKind kind = *is > *was + room   ? ChangeKind::Worse
                        : *is < *was - room ? ChangeKind::Better
                                            : ChangeKind::Within;
      changes.push_back({layer, figure, kind, *was, *is});
    }
  }

  void only(const std::string &layer, const Cost &cost, ChangeKind kind) {
    for (Figure figure : {Figure::Instructions, Figure::Cycles})
      if (std::optional<double> value = valueOf(cost, figure))
        changes.push_back(kind == ChangeKind::Added ? Change{layer, figure, kind, 0, *value}
                                                    : Change{layer, figure, kind, *value, 0});
  }

  std::vector<Change> changes;

private:
  double tolerance;
};

} // namespace

llvm::Expected<std::vector<Change>> mfc::compare(const Baseline &before, const Baseline &after,
                                                 double tolerancePercent) {
  for (auto &[what, was, is] : {std::tuple<const char *, const std::string &, const std::string &>{
                                    "model", before.model, after.model},
                                {"target", before.target, after.target},
                                {"board", before.board, after.board}})
    if (was != is)
      return makeError(ErrorClass::Usage, llvm::Twine("the baseline is of ") + what + " '" + was +
                                              "', the run is of '" + is + "'");
  Comparison comparison(tolerancePercent);
  std::map<std::string, const Cost *> now;
  for (const auto &[name, cost] : after.layers)
    now[name] = &cost;
  for (const auto &[name, cost] : before.layers) {
    auto at = now.find(name);
    if (at == now.end()) {
      comparison.only(name, cost, ChangeKind::Removed);
      continue;
    }
    comparison.compare(name, cost, *at->second);
    now.erase(at);
  }
  for (const auto &[name, cost] : after.layers)
    if (now.count(name))
      comparison.only(name, cost, ChangeKind::Added);
  comparison.compare("", before.total, after.total);
  return std::move(comparison.changes);
}

std::string mfc::mainCause(llvm::ArrayRef<Change> changes, Figure figure) {
  const Change *cause = nullptr;
  for (const Change &change : changes)
    if (!change.layer.empty() && change.figure == figure && change.after > change.before &&
        (!cause || change.after - change.before > cause->after - cause->before))
      cause = &change;
  return cause ? cause->layer : "";
}

//===-- For people
//-----------------------------------------------------------------------------------------------===//

static std::string changeText(const Change &change) {
  switch (change.kind) {
  case ChangeKind::Added:
    return "new";
  case ChangeKind::Removed:
    return "gone";
  case ChangeKind::Worse:
  case ChangeKind::Better:
  case ChangeKind::Within:
    break;
  }
  std::string text = decimal(change.percent(), 2) + " %";
  return change.after > change.before ? "+" + text : text;
}

void mfc::printChanges(llvm::raw_ostream &os, llvm::ArrayRef<Change> changes) {
  if (changes.empty()) {
    os << "  nothing changed against the baseline\n";
    return;
  }
  TextTable table({"against the baseline", "figure", "before", "now", "change"});
  auto text = [](double value) { return grouped(static_cast<uint64_t>(std::llround(value))); };
  for (const Change &change : changes)
    table.row({change.layer.empty() ? "total" : change.layer, figureName(change.figure).str(),
               text(change.before), text(change.after), changeText(change)});
  table.print(os);
}
