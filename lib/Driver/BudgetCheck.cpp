// What is said about a limit that is exceeded: need, have, the layers that need most, and which
// tensors are alive at the peak of a memory.
#include "Metrics.h"
#include "mfc/Driver/Budgets.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/IR/Op.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mfc;

namespace {

/// How many layers and tensors are listed.
constexpr size_t kListed = 3;

class BudgetReporter {
public:
  BudgetReporter(const ModelInfo &info, llvm::StringRef file, DiagnosticEngine &diag)
      : info(info), file(file), diag(diag) {}

  void report(const BudgetInfo &budget);
  void warn(const BudgetInfo &budget);

private:
  const ModelInfo &info;
  llvm::StringRef file;
  DiagnosticEngine &diag;

  Location location() const {
    Location where;
    where.file = file.str();
    return where;
  }
  DiagnosticBuilder note() { return diag.note(location()); }
  std::string layerName(size_t layer) const {
    return "'" + shortName(info.layers[layer].name) + "'";
  }
  std::vector<size_t> largest(llvm::ArrayRef<double> figures) const;
  void layers(const Metric &metric, double need);
  void parts(const Metric &metric);
  void memory(std::optional<unsigned> region, const BudgetInfo &budget);
  void liveAt(unsigned step, std::optional<unsigned> region);
  void relief(llvm::ArrayRef<double> live, const BudgetInfo &budget);
  std::string stepName(size_t step) const;
  bool canRunInPatches(size_t layers) const;
};

std::string percent(double part, double whole) {
  return whole > 0 ? llvm::formatv("{0:F1} %", 100 * part / whole).str() : "0 %";
}

/// Indices of the largest figures, largest first, equal ones in order; none that are zero.
std::vector<size_t> BudgetReporter::largest(llvm::ArrayRef<double> figures) const {
  std::vector<size_t> order(figures.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return figures[a] > figures[b]; });
  llvm::erase_if(order, [&](size_t i) { return figures[i] <= 0; });
  order.resize(std::min(order.size(), kListed));
  return order;
}

void BudgetReporter::layers(const Metric &metric, double need) {
  std::vector<double> figures;
  for (const LayerInfo &layer : info.layers)
    figures.push_back(metric.layer(layer).value_or(0));
  for (size_t i : largest(figures)) {
    const LayerInfo &layer = info.layers[i];
    DiagnosticBuilder line = note();
    line << "layer " << layerName(i) << " (" << llvm::join(layer.ops, " + ")
         << "): " << grouped(figures[i])
         << (metric.unit == Unit::Bytes ? " bytes" : " modelled cycles");
    if (metric.name == llvm::StringRef("flash"))
      line << " (code " << grouped(static_cast<double>(layer.codeBytes)) << ", constants "
           << grouped(static_cast<double>(layer.constBytes)) << ")";
    line << ", " << percent(figures[i], need) << " of the need";
    line.field("layer", layer.name).field(metric.name, grouped(figures[i]));
  }
}

/// What a total is made of besides its layers.
void BudgetReporter::parts(const Metric &metric) {
  const Totals &t = info.totals;
  if (metric.name == llvm::StringRef("flash"))
    note() << "code " << grouped(static_cast<double>(t.codeBytes)) << " bytes, constants "
           << grouped(static_cast<double>(t.constBytes)) << " bytes, in " << info.layers.size()
           << " layers";
  if (metric.name == llvm::StringRef("sram") && t.callerBytes + t.stateBytes != 0)
    note() << "arena " << grouped(static_cast<double>(t.arenaBytes)) << " bytes, caller's buffers "
           << grouped(static_cast<double>(t.callerBytes)) << " bytes, state "
           << grouped(static_cast<double>(t.stateBytes)) << " bytes";
  if (metric.name == llvm::StringRef("cycles")) {
    DiagnosticBuilder line = note();
    line << grouped(static_cast<double>(t.instructions.value_or(0))) << " instructions in "
         << info.layers.size() << " layers";
    if (!t.exactCounts)
      line << ", where branches depend on data the longer way";
    if (t.longestKernel)
      line << "; the longest kernel is '" << shortName(t.longestKernel->layer) << "' with "
           << grouped(t.longestKernel->modelledCycles) << " modelled cycles";
  }
}

/// What a limit on cycles does not see.
void BudgetReporter::warn(const BudgetInfo &budget) {
  if (budget.name == "cycles" && info.totals.helperCalls != 0)
    diag.warning(location())
        << "budget of cycles: " << grouped(static_cast<double>(info.totals.helperCalls))
        << " calls of soft-float helpers are not in the modelled cycles, their time comes on top";
}

std::string BudgetReporter::stepName(size_t step) const {
  if (step == 0)
    return "before the first layer, when the inputs are written";
  if (step > info.layers.size())
    return "behind the last layer, when the outputs are read";
  return llvm::formatv("at layer {0} ({1}, layer {2} of {3})", layerName(step - 1),
                       llvm::join(info.layers[step - 1].ops, " + "), step, info.layers.size())
      .str();
}

void BudgetReporter::liveAt(unsigned step, std::optional<unsigned> region) {
  std::vector<const BufferInfo *> live;
  for (const BufferInfo &buffer : info.buffers)
    if (buffer.first <= step && step <= buffer.last && (!region || buffer.region == *region))
      live.push_back(&buffer);
  llvm::stable_sort(live,
                    [](const BufferInfo *a, const BufferInfo *b) { return a->bytes > b->bytes; });
  for (const BufferInfo *buffer : live) {
    auto shares = [&](const BufferInfo *other) {
      return other != buffer && other->region == buffer->region &&
             other->offset < buffer->offset + buffer->bytes &&
             buffer->offset < other->offset + other->bytes;
    };
    DiagnosticBuilder line = note();
    line << "alive there: " << (buffer->scratch ? "scratch of '" : "tensor '")
         << shortName(buffer->name) << "', " << grouped(static_cast<double>(buffer->bytes))
         << " bytes, from step " << buffer->first << " to " << buffer->last;
    if (llvm::any_of(live, shares))
      line << " (in place: shares memory with another one)";
    line.field("tensor", buffer->name).field("bytes", std::to_string(buffer->bytes));
  }
}

/// Whether each of the first layers needs only a part of its input for a part of its output.
bool BudgetReporter::canRunInPatches(size_t layers) const {
  auto local = [](const std::string &name) {
    std::optional<OpKind> kind = opKindFromName(name);
    return kind && (hasTrait(*kind, OpTrait::Elementwise) || *kind == OpKind::Conv2D ||
                    *kind == OpKind::DepthwiseConv2D || *kind == OpKind::MaxPool2D ||
                    *kind == OpKind::AvgPool2D || *kind == OpKind::Pad ||
                    *kind == OpKind::Transpose); // between channels first and last
  };
  return llvm::all_of(llvm::ArrayRef<LayerInfo>(info.layers).take_front(layers),
                      [&](const LayerInfo &layer) { return llvm::all_of(layer.ops, local); });
}

/// What the model would have to give: true of every mfc and every option, since it follows from the
/// lifetimes.
void BudgetReporter::relief(llvm::ArrayRef<double> live, const BudgetInfo &budget) {
  double outside = budget.name == "sram"
                       ? static_cast<double>(info.totals.callerBytes + info.totals.stateBytes)
                       : 0;
  double room = budget.limit - outside;
  size_t above = 0, last = 0;
  for (size_t step = 0; step < live.size(); ++step)
    if (live[step] > room) {
      ++above;
      last = step;
    }
  if (above == 0) {
    note() << "no step needs more than the limit at once, but the tensors do not fit into it "
              "without gaps";
    return;
  }
  double peak = *std::max_element(live.begin(), live.end());
  if (room > 0)
    note() << "would help: a smaller width or input: what is alive at the peak has to shrink to "
           << percent(room, peak);
  size_t rest = last + 1;
  if (rest > 1 && rest <= info.layers.size() && canRunInPatches(rest - 1))
    note() << "would help: a patch stage: " << above << " of " << live.size()
           << " steps are over the limit; from layer " << layerName(rest - 1) << " (layer " << rest
           << " of " << info.layers.size() << ") on "
           << grouped(*std::max_element(live.begin() + static_cast<ptrdiff_t>(rest), live.end()) +
                      outside)
           << " bytes are enough, so only the layers before it have to run on a part of the input "
              "at a time";
}

void BudgetReporter::memory(std::optional<unsigned> region, const BudgetInfo &budget) {
  std::vector<double> live;
  for (unsigned step = 0; step < info.steps(); ++step) {
    double bytes = 0;
    for (unsigned r = 0; r < info.regions.size(); ++r)
      if (!region || r == *region)
        bytes += static_cast<double>(info.liveBytesAt(step, r));
    live.push_back(bytes);
  }
  auto peak = std::max_element(live.begin(), live.end());
  auto step = static_cast<unsigned>(peak - live.begin());
  note() << "the peak is " << stepName(step) << ": " << grouped(*peak) << " bytes are in use";
  liveAt(step, region);
  std::vector<double> layers(live.begin() + 1, live.end() - 1);
  for (size_t i : largest(layers))
    if (i + 1 != step)
      note() << "layer " << layerName(i) << " (" << llvm::join(info.layers[i].ops, " + ")
             << "): " << grouped(layers[i]) << " bytes in use";
  relief(live, budget);
}

void BudgetReporter::report(const BudgetInfo &budget) {
  const Metric *metric = findMetric(budget.name);
  Unit unit = metric ? metric->unit : Unit::Bytes;
  const char *what = unit == Unit::Bytes ? " bytes" : " modelled cycles";
  std::string limit = grouped(budget.limit) + what;
  std::string shortForm = quantity(budget.limit, unit);
  if (shortForm != grouped(budget.limit) && shortForm != limit)
    limit += " (" + shortForm + ")";
  double over = budget.need - budget.limit;
  diag.error(ErrorClass::Budget, location())
          .field("budget", budget.name)
          .field("need", std::to_string(static_cast<uint64_t>(budget.need)))
          .field("have", std::to_string(static_cast<uint64_t>(budget.limit)))
      << "over the budget of " << budget.name << ": need " << grouped(budget.need) << what
      << ", have " << limit << ": " << grouped(over) << " too many"
      << (budget.limit > 0 ? " (" + percent(over, budget.limit) + ")" : "");
  if (!metric) {
    for (unsigned r = 0; r < info.regions.size(); ++r)
      if (regionMetricName(info.regions[r].name) == budget.name)
        memory(r, budget);
    return;
  }
  parts(*metric);
  if (metric->name == llvm::StringRef("sram"))
    memory(std::nullopt, budget);
  else
    layers(*metric, budget.need);
}

} // namespace

bool mfc::checkBudgets(const ModelInfo &info, llvm::StringRef file, DiagnosticEngine &diag) {
  BudgetReporter reporter(info, file, diag);
  bool within = true;
  for (const BudgetInfo &budget : info.budgets) {
    reporter.warn(budget);
    if (budget.need > budget.limit) {
      within = false;
      reporter.report(budget);
    }
  }
  return within;
}
