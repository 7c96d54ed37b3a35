#include "Metrics.h"
#include "mfc/Emit/ModelInfo.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mfc;

namespace {

using Figure = std::optional<double>;

Figure bytes(uint64_t value) { return static_cast<double>(value); }

// clang-format off
const Metric kMetrics[] = {
  {"flash", "flash", Unit::Bytes, Combine::Sum,
   [](const ModelInfo &m) { return bytes(m.totals.flashBytes()); },
   [](const LayerInfo &l) { return bytes(l.codeBytes + l.constBytes); }, "code and constants"},
  {"code", "code", Unit::Bytes, Combine::Sum,
   [](const ModelInfo &m) { return bytes(m.totals.codeBytes); },
   [](const LayerInfo &l) { return bytes(l.codeBytes); }, "code"},
  {"const", "constants", Unit::Bytes, Combine::Sum,
   [](const ModelInfo &m) { return bytes(m.totals.constBytes); },
   [](const LayerInfo &l) { return bytes(l.constBytes); }, "constants"},
  {"sram", "SRAM", Unit::Bytes, Combine::Peak,
   [](const ModelInfo &m) { return bytes(m.totals.sramBytes()); },
   [](const LayerInfo &l) { return bytes(l.liveBytes); }, "bytes in use while it runs"},
  {"stack", "stack", Unit::Bytes, Combine::Peak,
   [](const ModelInfo &m) { return bytes(m.totals.stackBytes); },
   [](const LayerInfo &l) { return bytes(l.stackBytes); }, "stack"},
  {"cycles", "modelled cycles", Unit::Cycles, Combine::Sum,
   [](const ModelInfo &m) { return m.totals.modelledCycles; },
   [](const LayerInfo &l) { return l.modelledCycles; }, "modelled cycles"},
};
// clang-format on

struct Suffix {
  char letter;
  double bytes, cycles;
};
constexpr Suffix kSuffixes[] = {
    {'G', 1073741824.0, 1e9}, {'M', 1048576.0, 1e6}, {'K', 1024.0, 1e3}};

double factor(const Suffix &suffix, Unit unit) {
  return unit == Unit::Bytes ? suffix.bytes : suffix.cycles;
}

/// Larger figures are not exact in a double, and no part has that much.
constexpr double kLargest = 9007199254740992.0; // 2^53

} // namespace

llvm::ArrayRef<Metric> mfc::allMetrics() { return kMetrics; }

const Metric *mfc::findMetric(llvm::StringRef name) {
  for (const Metric &metric : kMetrics)
    if (name == metric.name)
      return &metric;
  return nullptr;
}

std::string mfc::metricNames() {
  std::string text;
  for (const Metric &metric : kMetrics)
    text += (text.empty() ? "" : ", ") + std::string(metric.name);
  return text;
}

std::string mfc::regionMetricName(llvm::StringRef region) { return "region:" + region.str(); }

std::string mfc::quantity(double value, Unit unit) {
  for (const Suffix &suffix : kSuffixes) {
    double parts = value / factor(suffix, unit);
    if (parts >= 1 && parts == std::floor(parts) && suffix.letter != 'G')
      return grouped(parts) + suffix.letter;
  }
  return grouped(value) + (unit == Unit::Bytes ? " bytes" : "");
}

std::optional<double> mfc::parseQuantity(llvm::StringRef text, Unit unit) {
  double scale = 1;
  for (const Suffix &suffix : kSuffixes)
    if (!text.empty() && llvm::toUpper(text.back()) == suffix.letter) {
      scale = factor(suffix, unit);
      text = text.drop_back();
      break;
    }
  auto [whole, fraction] = text.split('.');
  auto digits = [](llvm::StringRef part) { return llvm::all_of(part, llvm::isDigit); };
  bool point = whole.size() != text.size();
  if (whole.empty() || whole.size() > 16 || fraction.size() > 6 || (point && fraction.empty()) ||
      !digits(whole) || !digits(fraction))
    return std::nullopt;
  double value = 0;
  if (text.getAsDouble(value) || value * scale > kLargest)
    return std::nullopt;
  return std::floor(value * scale);
}

llvm::StringRef mfc::quantityForm(Unit unit) {
  return unit == Unit::Bytes ? "a size such as 4096, 128K or 1.5M (K = 1024)"
                             : "a count such as 250000, 800K or 6M (M = 1,000,000)";
}
