// What a build is measured by: the one list that budgets, mfc-size and their documents share.
#ifndef MFC_LIB_DRIVER_METRICS_H
#define MFC_LIB_DRIVER_METRICS_H

#include "mfc/Support/HumanText.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mfc {

struct LayerInfo;
struct ModelInfo;

enum class Unit { Bytes, Cycles };

/// How the total follows from the layers.
enum class Combine {
  Sum,  ///< layers add up (and there is a rest that belongs to none)
  Peak, ///< the layer with the most decides
};

struct Metric {
  const char *name;  ///< on command lines and in files: "flash"
  const char *title; ///< in tables and messages: "flash"
  Unit unit;
  Combine combine;
  std::optional<double> (*total)(const ModelInfo &);
  std::optional<double> (*layer)(const LayerInfo &);
  const char *ofLayer; ///< what the layer's figure is, for messages
};

/// flash, code, const, sram, stack, cycles.
llvm::ArrayRef<Metric> allMetrics();
const Metric *findMetric(llvm::StringRef name);
/// "flash, code, ...": for messages about unknown names.
std::string metricNames();

/// "region:DTCM": how the arena of one region is called where metrics are named.
std::string regionMetricName(llvm::StringRef region);

/// 49152 -> "48K", 48000 -> "48000 bytes" ... see docs/budgets.md. K and M only where nothing is
/// lost.
std::string quantity(double value, Unit unit);

/// "128K", "1.5M", "4096": K and M are 1024 and 1024^2 for bytes, 1000 and 10^6 for cycles. Nothing
/// if it is not a whole number of the unit.
std::optional<double> parseQuantity(llvm::StringRef text, Unit unit);
/// What parseQuantity() takes, for messages.
llvm::StringRef quantityForm(Unit unit);

} // namespace mfc
#endif
