// Committed figures of a model, and whether a new measurement is worse.
//
// A baseline is JSON with one line a layer, sorted by name, so that a change is one line of a
// review. The keys of layers are LayerFacts::name.
#ifndef MFC_SIM_BASELINE_H
#define MFC_SIM_BASELINE_H

#include "mfc/Sim/LayerReport.h"

namespace mfc {

struct Baseline {
  std::string model, target, board;
  Cost total;
  std::vector<std::pair<std::string, Cost>> layers; ///< sorted by name, numbers in it by value
};

Baseline baselineOf(const MeasuredModel &measured);
std::string writeBaseline(const Baseline &baseline);
llvm::Expected<Baseline> parseBaseline(llvm::StringRef text, llvm::StringRef path);

enum class Figure { Instructions, Cycles };
llvm::StringRef figureName(Figure figure);

enum class ChangeKind {
  Worse,   ///< beyond the tolerance
  Better,  ///< beyond the tolerance
  Within,  ///< not equal, within the tolerance
  Added,   ///< a layer that the baseline does not have
  Removed, ///< a layer that is not there any more
};

/// One figure of one layer that is not what it was.
struct Change {
  std::string layer; ///< empty: the total
  Figure figure = Figure::Instructions;
  ChangeKind kind = ChangeKind::Within;
  double before = 0, after = 0;

  /// In percent of `before`; positive when it grew.
  double percent() const { return before > 0 ? 100 * (after - before) / before : 100; }
};

/// All changes, layers in the order of the baseline, the total last. An error of class Usage when
/// the two are not comparable (another model, target or board).
llvm::Expected<std::vector<Change>> compare(const Baseline &before, const Baseline &after,
                                            double tolerancePercent);

/// The layer that explains most of a growth of the figure: the largest growth, a new layer counted
/// whole.
std::string mainCause(llvm::ArrayRef<Change> changes, Figure figure);

void printChanges(llvm::raw_ostream &os, llvm::ArrayRef<Change> changes);

} // namespace mfc
#endif
