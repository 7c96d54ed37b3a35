// Two builds of a model, metric by metric and layer by layer, and the thresholds on their
// difference.
#ifndef MFC_LIB_DRIVER_SIZEDIFF_H
#define MFC_LIB_DRIVER_SIZEDIFF_H

#include "Metrics.h"
#include "mfc/Emit/ReportReader.h"
#include "mfc/Support/Diagnostic.h"

#include <map>

namespace mfc {

/// A figure in both builds; nothing where the build does not have it (an added layer, unknown
/// cycles).
struct Figure {
  std::optional<double> before, after;

  bool known() const { return before && after; }
  double growth() const { return after.value_or(0) - before.value_or(0); }
  bool changed() const { return before != after; }
};

/// A row of the totals.
struct TotalDiff {
  std::string name;               ///< "flash", "region:DTCM"
  std::string title;              ///< in tables
  const Metric *metric = nullptr; ///< for a region the one of sram, whose layers decide
  Figure figure;
};

struct LayerDiff {
  enum class Status { Same, Changed, Added, Removed };
  std::string name;
  Status status = Status::Same;
  std::vector<Figure> figures; ///< by allMetrics()
};

/// Name of the last entry of SizeDiff::layers: what the totals have beyond the layers.
constexpr llvm::StringLiteral kOutsideLayers = "(outside the layers)";

struct SizeDiff {
  ReadReport before, after;
  std::vector<TotalDiff> totals;
  std::vector<LayerDiff>
      layers; ///< in the order of the new build, then removed ones, then the rest
};

/// Layers are matched by name; of several with one name the first with the first, and so on.
SizeDiff compareReports(ReadReport before, ReadReport after);

/// What a metric may grow by.
struct Threshold {
  std::optional<double> percent, absolute;

  bool exceededBy(const Figure &figure) const;
  std::string text() const; ///< "1 %", "64"
};

/// "1%", "64", "code=2%,stack=0,region:DTCM=1K": a value without a name is for all metrics not
/// named.
struct Thresholds {
  std::optional<Threshold> all;
  std::map<std::string, Threshold> byName;

  llvm::Error parse(llvm::StringRef text);
  const Threshold *of(llvm::StringRef metric) const;
  bool any() const { return all || !byName.empty(); }
};

/// A threshold that was exceeded.
struct SizeFailure {
  std::string metric, layer; ///< layer: empty for a total
  std::string message;
  std::vector<std::string> notes; ///< the layers behind the growth of a total
};

struct SizeGate {
  Thresholds totals, layers;

  /// Every threshold that is exceeded, totals first. Errors: a name that neither build has, a
  /// threshold on modelled cycles that one of them lacks.
  llvm::Expected<std::vector<SizeFailure>> check(const SizeDiff &diff) const;
};

/// "+584 (+1.1 %)", "0"; "new" and "gone" where one side has nothing.
std::string differenceText(const Figure &figure);

} // namespace mfc
#endif
