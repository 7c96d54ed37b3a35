// What a run cost, layer by layer: the facts of the compiled model beside what was counted.
#ifndef MFC_SIM_LAYERREPORT_H
#define MFC_SIM_LAYERREPORT_H

#include "mfc/Sim/Qemu.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace mfc {

/// Known before anything runs.
struct LayerFacts {
  std::string name;   ///< unique in the model
  std::string kernel; ///< symbol; layers of one shape share it
  uint64_t macs = 0;  ///< multiply-accumulates of one inference
  uint64_t codeBytes = 0;
  unsigned spills = 0;
};

struct ModelFacts {
  std::string model;                             ///< X
  std::string target;                            ///< as it was asked for: "cortex-m4"
  std::string arch, cpu;                         ///< as resolved, what -march= and -mcpu= take
  std::string id;                                ///< of the build
  std::vector<LayerFacts> layers;                ///< execution order
  std::optional<uint64_t> codeBytes, stackBytes; ///< totals
};

/// Counts of one inference.
struct Cost {
  uint64_t instructions = 0;
  std::optional<double> cycles; ///< modelled; none where there is no model of the core
};

struct MeasuredLayer {
  LayerFacts facts;
  uint64_t calls = 0; ///< all passes
  Cost cost;
  std::vector<AccessCount> accesses;
};

struct MeasuredModel {
  std::string model, target, board;
  bool counted = false; ///< false: no figure means anything (the build machine)
  size_t passes = 1;
  uint64_t leastInstructions = 0, mostInstructions = 0; ///< of a pass
  Cost total;
  Cost outside; ///< in the region but in no layer: entry point and driver
  std::vector<MeasuredLayer> layers;
  std::optional<uint64_t> codeBytes;
  std::optional<uint64_t> stackBytes,
      stackBound; ///< measured by paint, and what the header promises
  std::vector<AccessCount> accesses;

  std::string core;        ///< whose timing modelled cycles have; empty without a model
  uint64_t unmodelled = 0; ///< executions that the model does not know, one cycle each; all passes

  uint64_t macs() const;
};

/// Modelled cycles of what a profile executed, or nothing.
using ProfilePricer = std::function<std::optional<double>(const ExecutionProfile &)>;

/// Puts counts and facts together. Figures are those of one pass: the mean, rounded, where passes
/// differ.
MeasuredModel measure(const ModelFacts &facts, const QemuResult &result,
                      const ProfilePricer &price);

void printLayerTable(llvm::raw_ostream &os, const MeasuredModel &measured);
std::string layerReportJson(const MeasuredModel &measured);

} // namespace mfc
#endif
