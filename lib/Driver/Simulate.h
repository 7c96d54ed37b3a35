// What mfc-sim does with a compiled model, apart from its command line.
#ifndef MFC_LIB_DRIVER_SIMULATE_H
#define MFC_LIB_DRIVER_SIMULATE_H


#include "mfc/Cost/MemoryTiming.h"
#include "mfc/Driver/Compile.h"
#include "mfc/IR/Tensor.h"
#include "mfc/Sim/LayerReport.h"
#include "mfc/Sim/Qemu.h"

#include "llvm/IR/Module.h"

namespace mfc {

struct SimOptions {
  std::string model;      ///< model or ELF
  std::string board;      ///< --board, empty: by the core
  std::vector<std::string> inputs;
  std::string batch;      ///< --batch: file of runs, one a line
  std::string outputDir;
  std::string json;
  std::string startSymbol, stopSymbol; ///< firmware of the user
  std::string layers;                  ///< --layers: X.json of the model in the firmware
  std::string baseline, tolerance = "2%";
  bool updateBaseline = false;
  bool memoryAccesses = false;
  unsigned repeat = 0; ///< inferences of a run, 0: one, or as many as the firmware wants
  unsigned timeoutSeconds = 120;
  MemoryTiming memory; ///< of the code, for modelled cycles
  unsigned poison = 0xa5;
  bool checkAlignment = false;
  bool checkBounds = false; ///< fail on accesses to the red zones
  bool keepTemps = false;
  bool compare = false;       ///< --compare: run with layer taps, layers against the interpreter
  std::string comparedModel;  ///< --compare-model: the model in the firmware
  std::string layerRecords;   ///< --layer-records: compare these, run nothing
};

/// One inference and what it showed.
struct SimRun {
  std::vector<Tensor> inputs;
  std::vector<std::string> outputs; ///< raw bytes, graph order
  QemuResult result;                ///< the host fills outcome and status only
  std::string problem;              ///< what went wrong, in one line; empty when nothing did
  std::string layerRecords;         ///< of a model with layer taps (runtime/layer_record.h)
};

/// The facts that a report of a run needs, of a model that was just compiled.
ModelFacts factsOf(const ModelInfo &info);

/// Bytes of the red zones in front of and behind every buffer of the caller.
constexpr uint64_t kRedZoneBytes = 64;

/// Symbols of the red zones begin so, followed by their size: the first zone of a buffer has the address of the buffer's
/// symbol, and with it that one's size in ELF.
constexpr const char *kZoneSymbol = "mfc_sim_zone_";

/// The glue's function between harness and model.
constexpr const char *kGlueFunction = "mfc_sim_invoke";

/// The section of a region's arena in the glue: .bss.mfc_sim for the first, with the region's name for others.
std::string simArenaSection(const ModelInfo &info, unsigned region);

/// The object that ties the harness to a model (runtime/include/mfc_sim.h): arenas and caller's buffers between red
/// zones in section .bss.mfc_sim, and the table.
std::unique_ptr<llvm::Module> createSimGlue(llvm::LLVMContext &context, const ModelInfo &info, unsigned poison,
                                            unsigned repeat);

/// Compiles glue, links and runs every entry of `runs` on the board. Errors mean that nothing could be run; what a run
/// showed is in its result. `elf` becomes the firmware.
llvm::Error simulateOnBoard(const CompiledModel &model, const Board &board, const SimOptions &options,
                            std::vector<SimRun> &runs, std::string &elf);

/// The same on the build machine, in this process, with guard pages in place of red zones.
llvm::Error simulateOnHost(const CompiledModel &model, const SimOptions &options, std::vector<SimRun> &runs);

/// Runs firmware as it is. `facts`: the model in it, to count by layer, or null.
llvm::Expected<SimRun> simulateFirmware(const Board &board, const SimOptions &options, const ModelFacts *facts,
                                        std::string &elf);

/// A folder that is removed with everything in it at the end of the scope.
class WorkFolder {
public:
  static llvm::Expected<WorkFolder> create(bool keep);
  WorkFolder(WorkFolder &&other) : folder(std::exchange(other.folder, {})), keep(other.keep) {}
  ~WorkFolder();
  std::string path(llvm::StringRef file) const;

private:
  WorkFolder(std::string folder, bool keep) : folder(std::move(folder)), keep(keep) {}
  std::string folder;
  bool keep;
};

} // namespace mfc
#endif
